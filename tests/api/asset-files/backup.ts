import { createHash, randomInt } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ArchiveReader } from '#app/boot/backup/archive-reader';
import { ArchiveWriter } from '#app/boot/backup/archive-writer';
import { DATABASES, MANIFEST, SECRETS, SUMS } from '#app/boot/backup/manifest';
import { openBackup, verify } from '#app/boot/backup/restore';
import { readErased } from '#app/boot/backup/erased';
import { backupJob } from '#app/boot/backup/schedule';
import { assetsOf } from '#app/plugins/assets/server';
import { databaseOf } from '#app/plugins/objects/server';
import { Jobs } from '#app/plugins/objects/server/jobs/jobs';
import { createJobTable } from '#app/plugins/objects/server/jobs/table';
import { execute, query } from '../../helpers/beside';
import { authorizationOf } from '../../helpers/callers';
import { emptyDatabase, testDatabase, type FreshDatabase } from '../../helpers/database';
import { environmentOf } from '../../helpers/environment';
import type { Json } from '../../helpers/json';
import { login, makePerson } from '../../helpers/people';
import { runScript } from '../../helpers/process';
import { story, type Step } from '../../helpers/story';
import { until } from '../../helpers/until';
import type { World } from '../../helpers/world';

/** The files of photographs. */
interface Stored {
  readonly names: () => string[];
  readonly pathOf: (name: string) => string;
  readonly isLocal: boolean;
}

const ENDED = ['oms_sessions', 'oms_tokens', 'oms_mails', 'oms_first_administrator', 'oms_pauses'];
/** Milliseconds between two reports. */
const PAUSE = 40;

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Backup beside a running service, and restore, on its database and storage. */
export function testBackup(world: () => World, stored: Stored): void {
  const folder = mkdtempSync(join(tmpdir(), 'oms backups '));
  const lists: FreshDatabase[] = [];
  let archive = '';
  let erased = '';
  let atBackup: ReadonlyMap<string, Json[]>;

  const steps: Step[] = [];
  const step = (...one: Step): void => void steps.push(one);

  afterAll(async () => {
    for (const database of lists) await database.drop();
    rmSync(folder, { recursive: true });
  });

  const here = (): FreshDatabase => ({
    dataDir: world().service.dataDir,
    source: '',
    env: environmentOf(world().service.dataDir),
    drop: () => Promise.resolve(),
  });
  const empty = async (): Promise<FreshDatabase> => {
    const database = await emptyDatabase();
    lists.push(database);
    return database;
  };
  const run = async (script: string, env: FreshDatabase['env'], args: readonly string[]) => {
    const process = await runScript(script, env, args);
    return { code: await process.ended, out: process.output(), errors: process.errors() };
  };
  const TABLES = [
    'assets',
    'encounters',
    'taxonomies',
    'up_users',
    'oms_history',
    'oms_search_encounters',
  ];
  const rowsOf = async (database: FreshDatabase): Promise<Map<string, Json[]>> => {
    const found = new Map<string, Json[]>();
    for (const table of TABLES)
      found.set(table, await query(database, `select * from ${table} order by 1`));
    return found;
  };
  const idsOf = (rows: readonly Json[] = []): string[] =>
    rows.map((row) => String(row['document_id']));

  /** Reports encounters, one after the other, until it is told to end. @returns those that were acknowledged */
  function write(): { readonly made: string[]; readonly end: () => Promise<void> } {
    const made: string[] = [];
    let isOver = false;
    const writing = (async () => {
      while (!isOver) {
        made.push(await world().create('encounter', { remarks: `number ${made.length}` }));
        await sleep(PAUSE);
      }
    })();
    return { made, end: () => ((isOver = true), writing) };
  }

  step('a backup is made beside a service that is written to, for its user alone', async () => {
    await world().create('asset');
    const person = await makePerson(world().service);
    erased = person.id;
    const knex = world().service.strapi.db.connection;
    await login(world(), person);
    const far = Date.now() + 3_600_000;
    await knex('oms_mails').insert({
      ...{ id: person.id, kind: 'reset', account: person.id, created_at: far, attempts: 0 },
      next_at: far,
    });
    const writer = write();
    const before = await world().create('encounter', { remarks: 'before' });
    const result = await run('backup', here().env, [folder, '--keep', '2']);
    await writer.end();
    atBackup = await rowsOf(here());
    expect(result).toMatchObject({ code: 0, errors: '' });
    const [name = ''] = readdirSync(folder).filter((one) => one.endsWith('.zip'));
    expect(name).toMatch(/^oms-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.zip$/);
    archive = join(folder, name);
    expect(result.out).toMatch(`${archive}: ${statSync(archive).size} bytes, `);
    expect(statSync(archive).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).sort()).toEqual(['erased-accounts', name]);
    expect(await query(here(), 'select * from oms_pauses')).toEqual([]);
    expect(writer.made.length).toBeGreaterThan(2);
    expect(idsOf(atBackup.get('encounters'))).toContain(before);
  });

  step('it is sound, and has the files that its database names', async () => {
    expect(await run('restore', {}, [archive, '--verify'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/ is sound: of .*Z, with \d+ files\n$/) as unknown,
    });
    const reader = await ArchiveReader.open(archive);
    reader.close();
    expect([...reader.sums.keys()].sort()).toEqual(stored.names());
    for (const [name, sum] of reader.sums)
      expect([name, sum]).toEqual([name, sha256(readFileSync(stored.pathOf(name)))]);
  });

  step('a backup that is cut or changed at random places is refused at each', async () => {
    const bytes = readFileSync(archive);
    const copy = join(folder, 'copy.zip');
    const soundness = async (): Promise<string> => {
      try {
        const reader = await openBackup(copy);
        await verify(reader).finally(() => reader.close());
        return 'sound';
      } catch (error) {
        return String(error);
      }
    };
    const tried = Array.from({ length: 50 }, () => randomInt(bytes.length));
    for (const at of tried) {
      writeFileSync(copy, bytes.subarray(0, at));
      expect([at, await soundness()]).toEqual([
        at,
        expect.stringContaining('damaged or cut short'),
      ]);
    }
    // A photograph is in it as it is: only its hash tells.
    const [name = ''] = stored.names();
    const photo = readFileSync(stored.pathOf(name));
    const place = bytes.indexOf(photo) + Math.floor(photo.length / 2);
    expect(place).toBeGreaterThan(photo.length);
    const changed = Buffer.from(bytes);
    changed[place] = (changed[place] ?? 0) ^ 1;
    writeFileSync(copy, changed);
    expect([place, await soundness()]).toEqual([
      place,
      expect.stringContaining('damaged or cut short'),
    ]);
    const target = await empty();
    const refused = await run('restore', target.env, [copy]);
    expect(refused).toMatchObject({
      code: 1,
      out: '',
      errors: expect.stringMatching(/^.*damaged or cut short.*\n$/) as unknown,
    });
    expect(readdirSync(target.dataDir).sort()).toEqual(['public']);
    rmSync(copy);
  });

  step('a backup of a later release, or one for another database, is refused', async () => {
    const reader = await openBackup(archive);
    const { manifest } = reader;
    const bytes = Buffer.from('x');
    const rewritten = async (changes: object): Promise<string> => {
      const file = join(folder, 'later.zip');
      rmSync(file, { force: true });
      const writer = new ArchiveWriter(file, new Date());
      const database = await writer.add(DATABASES.sqlite, [bytes]);
      const sums = await writer.add(SUMS, [Buffer.from('')]);
      const files = { count: 0, bytes: 0, missing: 0 };
      const parts = { database, sums, secrets: null };
      const whole = { ...manifest, database: 'sqlite', files, parts, ...changes };
      await writer.add(MANIFEST, [Buffer.from(JSON.stringify(whole))]);
      await writer.finish();
      return file;
    };
    reader.close();
    const refusal = async (changes: object, env = {}): Promise<string> => {
      const { code, errors } = await run('restore', env, [await rewritten(changes)]);
      expect(code).toBe(1);
      return errors;
    };
    const migrations = [...manifest.migrations, '9999-later.js'];
    expect(await refusal({ migrations, version: '9.9.9' })).toMatch(
      /^The backup was made with release 9\.9\.9 \(9999-later\), and this is release .*: restore it with release 9\.9\.9 or a later one\.\n$/,
    );
    expect(await refusal({ format: 2 })).toMatch(/was made by a later release/);
    const DATABASE_URL = 'postgres://nobody@127.0.0.1:1/none';
    expect(await refusal({}, { DATABASE_URL, OMS_DATA_DIR: join(folder, 'none') })).toMatch(
      /^The backup is of a SQLite database, and the environment names PostgreSQL; /,
    );
  });

  step(
    'a restore gives back what was there, ends sessions, drops mails, and erases again who was erased',
    async () => {
      const headers = authorizationOf('administrator');
      const url = `/api/v0/user/${erased}`;
      expect((await world().send({ method: 'DELETE', url, headers })).status).toBe(200);
      const target = await empty();
      // An operator who has lost the database copies the list. The service writes it after its answer.
      const list = join(here().dataDir, 'erased-accounts');
      await until('the list names the account', async () =>
        (await readErased(list)).has(sha256(Buffer.from(erased))),
      );
      writeFileSync(join(target.dataDir, 'erased-accounts'), readFileSync(list));
      const result = await run('restore', target.env, [archive]);
      expect(result).toMatchObject({ code: 0, errors: '' });
      expect(result.out).toContain(
        '\n1 accounts that were erased after the backup are erased again.\n',
      );
      expect(result.out).toMatch(/\n[1-9]\d* mails were waiting to be sent, and are not sent\.\n/);
      for (const table of ENDED) expect(await query(target, `select * from ${table}`)).toEqual([]);
      await expectRestored(target);
      const uploads = join(target.dataDir, 'public', 'uploads');
      for (const name of stored.names())
        expect(sha256(readFileSync(join(uploads, name)))).toBe(
          sha256(readFileSync(stored.pathOf(name))),
        );
      const [secret, own] = [target, here()].map(({ dataDir }) =>
        readFileSync(join(dataDir, SECRETS)),
      );
      expect(secret).toEqual(own);
      expect(readdirSync(target.dataDir).filter((one) => /partial|due/.test(one))).toEqual([]);
      // What is there is never replaced.
      const again = await run('restore', target.env, [archive]);
      expect(again).toMatchObject({
        code: 1,
        errors: expect.stringMatching(/^\S.* is there: .*\n$/) as unknown,
      });
      expect(await rowsOf(target)).toEqual(await rowsOf(target));
    },
  );

  async function expectRestored(target: FreshDatabase): Promise<void> {
    const restored = await rowsOf(target);
    const people = restored.get('up_users') ?? [];
    expect(idsOf(people)).not.toContain(erased);
    expect(people).toEqual(
      atBackup.get('up_users')?.filter((row) => row['document_id'] !== erased),
    );
    for (const table of ['assets', 'taxonomies'])
      expect([table, restored.get(table)]).toEqual([table, atBackup.get(table)]);
    // Reports went on while it was made: it has those until one moment, each as a whole.
    const reports = restored.get('encounters') ?? [];
    const all = atBackup.get('encounters') ?? [];
    const last = idsOf(reports);
    expect(reports).toEqual(all.filter((row) => last.includes(String(row['document_id']))));
    const numbers = reports.flatMap(
      ({ remarks }) => /^number (\d+)$/.exec(String(remarks))?.[1] ?? [],
    );
    expect(numbers.map(Number).sort((one, other) => one - other)).toEqual([...numbers.keys()]);
    expect(reports.map(({ remarks }) => remarks)).toContain('before');
    const created = (restored.get('oms_history') ?? []).filter(
      ({ type, action }) => type === 'encounter' && action === 'create',
    );
    expect(new Set(created.map(({ object }) => object))).toEqual(new Set(last));
    const found = new Set(idsOf(restored.get('oms_search_encounters')));
    expect(found).toEqual(new Set(last));
  }

  step('a backup that is stopped leaves nothing of it', async () => {
    const process = await runScript('backup', here().env, [join(folder, 'stopped.zip')]);
    const names = (): string[] => readdirSync(folder).filter((one) => one.startsWith('stopped'));
    await until('it has begun', () => names().length > 0);
    process.child.kill('SIGTERM');
    expect(await process.ended).toBe(1);
    expect(process.errors()).toBe('Stopped; nothing is left of it.\n');
    expect(names()).toEqual([]);
  });

  step(
    'old backups are removed beyond the number that is kept, and a file is never replaced',
    async () => {
      for (const day of [1, 2, 3])
        writeFileSync(join(folder, `oms-2020-01-0${day}T00-00-00Z.zip`), '');
      const kept = await run('backup', here().env, [folder, '--keep', '2']);
      expect(kept).toMatchObject({ code: 0, errors: '' });
      const names = readdirSync(folder).filter((one) => one.startsWith('oms-'));
      expect(names).toHaveLength(2);
      expect(names).toContain(archive.slice(folder.length + 1));
      const taken = await run('backup', here().env, [archive]);
      expect(taken).toMatchObject({
        code: 1,
        errors: expect.stringContaining('is there already') as unknown,
      });
      const nowhere = await run('backup', here().env, [join(folder, 'none', 'file.zip')]);
      expect(nowhere).toMatchObject({
        code: 1,
        errors: expect.stringContaining('does not exist') as unknown,
      });
    },
  );

  // Only where files come from differs with a bucket.
  const told = stored.isLocal ? steps : steps.slice(0, 2);
  story('backup and restore beside a running service', told, 300_000);

  if (stored.isLocal)
    test('of several servers one makes the backup that is due, and a failure is told', async () => {
      const due = mkdtempSync(join(tmpdir(), 'oms due '));
      const database = databaseOf(world().service.strapi);
      const told = jest.fn();
      const log = { info: told, error: told };
      // As of servers that share it, also where only one can.
      const shared = Object.create(database, { isShared: { value: true } }) as typeof database;
      const server = (into: string): Jobs => {
        const jobs = new Jobs({ table: () => createJobTable(shared), log });
        jobs.add(backupJob({ at: 0, folder: into, keep: 2 }, { database, log, clock: Date.now }));
        return jobs;
      };
      const record = async () => (await query(here(), 'select * from oms_backups'))[0];
      const servers = [server(due), server(due)];
      const state = async () => (await servers[0]?.states())?.find(({ name }) => name === 'backup');
      await execute(here(), 'update oms_backups set made_at = 0');
      await Promise.all(servers.map((one) => one.start()));
      await until('one is made', async () => (await state())?.endedAt !== null);
      const { made_at: madeAt, bytes } = (await record()) ?? {};
      const names = readdirSync(due).filter((name) => name.endsWith('.zip'));
      expect(names).toHaveLength(1);
      expect(await state()).toMatchObject({ failures: 0, error: null, holder: null });
      expect((await state())?.nextAt).toBeGreaterThan(Date.now());
      expect(Date.now() - Number(madeAt)).toBeLessThan(600_000);
      expect(Number(bytes)).toBe(statSync(join(due, names[0] ?? '')).size);
      expect(told.mock.calls).toEqual([[expect.stringMatching(/^backup: .*\.zip: \d+ bytes, /)]]);
      // Nothing is due any more.
      for (const one of servers) one.soon('backup');
      await sleep(200);
      expect((await state())?.holder).toBeNull();
      for (const one of servers) await one.stop();

      await execute(here(), 'update oms_backups set made_at = 0');
      const failing = server(join(due, 'none'));
      await failing.start();
      await until('one has failed', async () => (await state())?.failures === 1);
      expect(told).toHaveBeenLastCalledWith(
        expect.stringMatching(
          /^job backup: has failed \(.*none" cannot be written \(ENOENT\).*again in \d s$/,
        ),
      );
      expect((await state())?.error).toMatch(/cannot be written \(ENOENT\)/);
      await failing.stop();
      await execute(here(), `delete from oms_jobs where name = 'backup'`);
      rmSync(due, { recursive: true });
    });

  test('files are not removed while a backup reads them', async () => {
    const knex = world().service.strapi.db.connection;
    const id = await world().create('asset');
    const row = (await knex('assets').where({ document_id: id }).first()) as { file_key: string };
    await knex('oms_pauses').insert({ name: 'backup-test', until: Date.now() + 60_000 });
    const headers = authorizationOf('administrator');
    const url = `/api/v0/asset/${id}`;
    expect((await world().send({ method: 'DELETE', url, headers })).status).toBe(200);
    const sweep = (): Promise<void> => assetsOf(world().service.strapi).sweep();
    await sweep();
    expect(stored.names()).toContain(row.file_key);
    await knex('oms_pauses').delete();
    await sweep();
    expect(stored.names()).not.toContain(row.file_key);
  });

  if (testDatabase === 'postgres' && stored.isLocal)
    test('PostgreSQL needs a program of its version, which is told before anything is made', async () => {
      const bin = join(folder, 'bin');
      mkdirSync(bin);
      writeFileSync(join(bin, 'pg_dump'), '#!/bin/sh\necho "pg_dump (PostgreSQL) 9.6.1"\n', {
        mode: 0o755,
      });
      const PATH = `${bin}:${process.env.PATH ?? ''}`;
      const file = join(folder, 'refused.zip');
      const old = await run('backup', { ...here().env, PATH }, [file]);
      expect(old).toMatchObject({
        code: 1,
        errors: expect.stringMatching(
          /^pg_dump is of version 9, and the server is of \d+: install .*\n$/,
        ) as unknown,
      });
      expect(readdirSync(folder)).not.toContain('refused.zip');
      expect(readdirSync(folder).filter((name) => name.includes('partial'))).toEqual([]);
    });
}
