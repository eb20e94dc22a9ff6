// @databases sqlite postgres
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { sqliteDriver } from '#app/plugins/objects/server/database/sqlite-driver';
import { freshDatabase, testDatabase, type FreshDatabase } from '../helpers/database';
import { blankEnvironment } from '../helpers/environment';
import { send, type Answer, type Request } from '../helpers/http';
import { uuid } from '../helpers/ids';
import { at, parsed } from '../helpers/json';
import { startProxy, type DatabaseProxy } from '../helpers/proxy';
import { play } from '../helpers/scenario';
import { freePort } from '../helpers/service';
import { until } from '../helpers/until';
import { createSender, useWorld, type Sender } from '../helpers/world';
import { FILL } from './search/apart';

const SEEN = uuid(1);
const one = `/api/v0/encounter/${SEEN}`;

/** Every kind of call that needs the database. */
const CALLS: readonly Request[] = [
  { method: 'GET', url: one },
  { method: 'HEAD', url: one },
  { method: 'GET', url: one, headers: { 'If-None-Match': '*' } },
  { method: 'GET', url: `${one}?include=taxonomy` },
  { method: 'GET', url: `/api/v0/taxonomy/${SEEN}` },
  { method: 'POST', url: '/api/v0/encounter', body: { locality: 'lost' } },
  { method: 'PUT', url: one, body: { locality: 'lost' } },
  { method: 'DELETE', url: one },
  // Who has a session is not told that it has none.
  { method: 'GET', url: '/api/v0/session', headers: { Authorization: `Bearer ${'x'.repeat(43)}` } },
];

/** Boots the built app and lets anybody write; it has no listener for rejections, so that one ends the process. */
const SERVE = `require(process.argv[1]).boot({ anonymousActsAs: 'administrator' })
  .then(({ url }) => console.log('ready ' + url + ' '));`;

function onPostgres(): void {
  let database: FreshDatabase;
  let proxy: DatabaseProxy;
  let child: ChildProcess;
  let output = '';
  let url = '';
  let sender: Sender;

  beforeAll(async () => {
    database = await freshDatabase();
    const { target, address } = behindProxy(String(database.env['DATABASE_URL']));
    proxy = await startProxy(target);
    child = spawn(process.execPath, ['-e', SERVE, join(__dirname, '../../dist/src/boot/boot.js')], {
      cwd: join(__dirname, '../..'),
      env: {
        PATH: process.env['PATH'],
        ...blankEnvironment,
        ...database.env,
        DATABASE_URL: address(proxy.port),
        LOG_LEVEL: 'error',
        PORT: String(await freePort()),
      },
    });
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    while (url === '') {
      url = /^ready (\S+) /m.exec(output)?.[1] ?? '';
      if (child.exitCode !== null) throw new Error(output);
      await sleep(50);
    }
    sender = await createSender(url);
    await sender.send({ method: 'POST', url: '/api/v0/encounter', body: { id: SEEN } });
  });

  afterAll(async () => {
    child.kill('SIGKILL');
    await proxy.away();
    await database.drop();
  });

  /** The process is the one that was started, and nothing in it went unnoticed. */
  function expectAlive(): void {
    expect({ code: child.exitCode, signal: child.signalCode }).toEqual({
      code: null,
      signal: null,
    });
    expect(output).not.toMatch(/unhandled|uncaught/i);
  }

  function expectUnavailable({ status, headers, text }: Answer): void {
    expect(status).toBe(503);
    expect(headers['retry-after']).toMatch(/^\d+$/);
    if (text === '') return;
    expect(at(parsed(text), 'message')).toEqual({ key: 'API_RESPONSE_UNAVAILABLE', args: {} });
    expect(text).not.toMatch(/ECONN|pg|127\.0\.0\.1/);
  }

  async function servesAgain(): Promise<void> {
    const started = Date.now();
    for (;;) {
      const { status } = await sender.send({ method: 'PUT', url: one, body: { remarks: 'again' } });
      if (status === 200) break;
      expect(status).toBe(503);
      if (Date.now() - started > 5000) throw new Error('it does not serve again');
      await sleep(100);
    }
    expect((await sender.send({ method: 'GET', url: one })).status).toBe(200);
    expect((await send(url, { method: 'GET', url: '/_health/ready' })).status).toBe(200);
    expectAlive();
  }

  test.each(CALLS)('$method $url is 503 while it is away', async (request) => {
    await proxy.away();
    expectUnavailable(await sender.send(request));
    await proxy.back();
    await servesAgain();
  });

  test('a login and a sign-in to the panel are 503 while it stands still', async () => {
    proxy.still();
    const body = { email: 'a@example.org', password: 'x' };
    const [login, panel] = await Promise.all([
      sender.send({ method: 'POST', url: '/api/v0/login', body: { username: 'a', password: 'x' } }),
      send(url, { method: 'POST', url: '/admin/login', body }),
    ]);
    expectUnavailable(login);
    expect([panel.status, panel.headers['retry-after']]).toEqual([503, '2']);
    await proxy.back();
    await servesAgain();
  });

  test('reads and searches are 503 while it stands still, long before their time is up', async () => {
    const search = { method: 'GET', url: '/api/v0/search/encounter' };
    expect((await sender.send(search)).status).toBe(200);
    proxy.freeze();
    const reads = [{ method: 'GET', url: one }, { method: 'HEAD', url: one }, search];
    const answers = await Promise.race([
      Promise.all(reads.map((read) => sender.send(read))),
      sleep(12_000, []),
    ]);
    expect(answers).toHaveLength(reads.length);
    answers.forEach(expectUnavailable);
    await proxy.back();
    await servesAgain();
  });

  test('a read that takes long is waited for', async () => {
    const other = new Client(String(database.env['DATABASE_URL']));
    await other.connect();
    await other.query('begin');
    await other.query('lock table encounters in access exclusive mode');
    const answer = sender.send({ method: 'GET', url: one });
    await sleep(6000);
    await other.query('commit');
    await other.end();
    expect((await answer).status).toBe(200);
  });

  test('what needs no database is answered as ever', async () => {
    await proxy.away();
    const status = async (request: Request): Promise<number> => (await send(url, request)).status;
    expect(await status({ method: 'GET', url: '/_health' })).toBe(200);
    expect(await status({ method: 'GET', url: '/api/v0/openapi.json' })).toBe(200);
    expect(await status({ method: 'GET', url: '/api/v0/nothing' })).toBe(404);
    expect(await status({ method: 'POST', url: '/api/v0/encounter', raw: '{' })).toBe(415);
    const ready = await send(url, { method: 'GET', url: '/_health/ready' });
    expect([ready.status, at(parsed(ready.text), 'checks', 'database')]).toEqual([503, false]);
    await proxy.back();
    await servesAgain();
  });

  test('sixty calls at once during a cut are each answered, and what is said to be done is', async () => {
    const ids = Array.from({ length: 30 }, (_, n) => uuid(0x1000 + n));
    const writes = ids.map((id) =>
      sender.send({ method: 'POST', url: '/api/v0/encounter', body: { id } }),
    );
    const reads = ids.map(() => sender.send({ method: 'GET', url: one }));
    await sleep(5);
    await proxy.away();
    const answers = await Promise.all([...writes, ...reads]);
    for (const answer of answers) if (answer.status !== 200) expectUnavailable(answer);
    for (const answer of await Promise.all(CALLS.map((call) => sender.send(call))))
      expectUnavailable(answer);
    await proxy.back();
    await servesAgain();
    const done = ids.filter((_, position) => answers[position]?.status === 200);
    for (const id of done)
      expect((await sender.send({ method: 'GET', url: `/api/v0/encounter/${id}` })).status).toBe(
        200,
      );
  });

  test('a search under way, apart from reads, is 503 when its connection breaks', async () => {
    const search: Request = { method: 'GET', url: '/api/v0/search/encounter?q=zebra' };
    const other = new Client(String(database.env['DATABASE_URL']));
    await other.connect();
    await other.query(FILL);
    // The type has many rows now, which the first one finds out.
    expect((await sender.send(search)).status).toBe(200);
    await other.query('begin');
    await other.query('lock table oms_search_encounters in access exclusive mode');
    const answer = sender.send(search);
    await until('the search waits', async () => {
      const waiting = `select 1 from pg_locks where not granted and relation = 'oms_search_encounters'::regclass`;
      return (await other.query(waiting)).rows.length > 0;
    });
    await proxy.away();
    expectUnavailable(await answer);
    await other.end();
    await proxy.back();
    await servesAgain();
  });

  test('each line of its log is JSON, and those of the cut are a second apart', async () => {
    await proxy.away();
    expectUnavailable(await sender.send({ method: 'GET', url: one }));
    await proxy.back();
    await servesAgain();
    const [, ...since] = output.slice(output.indexOf('ready ')).split('\n');
    const lines = since.filter((line) => line !== '');
    expect(lines.filter((line) => parsed(line) === undefined)).toEqual([]);
    const times = lines
      .map((line) => parsed(line))
      .filter((line) => at(line, 'event') === 'database_away')
      .map((line) => Date.parse(String(at(line, 'time'))));
    expect(times.length).toBeGreaterThan(0);
    // A line has the time at which it is written, just after it was let through.
    for (const [n, time] of times.slice(1).entries())
      expect(time - (times[n] ?? 0)).toBeGreaterThan(900);
  });

  test('connections that broke while idle are replaced', async () => {
    for (let round = 0; round < 3; round += 1) {
      await proxy.away();
      await sleep(200);
      await proxy.back();
      await servesAgain();
    }
  });
}

/** Where the proxy has to lead, and how the service is told to come through it. */
function behindProxy(url: string) {
  const given = new URL(url.replace(/^(postgres(?:ql)?:)\/\/\//, '$1//localhost/'));
  const host = given.searchParams.get('host') ?? given.hostname;
  const port = Number(given.port || given.searchParams.get('port') || 5432);
  const user = given.username || (given.searchParams.get('user') ?? '');
  const login = given.password === '' ? user : `${user}:${given.password}`;
  return {
    target: host.startsWith('/') ? { path: join(host, `.s.PGSQL.${port}`) } : { port, host },
    address: (through: number): string =>
      `postgres://${login}@127.0.0.1:${through}${given.pathname}`,
  };
}

/** The nearest that there is to a file that goes away: another process that does not let go of it. */
function onSqlite(): void {
  const world = useWorld();

  beforeAll(() => world().create('encounter', { id: SEEN, locality: 'here' }));

  test('a write is 503 while another process writes, and a read is answered', async () => {
    const file = join(world().service.dataDir, 'db.sqlite');
    const Driver = sqliteDriver();
    const other = new Driver(file);
    other.exec('begin immediate');
    await play(world(), {
      name: 'write',
      method: 'PUT',
      url: one,
      body: { locality: 'lost' },
      expect: { status: 503, key: 'UNAVAILABLE', args: {}, headers: { 'retry-after': /^\d+$/ } },
      never: ['SQLITE', 'locked'],
    });
    await play(world(), {
      name: 'read',
      method: 'GET',
      url: one,
      expect: { status: 200, response: { locality: 'here' } },
    });
    other.exec('rollback');
    other.close();
    await world().update('encounter', SEEN, { locality: 'there' });
  });

  const read = (): Promise<Answer> => world().send({ method: 'GET', url: one });

  /** A statement of Strapi's own, on the connection of all writes. */
  const touch = async (): Promise<void> => {
    const { db } = world().service.strapi;
    await db.connection('oms_sessions').where({ id: SEEN }).update({ last_used_at: 1 });
  };
  const touchInTransaction = async (): Promise<void> => {
    const { db } = world().service.strapi;
    const touched = db.connection('oms_sessions').where({ id: SEEN }).update({ last_used_at: 1 });
    await db.transaction(({ trx }) => touched.transacting(trx as never));
  };
  const update = async (): Promise<void> => {
    const body = { remarks: 'written after the other' };
    const { status, text } = await world().send({ method: 'PUT', url: one, body });
    if (status !== 200) throw new Error(text);
  };

  test.each([
    ['a change', update],
    ['a statement of Strapi', touch],
    ['one in a transaction', touchInTransaction],
  ])(
    'reads are answered while %s waits for another process, which it outlasts',
    async (_, write) => {
      const other = new (sqliteDriver())(join(world().service.dataDir, 'db.sqlite'));
      const { connection } = world().service.strapi.db as unknown as {
        connection: { client: { acquireConnection(): Promise<unknown> } };
      };
      const acquired = jest.spyOn(connection.client, 'acquireConnection');
      const order: string[] = [];
      try {
        other.exec('begin immediate');
        const written = write().then(() => order.push('written'));
        await until('it has its connection', () => acquired.mock.calls.length > 0);
        for (let turns = 0; turns < 3; turns += 1) {
          expect((await read()).status).toBe(200);
          order.push('read');
        }
        other.exec('rollback');
        await written;
      } finally {
        acquired.mockRestore();
        other.close();
      }
      expect(order).toEqual(['read', 'read', 'read', 'written']);
    },
  );
}

describe('a database that is away', () => {
  if (testDatabase === 'postgres') onPostgres();
  else onSqlite();
});
