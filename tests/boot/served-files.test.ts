import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { startService, type TestService } from '../helpers/service';

describe('nothing of the data directory is served', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startService();
    await writeFile(join(service.dataDir, 'private.txt'), 'MARKER');
  });
  afterAll(() => service.close());

  test('it is there to be found', () => {
    expect(existsSync(join(service.dataDir, 'secrets.json'))).toBe(true);
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
    'GET %s',
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
      request(service.url, { path }, (answer) => {
        let body = '';
        answer.setEncoding('latin1').on('data', (chunk: string) => (body += chunk));
        answer.on('end', () => resolve({ status: answer.statusCode, body }));
      })
        .on('error', reject)
        .end();
    });
  }
});
