/** Makes a backup beside a service: the database as it was at one moment, the files that it names, the secret. */
import { randomBytes } from 'node:crypto';
import { createReadStream, existsSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { StartError } from '../../core/start-error';
import { sqliteDriver } from '../../plugins/objects/server/database/sqlite-driver';
import { distRoot } from '../app-root';
import { connect } from '../database';
import type { Environment } from '../environment';
import { BACKUP_APPLICATION } from '../facts';
import { olderCode, releaseVersion, unknownMigrations } from '../release';
import { ArchiveWriter } from './archive-writer';
import { ERASED, readErased, writeErased } from './erased';
import {
  DATABASES,
  FILES,
  FORMAT,
  MANIFEST,
  SECRETS,
  SUMS,
  type Manifest,
  type BackupPart,
} from './manifest';
import { pauseSweep } from './pause';
import { bytesOf, copyBeside, expectRoom, tidy, type BackupPlace } from './place';
import { dump, expectProgram, versionOfServer } from './postgres-tools';
import { start } from './processes';
import { countRows, migrationsOf, postgresSource, sqliteSource, type BackupSource } from './source';
import { contentOf, filesOf, fileReaderOf, type StoredFile } from './stored-files';

/** What a backup was made of. */
export interface Made {
  readonly manifest: Manifest;
  /** The first files that the storage did not have. */
  readonly missing: readonly string[];
  /** The names of backups that were removed. */
  readonly removed: readonly string[];
}

/** A database at one moment. */
interface Taken {
  readonly source: BackupSource;
  /** The major version of PostgreSQL. */
  readonly server: number | null;
  /** Bytes of its dump at the most. */
  readonly bytes: number;
  /** Its dump. Ends with an error when the dump is not whole. */
  readonly content: () => AsyncIterable<Buffer>;
  readonly close: () => Promise<void>;
}

/** Names of missing files that are told. */
const MAX_TOLD = 10;

/**
 * @param keep so many backups of the folder are kept, with this one; null for all
 * @throws StartError when it is not made, of which nothing is left then
 */
export async function backUp(
  environment: Environment,
  place: BackupPlace,
  { keep, now }: { readonly keep: number | null; readonly now: Date },
): Promise<Made> {
  const { database } = environment;
  if (database.client === 'sqlite' && !existsSync(database.file))
    throw new StartError(`There is no database in ${environment.dataDir} (OMS_DATA_DIR).`);
  const pause = await pauseSweep(database);
  const archive = new ArchiveWriter(place.file, now);
  try {
    const taken = await takeDatabase(environment, place);
    try {
      const made = await fill(archive, environment, { taken, place, now });
      pause.check();
      await archive.finish();
      await keepErased(environment, place, taken.source);
      return { ...made, removed: await tidy(place, place.isFolder ? keep : null, now.getTime()) };
    } finally {
      await taken.close();
    }
  } catch (error) {
    await archive.abort();
    throw error;
  } finally {
    await pause.end();
  }
}

interface Work {
  readonly taken: Taken;
  readonly place: BackupPlace;
  readonly now: Date;
}

async function fill(
  archive: ArchiveWriter,
  environment: Environment,
  { taken, place, now }: Work,
): Promise<Pick<Made, 'manifest' | 'missing'>> {
  const { source, server } = taken;
  const migrations = await migrationsOf(source);
  const [unknown] = unknownMigrations(migrations, distRoot);
  if (unknown !== undefined) throw olderCode(null, unknown, distRoot);
  let bytes = 0;
  for await (const { size } of filesOf(source)) bytes += size;
  await expectRoom(place.folder, taken.bytes + bytes, 'the backup');
  const { client } = environment.database;
  const stored = await archive.add(DATABASES[client], taken.content(), {
    isDense: client === 'postgres',
  });
  const secret = environment.secret === null ? join(environment.dataDir, 'secrets.json') : null;
  const secrets = secret === null ? null : await archive.add(SECRETS, [await readFile(secret)]);
  const { sums, missing, ...files } = await addFiles(archive, environment, source);
  const manifest: Manifest = {
    format: FORMAT,
    version: releaseVersion(),
    created_at: now.toISOString(),
    database: client,
    server,
    migrations,
    tables: await countRows(source),
    files: { ...files, missing: missing.count },
    parts: { database: stored, secrets, sums },
  };
  await archive.add(MANIFEST, [Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)]);
  return { manifest, missing: missing.names };
}

interface Added {
  readonly count: number;
  readonly bytes: number;
  readonly sums: BackupPart;
  readonly missing: { readonly count: number; readonly names: readonly string[] };
}

async function addFiles(
  archive: ArchiveWriter,
  environment: Environment,
  source: BackupSource,
): Promise<Added> {
  const reader = await fileReaderOf(environment);
  const lines: string[] = [];
  const missing = { count: 0, names: [] as string[] };
  let bytes = 0;
  const add = async (file: StoredFile): Promise<void> => {
    const content = await contentOf(reader, file);
    if (content === null) {
      missing.count += 1;
      if (missing.names.length < MAX_TOLD) missing.names.push(file.name);
      return;
    }
    const { size, sha256 } = await archive.add(FILES + file.name, content, { isDense: true });
    if (size !== file.size) throw new StartError(`${file.name} has changed while it was read.`);
    bytes += size;
    lines.push(`${sha256}  ${FILES}${file.name}\n`);
  };
  for await (const file of filesOf(source)) await add(file);
  const sums = await archive.add(SUMS, [Buffer.from(lines.join(''))]);
  return { count: lines.length, bytes, sums, missing };
}

const takeDatabase = (environment: Environment, place: BackupPlace): Promise<Taken> =>
  environment.database.client === 'sqlite'
    ? takeSqlite(environment.database.file, place)
    : takePostgres(environment.database.url);

async function takeSqlite(file: string, place: BackupPlace): Promise<Taken> {
  const bytes = (await bytesOf(file)) + (await bytesOf(`${file}-wal`));
  await expectRoom(place.folder, 2 * bytes, 'a copy of the database and its backup');
  const copy = copyBeside(place, randomBytes(4).toString('hex'));
  const remove = (): void => {
    for (const each of [copy, `${copy}-journal`]) rmSync(each, { force: true });
    process.off('exit', remove);
  };
  try {
    const program = join(__dirname, 'sqlite-copy.js');
    const copying = start('The copy of the database', [process.execPath, program, file, copy]);
    // Behind the end of that process, which would go on writing.
    process.once('exit', remove);
    await copying.ended;
    const handle = new (sqliteDriver())(copy, { readonly: true, fileMustExist: true });
    return {
      source: sqliteSource(handle),
      server: null,
      bytes,
      content: () => createReadStream(copy) as AsyncIterable<Buffer>,
      close() {
        handle.close();
        remove();
        return Promise.resolve();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

async function takePostgres(url: string): Promise<Taken> {
  const client = await connect(url);
  try {
    const server = await versionOfServer(client);
    await expectProgram('pg_dump', server, 'the server');
    await client.query(`set application_name = '${BACKUP_APPLICATION}'`);
    await client.query('set idle_in_transaction_session_timeout = 0');
    await client.query('begin isolation level repeatable read read only');
    const { rows } = await client.query<{ id: string; bytes: string }>(
      'select pg_export_snapshot() as id, pg_database_size(current_database()) as bytes',
    );
    const [{ id, bytes } = { id: '', bytes: '0' }] = rows;
    return {
      source: postgresSource(client),
      server,
      bytes: Number(bytes),
      content: () => dumped(url, id),
      close: () => client.end(),
    };
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
}

async function* dumped(url: string, snapshot: string): AsyncGenerator<Buffer> {
  const { child, ended } = dump(url, snapshot);
  try {
    yield* child.stdout as Readable as AsyncIterable<Buffer>;
    await ended;
  } finally {
    child.kill();
  }
}

/** Brings the list of erased accounts beside the backups up to date. */
async function keepErased(
  { dataDir }: Environment,
  { folder }: BackupPlace,
  source: BackupSource,
): Promise<void> {
  const beside = join(folder, ERASED);
  const known = await source.rows('select hash from oms_deleted_ids');
  const hashes = new Set([
    ...(await readErased(beside)),
    ...(await readErased(join(dataDir, ERASED))),
    ...known.map(({ hash }) => String(hash)),
  ]);
  await writeErased(beside, hashes);
}
