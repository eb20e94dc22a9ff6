import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { send } from '../../helpers/http';
import type { World } from '../../helpers/world';

/** Files and routes that nobody may reach, on a shared service. */
export function testClosedPaths(world: () => World): void {
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

  describe('a file of the data directory', () => {
    beforeAll(() => writeFile(join(world().service.dataDir, 'private.txt'), 'MARKER'));

    test('is there to be found', () => {
      expect(existsSync(join(world().service.dataDir, 'secrets.json'))).toBe(true);
    });

    const names = ['secrets.json', 'db.sqlite', 'db.sqlite-wal', 'db.sqlite.lock', 'private.txt'];
    const ways = [
      '/',
      '/../',
      '/uploads/../',
      '/uploads/../../',
      '/uploads/..%2f',
      '/uploads/..%2f..%2f',
    ];
    const more = [
      '/%2e%2e/',
      '/uploads/%2e%2e/%2e%2e/',
      '/..%5c',
      '//',
      '/admin/../',
      '/admin/..%2f..%2f..%2f.data/',
    ];

    test.each(names.flatMap((name) => [...ways, ...more].map((way) => way + name)))(
      'is not served at %s',
      async (path) => {
        const { status, body } = await get(path);
        // The panel answers its page for whatever lies below /admin.
        if (!path.startsWith('/admin/')) expect(status).not.toBe(200);
        expect(body).not.toMatch(/MARKER|SQLite format|"secret"/);
      },
    );

    /** As it is, without the tidying of dots that fetch does. */
    function get(path: string): Promise<{ status: number | undefined; body: string }> {
      return new Promise((resolve, reject) => {
        request(world().service.url, { path }, (answer) => {
          let body = '';
          answer.setEncoding('latin1').on('data', (chunk: string) => (body += chunk));
          answer.on('end', () => resolve({ status: answer.statusCode, body }));
        })
          .on('error', reject)
          .end();
      });
    }
  });
}
