import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hashPassword } from '#app/plugins/accounts/server/passwords/hash';
import { execute } from '../helpers/beside';
import { freshDatabase, type FreshDatabase } from '../helpers/database';
import { startProcess, type ServiceProcess } from '../helpers/process';

const administrator = { email: 'first@example.org', password: 'the first of all' };
const page = join(__dirname, '..', '..', 'docs', 'accounts.md');
const BETWEEN = '--- the next block ---';

let database: FreshDatabase;
let service: ServiceProcess;

beforeAll(async () => {
  database = await freshDatabase();
  service = await startProcess({
    ...database.env,
    OMS_ADMIN_EMAIL: administrator.email,
    OMS_ADMIN_PASSWORD: administrator.password,
  });
  const password = await hashPassword(administrator.password);
  await execute(
    database,
    `insert into up_users
       (document_id, name, email, email_key, email_verified, password, account_role, language, version)
     select '${randomUUID()}', 'First', '${administrator.email}', '${administrator.email}', true,
       '${password}', 'administrator', 'en', 1
     where not exists (select 1 from up_users where account_role = 'administrator')`,
  );
});
afterAll(async () => {
  service.child.kill('SIGTERM');
  await service.ended;
  await database.drop();
});

/** The shell blocks of the page. */
async function blocks(): Promise<string[]> {
  const text = await readFile(page, 'utf8');
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
}

/** What the comments of a block say that it prints, `...` standing for anything. */
const stated = (block: string): RegExp[] =>
  block
    .split('\n')
    .filter((line) => line.startsWith('# {'))
    .map((line) => {
      const parts = line.slice(2).split('...');
      return new RegExp(
        `^${parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*')}$`,
      );
    });

test('the walk through the page about accounts comes out as it says', async () => {
  const steps = await blocks();
  const { stdout, stderr } = await promisify(execFile)(
    'bash',
    ['--norc', '-euo', 'pipefail', '-c', steps.join(`\necho '${BETWEEN}'\n`)],
    {
      env: {
        PATH: process.env['PATH'],
        api: `${service.url}/api/v0`,
        data: database.dataDir,
        OMS_ADMIN_EMAIL: administrator.email,
        OMS_ADMIN_PASSWORD: administrator.password,
      },
    },
  );
  expect(stderr).toBe('');
  const printed = stdout.split(`${BETWEEN}\n`).map((part) => part.split('\n').slice(0, -1));
  expect(printed).toHaveLength(steps.length);
  for (const [position, step] of steps.entries()) {
    const lines = printed[position] ?? [];
    expect(lines).toEqual(stated(step).map((pattern) => expect.stringMatching(pattern) as unknown));
  }
  expect(steps.flatMap(stated).length).toBeGreaterThan(15);
});
