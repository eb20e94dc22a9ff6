import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { hashPassword } from '#app/plugins/accounts/server/passwords/hash';
import { execute, query } from '../helpers/beside';
import { freshDatabase, type FreshDatabase } from '../helpers/database';
import { startProcess, type ServiceProcess } from '../helpers/process';
import { until } from '../helpers/until';
import { walk } from '../helpers/walk';

const administrator = { email: 'first@example.org', password: 'the first of all' };

const MAILS = `select count(*) as n from oms_mails where kind <> 'decision'`;

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

test.each([
  ['accounts.md', 15],
  ['orgs-and-collaborations.md', 15],
  ['batch.md', 4],
  ['merging.md', 4],
  ['review.md', 6],
  ['search.md', 12],
] as const)('the walk through %s comes out as the page says', async (page, atLeast) => {
  // A walk takes the newest mail for its own: none of the walk before it may be waiting, but those of decisions, which wait
  // for a minute and hold no token.
  await until('no mail is waiting', async () => {
    const [waiting] = await query(database, MAILS);
    return Number(waiting?.['n']) === 0;
  });
  const mails = join(database.dataDir, 'mail');
  for (const name of existsSync(mails) ? readdirSync(mails) : [])
    rmSync(join(mails, name), { force: true });
  const steps = await walk(page, {
    api: `${service.url}/api/v0`,
    data: database.dataDir,
    OMS_ADMIN_EMAIL: administrator.email,
    OMS_ADMIN_PASSWORD: administrator.password,
  });
  for (const { stated, printed } of steps) {
    expect(printed).toEqual(stated.map((text) => expect.stringMatching(text) as unknown));
  }
  expect(steps.flatMap(({ stated }) => stated).length).toBeGreaterThan(atLeast);
});
