/** What a start would find in a database, read beside the service that uses it and without a change of its files. */
import { existsSync } from 'node:fs';
import { StartError } from '../../core/start-error';
import { sql } from '../../plugins/objects/server/database/sql';
import { sqliteDriver } from '../../plugins/objects/server/database/sqlite-driver';
import { distRoot } from '../app-root';
import { fileReaderOf } from '../backup/stored-files';
import { bytesOf } from '../backup/place';
import { openBeside, type DatabaseBeside } from '../beside';
import { COPY_MARKER, unfinishedCopy } from '../copy/marker';
import { expectNoRestore } from '../data-directory';
import type { DatabaseEnvironment, Environment } from '../environment';
import { readMarker, whatDiffers } from '../installation';
import { APPLIED } from '../migrations';
import { refuseUnknownMigrations } from '../release';

/** @throws StartError with the line of a start that would be refused */
export async function expectStart(environment: Environment): Promise<void> {
  const { dataDir, database } = environment;
  expectNoRestore(dataDir);
  if (database.client === 'sqlite' && !existsSync(database.file)) throw noDatabase(database);
  await asFound(database, async () => {
    const beside = await openBeside(database);
    try {
      const tables = await tablesOf(beside, database);
      if (!tables.has(APPLIED)) throw noDatabase(database);
      await expectRelease(beside, tables);
      if (tables.has(COPY_MARKER)) throw unfinishedCopy();
      if (tables.has('oms_installation')) await expectInstallation(beside, environment);
    } finally {
      await beside.close();
    }
  });
}

const noDatabase = (database: DatabaseEnvironment): StartError =>
  new StartError(
    `${database.client === 'sqlite' ? `${database.file} (OMS_DATA_DIR)` : 'The database of DATABASE_URL'} has no tables: there is nothing to migrate, and the first start makes them.`,
  );

/**
 * Removes the files `-wal` and `-shm` that a read-only connection to a SQLite database leaves: a connection that may write removes
 * them when it is closed. It would also copy changes that a service has left in them to the database, so that these stay as they are.
 */
export async function asFound<T>(
  database: DatabaseEnvironment,
  work: () => Promise<T>,
): Promise<T> {
  if (database.client !== 'sqlite') return work();
  const { file } = database;
  const isClosed = (await bytesOf(`${file}-wal`)) === 0;
  try {
    return await work();
  } finally {
    if (isClosed) closeLast(file);
  }
}

function closeLast(file: string): void {
  const handle = new (sqliteDriver())(file, { fileMustExist: true });
  try {
    handle.pragma('schema_version');
  } finally {
    handle.close();
  }
}

async function tablesOf(
  { read }: DatabaseBeside,
  { client }: DatabaseEnvironment,
): Promise<ReadonlySet<string>> {
  const rows = await read(
    client === 'sqlite'
      ? sql`select name from sqlite_master where type = 'table'`
      : sql`select tablename from pg_tables where schemaname = current_schema()`,
  );
  return new Set(rows.map(([name]) => String(name)));
}

async function expectRelease({ read }: DatabaseBeside, tables: ReadonlySet<string>): Promise<void> {
  const [[version, migration] = []] = tables.has('oms_release')
    ? await read(sql`select version, migration from oms_release where id = 1`)
    : [];
  const marker =
    version === undefined ? undefined : { version: String(version), migration: String(migration) };
  refuseUnknownMigrations(await readApplied({ read }), marker, distRoot);
}

/** The names of the migrations that a database has noted. */
export const readApplied = async ({ read }: Pick<DatabaseBeside, 'read'>): Promise<string[]> =>
  (await read(sql`select name from strapi_migrations`)).map(([name]) => String(name));

async function expectInstallation(
  { read }: DatabaseBeside,
  environment: Environment,
): Promise<void> {
  const [row] = await read(
    sql`select installation, secret, is_storage_marked, is_copy from oms_installation where id = 1`,
  );
  if (row === undefined || Boolean(row[3])) return;
  const [installation, secret] = [String(row[0]), String(row[1])];
  const marker = await markerOf(environment);
  // A start goes on where the storage does not answer, and marks one that it has not marked yet.
  const isAccepted = marker === undefined || (marker === null && !row[2]);
  const [differs] = whatDiffers(
    environment,
    { installation, secret },
    isAccepted ? installation : marker,
  );
  if (differs !== undefined) throw new StartError(differs);
}

/** The marker of the storage: null where it has none, undefined where it does not answer. */
async function markerOf(environment: Environment): Promise<string | null | undefined> {
  const reader = await fileReaderOf(environment);
  if (!(await reader.answers())) return undefined;
  return readMarker(reader).catch(() => undefined);
}
