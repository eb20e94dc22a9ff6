// @databases postgres
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { emptyDatabase, type FreshDatabase } from '../helpers/database';
import { ask, login, responseOf, worth } from '../helpers/people';
import { until } from '../helpers/post-office';
import { startProcess, type ServiceProcess } from '../helpers/process';
import { createSender, type Sender } from '../helpers/world';

/** Milliseconds within which another server sees a change (contract, section 9). */
const SEEN_WITHIN = 2000;
const PASSWORD = 'a good one of mine';

let database: FreshDatabase;
let client: Client;
let services: ServiceProcess[] = [];
let here: Sender;
let there: Sender;
let administrator: string;

beforeAll(async () => {
  database = await emptyDatabase();
  // At once, on an empty database: one waits until the other has made the tables.
  services = await Promise.all([startProcess(database.env), startProcess(database.env)]);
  here = await createSender(services[0]?.url ?? '');
  there = await createSender(services[1]?.url ?? '');
  client = new Client({ connectionString: database.env['DATABASE_URL'] });
  await client.connect();
  const { email } = await register('administrator');
  await client.query(`update up_users set account_role = 'administrator' where email = $1`, [
    email,
  ]);
  administrator = await login(here, { email, password: PASSWORD });
});
afterAll(async () => {
  await client.end();
  for (const { child, ended } of services) {
    child.kill('SIGTERM');
    await ended;
  }
  await database.drop();
});

async function register(name: string): Promise<{ id: string; email: string }> {
  const email = `${name}@people.example.org`;
  const body = { name, email, password: PASSWORD };
  const answer = await here.send({ method: 'POST', url: '/api/v0/user', body });
  return { id: String(responseOf(answer)['id']), email };
}

/** Somebody new with two sessions, which the other server knows. */
async function known(name: string): Promise<{ id: string; secrets: [string, string] }> {
  const { id, email } = await register(name);
  const account = { email, password: PASSWORD };
  const secrets: [string, string] = [await login(here, account), await login(there, account)];
  expect(await worth(there, ...secrets)).toEqual([200, 200]);
  return { id, secrets };
}

test('a change of the site settings counts on the other server within two seconds', async () => {
  const headers = { Authorization: `Bearer ${administrator}` };
  const url = '/api/v0/site_settings';
  const nameThere = async () => responseOf(await there.send({ method: 'GET', url }))['site_name'];
  expect(await nameThere()).toBeNull();
  const body = { site_name: { en: 'Otters' } };
  expect((await here.send({ method: 'PUT', url, body, headers })).status).toBe(200);
  const from = Date.now();
  await until('the other server knows', async () => (await nameThere()) !== null);
  expect(Date.now() - from).toBeLessThan(SEEN_WITHIN);
  expect(await nameThere()).toEqual({ en: 'Otters' });
});

const makeTaxon = async (secret: string): Promise<number> => {
  const body = { scientific_name: `Made ${Math.random()}` };
  return (await ask(there, 'POST', 'taxonomy', secret, body)).status;
};

/** Carries out one change of each kind here, and expects that the other server knows of them in time. */
async function expectSeen(round: string): Promise<void> {
  const leaving = await known(`leaving-${round}`);
  const closed = await known(`closed-${round}`);
  const renewed = await known(`renewed-${round}`);
  const promoted = await known(`promoted-${round}`);
  const bystander = await known(`bystander-${round}`);
  expect(await makeTaxon(promoted.secrets[0])).toBe(403);
  const change = { current_password: PASSWORD, password: `${PASSWORD}, changed` };
  const answers = [
    await ask(here, 'POST', 'logout', leaving.secrets[0], {}),
    await ask(here, 'PUT', `user/${closed.id}`, administrator, { blocked: true }),
    await ask(here, 'POST', 'password', renewed.secrets[0], change),
    await ask(here, 'PUT', `user/${promoted.id}`, administrator, { role: 'moderator' }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  // Whoever goes on asking gains no time by it.
  const end = Date.now() + SEEN_WITHIN;
  const people = [leaving, closed, renewed, promoted, bystander];
  const all = people.flatMap(({ secrets }) => secrets);
  while (Date.now() < end) {
    await worth(there, ...all);
    await sleep(50);
  }
  expect(await worth(there, ...leaving.secrets)).toEqual([401, 200]);
  expect(await worth(there, ...closed.secrets)).toEqual([401, 401]);
  expect(await worth(there, ...renewed.secrets)).toEqual([200, 401]);
  expect(await worth(there, ...bystander.secrets)).toEqual([200, 200]);
  expect(await makeTaxon(promoted.secrets[0])).toBe(200);
}

const LISTENING = `from pg_stat_activity
  where datname = current_database() and query ilike 'listen oms_accounts%'`;
const listening = async (): Promise<number> =>
  (await client.query(`select pid ${LISTENING}`)).rows.length;

describe('two servers on one database', () => {
  test('see within two seconds what has changed at the other', async () => {
    expect(await listening()).toBe(2);
    await expectSeen('told');
  });

  test('see it without a notification, too', async () => {
    const cut = async (): Promise<number> =>
      (await client.query(`select pg_terminate_backend(pid) ${LISTENING}`)).rows.length;
    expect(await cut()).toBe(2);
    let isOver = false;
    const cutting = (async () => {
      while (!isOver) {
        await cut();
        await sleep(20);
      }
    })();
    await expectSeen('untold');
    isOver = true;
    await cutting;
    await until('both listen again', async () => (await listening()) === 2);
    expect(services.map(({ child }) => child.exitCode)).toEqual([null, null]);
  });
});
