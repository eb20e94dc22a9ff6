// @databases postgres
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execute, query } from '../helpers/beside';
import { emptyDatabase, type FreshDatabase } from '../helpers/database';
import { send } from '../helpers/http';
import { at, parsed, type Json } from '../helpers/json';
import { runScript, startProcess, type ServiceProcess } from '../helpers/process';
import { DEMO, EXAMPLE, startImport } from '../import/example';

const ADMINISTRATOR = { email: 'ana@example.org', password: 'a long one, please' };

/** The SQLite database that is copied, in the form of the helpers. */
let source: FreshDatabase;
let target: FreshDatabase;

const administrator = {
  OMS_ADMIN_EMAIL: ADMINISTRATOR.email,
  OMS_ADMIN_PASSWORD: ADMINISTRATOR.password,
};

beforeAll(async () => {
  target = await emptyDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'oms copied '));
  source = {
    dataDir,
    source: '',
    env: { OMS_DATA_DIR: dataDir, ...administrator },
    drop: () => rm(dataDir, { recursive: true }),
  };
  for (const folder of [EXAMPLE, join(DEMO, 'serengeti-photos'), join(DEMO, 'dwca-oystercatchers')])
    expect([0, 3]).toContain(await startImport([folder], source.env).ended);
  // As after a start: the database and the storage have the name of the installation.
  expect(await (await runScript('adopt-storage', source.env)).ended).toBe(0);
});
afterAll(async () => {
  await source.drop();
  await target.drop();
});

const to = (): string => target.env['DATABASE_URL'] ?? '';

async function copy(...args: string[]) {
  const run = await runScript('copy', source.env, args);
  const code = await run.ended;
  return { code, output: run.output(), errors: run.errors() };
}

const tables = (): Promise<Json[]> =>
  query(target, `select tablename from pg_tables where schemaname = 'public'`);

test('a value that is none of its column is told, and the new database stays empty', async () => {
  const before = await query(source, 'select id, version from encounters order by id limit 1');
  const id = String(before[0]?.['id']);
  await execute(source, `update encounters set version = 'one' where id = ${id}`);
  const { code, errors } = await copy('--to', to());
  expect(code).toBe(1);
  expect(errors).toMatch(
    `encounters.version of the row id ${id} cannot be copied: it is not a whole number.`,
  );
  expect(await tables()).toEqual([]);
  await execute(
    source,
    `update encounters set version = ${String(before[0]?.['version'])} where id = ${id}`,
  );
});

test('a reference to what is not there is told, and the new database stays empty', async () => {
  await execute(
    source,
    `pragma foreign_keys = off; insert into encounters_assets_lnk (encounter_id, asset_id) values (1, 999999)`,
  );
  const { code, errors } = await copy('--to', to());
  expect([code, errors]).toEqual([
    1,
    expect.stringMatching(/^encounters_assets_lnk has rows that refer/),
  ]);
  expect(await tables()).toEqual([]);
  await execute(source, `delete from encounters_assets_lnk where asset_id = 999999`);
});

test('after a copy that was killed, no service starts, and the next one begins anew', async () => {
  await execute(
    target,
    'create table oms_copy (started_at timestamptz); create table half (id integer)',
  );
  const started = await runScript('start', {
    ...source.env,
    ...target.env,
    OMS_DATA_DIR: source.dataDir,
  });
  expect([await started.ended, started.errors()]).toEqual([
    1,
    expect.stringMatching('A copy into this database'),
  ]);
  const { code, output, errors } = await copy('--to', to());
  expect([code, errors]).toEqual([0, '']);
  expect(output).toMatch(/^encounters: \d{4} rows, [0-9a-f]{64}$/m);
  expect((await tables()).map(({ tablename }) => tablename)).not.toContain('half');
});

test('a database that is not empty is left as it is', async () => {
  const { code, errors } = await copy('--to', to());
  expect([code, errors]).toEqual([1, expect.stringMatching('is not empty')]);
  expect((await tables()).length).toBeGreaterThan(50);
});

describe('the service on both', () => {
  const services: ServiceProcess[] = [];
  const cookies: string[] = [];

  beforeAll(async () => {
    const both = [source.env, { ...source.env, ...target.env, OMS_DATA_DIR: source.dataDir }];
    for (const env of both) services.push(await startProcess(env));
    for (const { url } of services) {
      const { text } = await send(url, {
        method: 'POST',
        url: '/api/v0/login',
        body: { username: ADMINISTRATOR.email, password: ADMINISTRATOR.password },
      });
      cookies.push(String(at(parsed(text), 'response', 'cookie')));
    }
  });
  afterAll(async () => {
    for (const { child, ended } of services) {
      child.kill('SIGKILL');
      await ended;
    }
  });

  /** What both answer, without what each answer has of its own. */
  async function answers(url: string, as: 'anybody' | 'administrator'): Promise<unknown[]> {
    const found: unknown[] = [];
    for (const [place, service] of services.entries()) {
      const headers: Readonly<Record<string, string>> =
        as === 'anybody' ? {} : { Authorization: `Bearer ${cookies[place] ?? ''}` };
      const { status, text } = await send(service.url, { method: 'GET', url, headers });
      const body = { ...(parsed(text) as Json), transactionId: null };
      found.push({ url, status, body });
    }
    return found;
  }

  test.each(['anybody', 'administrator'] as const)('answers %s the same', async (as) => {
    const lists = [
      ...['encounter', 'individual', 'taxonomy', 'asset', 'org'].map(
        (type) => `/api/v0/search/${type}?limit=20&count=exact`,
      ),
      '/api/v0/search/encounter?q=haematopus&limit=20',
      '/api/v0/search/encounter?sort=-time&limit=20',
      '/api/v0/suggest/taxonomy?q=haem',
      '/api/v0/site_settings',
    ];
    const ids: string[] = [];
    for (const url of lists) {
      const [one, other] = await answers(url, as);
      expect(withoutCursors(other)).toEqual(withoutCursors(one));
      for (const [, id = ''] of JSON.stringify(one).matchAll(/"([0-9a-f]{8}-[0-9a-f-]{27})"/g))
        ids.push(id);
    }
    expect(ids.length).toBeGreaterThan(20);
    const paths = [...new Set(ids)]
      .slice(0, 60)
      .flatMap((id) =>
        ['encounter', 'individual', 'taxonomy', 'asset'].flatMap((type) => [
          `/api/v0/${type}/${id}`,
          `/api/v0/${type}/${id}/history`,
        ]),
      );
    let read = 0;
    for (const path of paths) {
      const [one, other] = await answers(path, as);
      expect(withoutCursors(other)).toEqual(withoutCursors(one));
      if ((one as { status: number }).status === 200) read += 1;
    }
    expect(read).toBeGreaterThan(20);
  });

  test('new rows have IDs of their own', async () => {
    const { status } = await send(services[1]?.url ?? '', {
      method: 'POST',
      url: '/api/v0/encounter',
      headers: { Authorization: `Bearer ${cookies[1] ?? ''}` },
      body: { remarks: 'after the copy' },
    });
    expect(status).toBe(200);
  });

  test('a source that a service uses is not copied', async () => {
    const { code, errors } = await copy('--to', to());
    expect([code, errors]).toEqual([1, expect.stringMatching('is in use by another process')]);
  });
});

/** Cursors are encrypted with a nonce. */
const withoutCursors = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer).replace(/"next":"[^"]*"/g, '"next":"a cursor"'));
