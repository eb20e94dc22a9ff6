// @databases postgres
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { appRoot } from '#app/boot/app-root';
import { startCollector, type Collector } from '../helpers/collector';
import { emptyDatabase, type FreshDatabase } from '../helpers/database';
import { asObject, at, parsed, type Json } from '../helpers/json';
import { send } from '../helpers/http';
import { ask, login, responseOf, worth } from '../helpers/people';
import { story, type Step } from '../helpers/story';
import { until } from '../helpers/until';
import { runScript, startProcess, type ServiceProcess } from '../helpers/process';
import { createSender, type Sender } from '../helpers/world';

/** Milliseconds within which another server sees a change (contract, section 9). */
const SEEN_WITHIN = 2000;
const PASSWORD = 'a good one of mine';

let database: FreshDatabase;
let collector: Collector;
let client: Client;
let services: ServiceProcess[] = [];
const names = ['here', 'there'];
let here: Sender;
let there: Sender;
let administrator: string;

beforeAll(async () => {
  database = await emptyDatabase();
  collector = await startCollector();
  const of: Record<string, object> = { here: { ...collector.env, TRUSTED_PROXIES: '127.0.0.1' } };
  // At once, on an empty database: one waits until the other has made the tables.
  services = await Promise.all(
    names.map((PGAPPNAME) => startProcess({ ...database.env, ...of[PGAPPNAME], PGAPPNAME })),
  );
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
  await collector.close();
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

const settings: Step = [
  'a change of the site settings counts on the other server within two seconds',
  async () => {
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
  },
];

/** Of the trace of a proxy, in which the request is one span. */
const [TRACE, SPAN] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];

const traces: Step = [
  'a request goes on with the trace of a trusted proxy, down to its statements',
  async () => {
    const body = { scientific_name: 'Traced' };
    const headers = {
      Authorization: `Bearer ${administrator}`,
      traceparent: `00-${TRACE}-${SPAN}-01`,
    };
    const made = await here.send({ method: 'POST', url: '/api/v0/taxonomy', body, headers });
    expect(made.status).toBe(200);
    const spans = () => collector.spans().filter(({ traceId }) => traceId === TRACE);
    await until('it is told', () => spans().some(({ parentSpanId }) => parentSpanId === SPAN));
    const first = spans().find(({ parentSpanId }) => parentSpanId === SPAN);
    expect(first).toMatchObject({ name: 'POST /api/v0/taxonomy', kind: 2, status: 0 });
    const below = (id?: string) => spans().filter(({ parentSpanId }) => parentSpanId === id);
    const transaction = below(first?.spanId).find(({ name }) => name === 'transaction');
    expect(transaction?.attributes).toEqual({ 'db.system.name': 'postgresql' });
    const texts = below(transaction?.spanId).map(({ attributes }) => attributes['db.query.text']);
    expect(texts).toContainEqual(expect.stringMatching(/insert into taxonomies/));
    expect(collector.text()).not.toContain('Traced');
  },
];

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

const seen: Step = [
  'see within two seconds what has changed at the other',
  async () => {
    expect(await listening()).toBe(2);
    await expectSeen('told');
  },
];

const unnotified: Step = [
  'see it without a notification, too',
  async () => {
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
  },
];

/** Encounters, of which a part has at most some hundreds. */
const COUNT = 6000;

const levels = async (): Promise<Json[]> => {
  const counted = 'select level, count(*)::int from oms_generalized group by level';
  return (await client.query<Json>(counted)).rows;
};
/** The job for encounters without a taxon, of which there are none, waits for transactions of other servers. */
const areDone = async (): Promise<boolean> =>
  (await client.query(`select kind from oms_privacy_jobs where kind <> 'untaxed'`)).rows.length ===
  0;
const make = async (body: Json): Promise<string> =>
  String(responseOf(await ask(there, 'POST', 'taxonomy', administrator, body))['id']);

/** Notes who has done which part, when it is committed. @param seconds that each part takes longer */
const noteParts = (seconds: number) =>
  client.query(`create or replace function note_part() returns trigger language plpgsql as $$ begin
      perform pg_sleep(${seconds});
      insert into parts_done (server, position) values (current_setting('application_name'), new.position);
      return null;
    end $$`);
const parts = async () =>
  (await client.query<{ server: string; position: number | null }>('select * from parts_done'))
    .rows;
/** Files to be removed: enough for the server that does it to be in the middle of it until it is killed. */
const FILES = 400;

/** Notes who removes which files. @param seconds that each takes longer */
const noteFiles = (seconds: number) =>
  client.query(`create or replace function note_file() returns trigger language plpgsql as $$ begin
      perform pg_sleep(${seconds});
      insert into files_removed values (current_setting('application_name'), old.files);
      return old;
    end $$`);
/** Has files wait to be removed, slowly. */
async function leaveFiles(): Promise<void> {
  await client.query('create table files_removed (server text, files text)');
  await noteFiles(0.1);
  await client.query(`create trigger note_file before delete on oms_asset_files
    for each row execute function note_file()`);
  await client.query(`insert into oms_asset_files (files, due_at)
    select 'gone' || n, 0 from generate_series(1, ${FILES}) n`);
  await client.query(`update oms_jobs set next_at = 0 where name = 'files'`);
}
const removed = async () =>
  (await client.query<{ server: string; files: string }>('select * from files_removed')).rows;
/** The server whose lease of the job holds, by its place; -1 for none. */
async function holderOf(job: string): Promise<number> {
  const held = `select holder from oms_jobs
    where name = $1 and held_until > extract(epoch from clock_timestamp()) * 1000`;
  const { rows } = await client.query<{ holder: string }>(held, [job]);
  const [, pid] = rows[0]?.holder.split(':') ?? [];
  return services.findIndex(({ child }) => String(child.pid) === pid);
}

const lease: Step = [
  'a job with a lease is done by one server',
  async () => {
    await leaveFiles();
    await until('a server does it', async () => (await removed()).length > 0);
    // What follows kills the first one.
    if ((await holderOf('files')) === 1) {
      services.reverse();
      names.reverse();
      [here, there] = [there, here];
    }
    expect(await holderOf('files')).toBe(0);
  },
];

const takenOver: Step = [
  'its lease is taken over by the other one, which does what is left',
  async () => {
    const before = (await removed()).length;
    expect(before).toBeLessThan(FILES);
    await until('the other one does it', async () => (await holderOf('files')) === 1);
    await noteFiles(0);
    await until('all are removed', async () => (await removed()).length === FILES);
    const all = await removed();
    expect(new Set(all.map(({ files }) => files)).size).toBe(FILES);
    // One after the other, not side by side.
    expect([...new Set(all.map(({ server }) => server))]).toEqual(names);
    const changes = all.filter(({ server }, at) => at > 0 && server !== all[at - 1]?.server);
    expect(changes).toHaveLength(1);
    const job = `select ended_at, failures from oms_jobs where name = 'files' and holder is null`;
    await until('it has ended', async () => (await client.query(job)).rows.length > 0);
    expect((await client.query(job)).rows).toMatchObject([{ failures: 0 }]);
  },
];

/** Whether a server is in the middle of a part. */
const isWorking = async (server: string): Promise<boolean> =>
  (
    await client.query(
      `select pid from pg_stat_activity where application_name = $1 and wait_event = 'PgSleep' and query ilike '%oms_privacy_jobs%'`,
      [server],
    )
  ).rows.length > 0;

const privacy: Step = [
  'a change of the privacy of a taxon is worked off by both servers, each part once, and by the other one when one dies',
  async () => {
    const order = await make({ scientific_name: 'Proboscidea' });
    const species = await make({ scientific_name: 'Loxodonta africana', parent: order });
    await client.query(
      `insert into encounters (document_id, version, state, taxonomy_id, latitude, longitude, time, time_start, time_end)
        select gen_random_uuid(), 1, 'approved', t.id, n % 90, n % 180, '2021', 1609459200000, 1640995199999
        from taxonomies t, generate_series(1, ${COUNT}) n where t.document_id = '${species}'`,
    );
    await client.query('create table parts_done (server text, position int)');
    await noteParts(0.6);
    await client.query(`create trigger note_part after update or delete on oms_privacy_jobs
      for each row when (old.kind <> 'untaxed') execute function note_part()`);
    const body = { location_privacy: 'obscured' };
    expect((await ask(here, 'PUT', `taxonomy/${order}`, administrator, body)).status).toBe(200);
    await until(
      'both work',
      async () => new Set((await parts()).map(({ server }) => server)).size === 2,
    );
    await until('one is in the middle of a part', () => isWorking(names[0] ?? ''));
    services[0]?.child.kill('SIGKILL');
    const done = (await parts()).length;
    await noteParts(0);
    await until('the other one has done the rest', areDone);
    const all = await parts();
    expect(done).toBeLessThan(all.length);
    expect(all.at(-1)?.server).toBe(names[1]);
    const positions = all.map(({ position }) => position);
    expect(positions.length).toBeGreaterThan(2);
    expect([...new Set(positions)]).toEqual(positions);
    expect(await levels()).toEqual([{ level: 1, count: COUNT }]);
  },
];

const ofTheSite: Step = [
  'a change of the privacy of the site ends too, with what a rebuild gives',
  async () => {
    const body = { default_location_privacy: 'private' };
    expect((await ask(there, 'PUT', 'site_settings', administrator, body)).status).toBe(200);
    await until('all is done', areDone);
    expect(await levels()).toEqual([{ level: 2, count: COUNT }]);
    const rebuild = await runScript('rebuild', database.env);
    expect(await rebuild.ended).toBe(0);
    expect(new Set(rebuild.output().match(/\d+ rows/g))).toEqual(new Set(['0 rows']));
  },
];

const outdated: Step = [
  'a server is not ready within two seconds after a later release has migrated the database',
  async () => {
    const ready = async (): Promise<{ status: number; checks: Json }> => {
      const answer = await send(services[1]?.url ?? '', { method: 'GET', url: '/_health/ready' });
      return { status: answer.status, checks: asObject(at(parsed(answer.text), 'checks')) };
    };
    expect(await ready()).toMatchObject({ status: 200, checks: { release: true } });
    await client.query(
      `insert into strapi_migrations (name, time) values ('9999-later.js', now())`,
    );
    const from = Date.now();
    await until('the older server is not ready', async () => (await ready()).status === 503);
    expect(Date.now() - from).toBeLessThan(SEEN_WITHIN);
    expect((await ready()).checks).toMatchObject({ database: true, release: false });
    expect(await makeTaxon(administrator)).toBe(503);
    const told = 'a later release has migrated the database (9999-later)';
    await until('it says so once', () => services[1]?.output().split(told).length === 2);
  },
];

// In this order: one of the servers dies, and the other one is outdated.
story(
  'two servers on one database',
  [settings, traces, seen, unnotified, lease, privacy, takenOver, ofTheSite, outdated],
  360_000,
);

/** Three statements at once in one transaction, as Strapi asks them; what is deprecated ends the process. */
const AT_ONCE = `const { databaseConnection } = require('./dist/src/boot/database.js');
  const knex = require('knex')(databaseConnection({
    database: { client: 'postgres', url: process.env.DATABASE_URL },
    pools: { writer: 10, reader: 10 },
  }));
  const sum = (trx, ...values) => Promise.all(values.map((n) => trx.raw('select ?::int as n', [n])));
  knex.transaction((trx) => sum(trx, 1, 2, 3))
    .then((found) => console.log(found.map(({ rows }) => rows[0].n).join()))
    .finally(() => knex.destroy());`;

test('a connection takes several statements at once', async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--throw-deprecation', '-e', AT_ONCE],
    { cwd: appRoot, env: { ...process.env, DATABASE_URL: database.env['DATABASE_URL'] } },
  );
  expect(stdout.trim()).toBe('1,2,3');
});
