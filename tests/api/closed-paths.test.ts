import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { send } from '../helpers/http';
import { useWorld } from '../helpers/world';

const world = useWorld();

beforeAll(async () => {
  const { service } = world();
  await writeFile(join(service.dataDir, 'public', 'uploads', 'hidden.txt'), 'HIDDEN CONTENT');
});

/** Ways to write a path that one parser takes for another path than the next one does. */
const DISGUISED = [
  '/uploads/hidden.txt',
  '/Uploads/hidden.txt',
  '/%75ploads/hidden.txt',
  '/uploads%2fhidden.txt',
  '/uploads%5chidden.txt',
  '/./uploads/hidden.txt',
  '/x/../uploads/hidden.txt',
  '/x/..%2fuploads/hidden.txt',
  '/%2e/uploads/hidden.txt',
  '/%2e%2e/uploads/hidden.txt',
  '/uploads/./hidden.txt',
  '/uploads/x/../hidden.txt',
  '//uploads/hidden.txt',
  '/\\uploads\\hidden.txt',
  '/uploads;x/hidden.txt',
  'http://anywhere.example/uploads/hidden.txt',
  'http://anywhere.example/%75ploads/hidden.txt',
  'http://anywhere.example/uploads/%2e%2e/x/..%2fuploads/hidden.txt',
  'http://anywhere.example/x/../uploads/hidden.txt',
  'http://anywhere.example//uploads/hidden.txt',
  'HTTP://anywhere.example/uploads/hidden.txt',
];

describe('an uploaded file', () => {
  test.each(DISGUISED)('is not served at %s', async (url) => {
    for (const method of ['GET', 'HEAD']) {
      const { status, text } = await send(world().service.url, { method, url });
      expect([method, status]).not.toEqual([method, 200]);
      expect(text).not.toContain('HIDDEN');
    }
  });
});

describe("the routes of Strapi's plugins", () => {
  const paths = [
    '/%61pi/users',
    '/api%2fusers',
    '//api/users',
    '/./api/users',
    '/x/../api/users',
    '/api;x/users',
    'http://anywhere.example/api/users',
    'http://anywhere.example/x/../api/users',
    'http://anywhere.example/api/connect/../../x',
    'http://anywhere.example/api/connect/%2e%2e/%2e%2e/x',
    'http://anywhere.example/api/auth/local/../../../x',
  ];
  test.each(paths)('do not answer at %s', async (url) => {
    const { status, text } = await send(world().service.url, { method: 'GET', url });
    expect([400, 404]).toContain(status);
    // Who answers is the chain of ours, or nobody; no controller of a plugin.
    expect(text).not.toMatch(/ForbiddenError|ApplicationError|provider/);
  });
});
