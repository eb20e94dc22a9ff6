/** Restores a backup into an empty place: all of it, or nothing. */
import { createWriteStream, existsSync, readdirSync, rmSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { StartError } from '../../core/start-error';
import { sqliteDriver } from '../../plugins/objects/server/database/sqlite-driver';
import { distRoot } from '../app-root';
import { makeDataDirectory, restoreFolder } from '../data-directory';
import { connect } from '../database';
import type { Environment } from '../environment';
import { olderThanBackup, unknownMigrations } from '../release';
import { ArchiveReader, damaged } from './archive-reader';
import { sync } from './durable';
import { ERASED, ERASED_SINCE, readErased, writeErased } from './erased';
import { DATABASES, FILES, SECRETS, type Manifest, type BackupPart } from './manifest';
import { expectRoom } from './place';
import { expectProgram, restoreDump, versionOfServer } from './postgres-tools';
import { countRows, postgresSource, sqliteSource, type BackupSource } from './source';
import { uploadsOf } from './stored-files';

/** Tables of what ends with a restore: sessions, links of mails, waiting mails, the pause of the backup itself. */
const ENDED = [
  'oms_sessions',
  'oms_tokens',
  'oms_mails',
  'oms_mail_subjects',
  'oms_first_administrator',
  'oms_pauses',
  'strapi_sessions',
];

/** What was restored. */
export interface Restored {
  readonly manifest: Manifest;
  /** Mails that were waiting, and are not sent. */
  readonly droppedMails: number;
}

/** Opens a backup that this release can restore. @throws StartError for any other */
export async function openBackup(file: string): Promise<ArchiveReader> {
  if (!existsSync(file)) throw new StartError(`${file} does not exist.`);
  const archive = await ArchiveReader.open(file);
  const { migrations, version } = archive.manifest;
  const unknown = unknownMigrations(migrations, distRoot).at(-1);
  if (unknown === undefined) return archive;
  archive.close();
  throw olderThanBackup(version, unknown, distRoot);
}

/** Reads all of a backup. @throws StartError when anything is not what was written */
export async function verify(archive: ArchiveReader): Promise<void> {
  for (const [name, part] of partsOf(archive))
    for await (const chunk of archive.read(name, part)) void chunk;
}

function* partsOf({
  manifest,
  sums,
}: ArchiveReader): Generator<[string, Pick<BackupPart, 'sha256'>]> {
  const { database, secrets } = manifest.parts;
  yield [DATABASES[manifest.database], database];
  if (secrets) yield [SECRETS, secrets];
  for (const [name, sha256] of sums) yield [FILES + name, { sha256 }];
}

/**
 * Restores into the data directory and database of the environment. The folder of what is not whole yet is one with which
 * no service starts.
 *
 * @throws StartError when the place is not empty, has no room, or the backup is damaged; the place is as it was then
 */
export async function restore(
  archive: ArchiveReader,
  file: string,
  environment: Environment,
): Promise<Restored> {
  const { dataDir, database } = environment;
  const { manifest } = archive;
  await expectPlace(environment, manifest);
  const staging = restoreFolder(dataDir);
  makeDataDirectory(dataDir);
  await expectRoom(dataDir, archive.size, 'the backup');
  await mkdir(staging);
  const clear = (): void => rmSync(staging, { recursive: true, force: true });
  process.once('exit', clear);
  try {
    await unpack(archive, staging);
    const dump = join(staging, DATABASES[manifest.database]);
    if (database.client === 'sqlite') await prepareSqlite(dump, manifest, file);
    await writeErased(join(dataDir, ERASED_SINCE), await erasedSince(file, dataDir));
    const back = await placeFiles(staging, environment);
    try {
      if (database.client === 'sqlite') await rename(dump, database.file);
      else await restorePostgres(database.url, dump, manifest);
      await sync(dataDir);
    } catch (error) {
      await back();
      throw error;
    }
  } catch (error) {
    await rm(join(dataDir, ERASED_SINCE), { force: true });
    throw error;
  } finally {
    clear();
    process.off('exit', clear);
  }
  const mails = manifest.tables.find(({ name }) => name === 'oms_mails');
  return { manifest, droppedMails: mails?.rows ?? 0 };
}

/** @throws StartError when there is anything that a restore would replace, or nothing that could take it */
async function expectPlace(
  { dataDir, database, s3 }: Environment,
  manifest: Manifest,
): Promise<void> {
  if (database.client !== manifest.database) {
    const given = { sqlite: 'a SQLite database', postgres: 'PostgreSQL' } as const;
    throw new StartError(
      `The backup is of ${given[manifest.database]}, and the environment names ${given[database.client]}; set or unset DATABASE_URL.`,
    );
  }
  if (s3)
    throw new StartError(
      `A backup is not restored into a bucket: unset S3_BUCKET, restore, copy the files of ${uploadsOf(dataDir)} into the bucket (S3_PREFIX) with its own tools, and set S3_BUCKET again.`,
    );
  const uploads = uploadsOf(dataDir);
  const taken = [
    ...['db.sqlite', 'db.sqlite-wal', 'secrets.json'].map((name) => join(dataDir, name)),
    restoreFolder(dataDir),
  ].find((path) => existsSync(path));
  const full = existsSync(uploads) && readdirSync(uploads).length > 0 ? uploads : taken;
  if (full !== undefined)
    throw new StartError(
      `${full} is there: a backup is restored only into an empty OMS_DATA_DIR. Give another one, or move this one away.`,
    );
  if (database.client === 'postgres') await expectServer(database.url, manifest);
}

async function expectServer(url: string, { server }: Manifest): Promise<void> {
  const client = await connect(url);
  try {
    const source = postgresSource(client);
    const major = await versionOfServer(client);
    if (server !== null && major < server)
      throw new StartError(
        `The backup is of PostgreSQL ${server}, and this server is of ${major}; give one of ${server} or later.`,
      );
    await expectProgram('pg_restore', server ?? major, 'the backup');
    await expectProgram('psql', major, 'the server');
    if ((await source.rows(source.tables)).length > 0)
      throw new StartError(
        'The database of DATABASE_URL has tables: a backup is restored only into an empty one. Create another one (createdb).',
      );
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function unpack(archive: ArchiveReader, staging: string): Promise<void> {
  await mkdir(join(staging, FILES));
  for (const [name, part] of partsOf(archive)) {
    const target = join(staging, name);
    await pipeline(
      archive.read(name, part),
      createWriteStream(target, { flags: 'wx', mode: 0o600 }),
    );
    await sync(target);
  }
}

/** The statements after which a restored database may be used. */
const endings = (schema: string, { tables }: Manifest): string =>
  tables
    .filter(({ name }) => ENDED.includes(name))
    .map(({ name }) => `delete from ${schema}.${name};\n`)
    .join('');

async function prepareSqlite(copy: string, manifest: Manifest, file: string): Promise<void> {
  const handle = new (sqliteDriver())(copy, { fileMustExist: true });
  try {
    if (handle.pragma('quick_check', { simple: true }) !== 'ok')
      throw damaged(file, 'its database is damaged');
    await expectCounts(sqliteSource(handle), manifest, []);
    handle.exec(`begin;\n${endings('main', manifest)}commit;`);
  } finally {
    handle.close();
  }
  await sync(copy);
}

async function restorePostgres(url: string, dump: string, manifest: Manifest): Promise<void> {
  await restoreDump(url, dump, endings('public', manifest));
  const client = await connect(url);
  try {
    await expectCounts(postgresSource(client), manifest, ENDED);
  } finally {
    await client.end();
  }
}

async function expectCounts(
  source: BackupSource,
  { tables }: Manifest,
  without: readonly string[],
): Promise<void> {
  const wanted = new Map(tables.map(({ name, rows }) => [name, rows]));
  for (const { name, rows } of await countRows(source)) {
    if (without.includes(name) || wanted.get(name) === rows) continue;
    throw new StartError(
      `The restored table ${name} has ${rows} rows, and the backup ${wanted.get(name) ?? 0}: do not use it.`,
    );
  }
}

/** The accounts that are known to be erased: by the list beside the backup, and by one that is left here. */
async function erasedSince(file: string, dataDir: string): Promise<Set<string>> {
  const [beside, here] = [join(dirname(file), ERASED), join(dataDir, ERASED)];
  return new Set([...(await readErased(beside)), ...(await readErased(here))]);
}

/** Moves files and secret to their places. @returns what takes them back */
async function placeFiles(staging: string, { dataDir }: Environment): Promise<() => Promise<void>> {
  const uploads = uploadsOf(dataDir);
  await rm(uploads, { recursive: true, force: true });
  await rename(join(staging, FILES), uploads);
  const [from, to] = [join(staging, SECRETS), join(dataDir, SECRETS)];
  if (existsSync(from)) await rename(from, to);
  return async () => {
    await rm(to, { force: true });
    await rm(uploads, { recursive: true, force: true });
    await mkdir(uploads);
  };
}
