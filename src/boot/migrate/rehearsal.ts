/** Migrates a copy of a database, to see what an upgrade would do to it, and how long that takes here. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorText, StartError } from '../../core/start-error';
import { takeSnapshot } from '../../plugins/exchange/server/import/snapshot';
import { registryOf } from '../../plugins/objects/server';
import type { LeftByStart } from '../../plugins/objects/server/search/projection/versions/left-by-start';
import { bytesOf, expectRoom } from '../backup/place';
import { copyByDump, expectProgram, versionOfServer } from '../backup/postgres-tools';
import { boot } from '../boot';
import { emptyTarget, prepareTarget } from '../copy/target';
import { connect } from '../database';
import type { DatabaseEnvironment } from '../environment';
import { useOwnDatabase } from '../own-database';
import { asFound } from './start-beside';
import { watchStart, type MigrationStep } from './watch';

/** What a start has done to a database. */
export interface Migrated {
  readonly steps: readonly MigrationStep[];
  /** What a service has to make anew. */
  readonly left: LeftByStart;
  /** Milliseconds from the beginning of the start until the port would have been opened. */
  readonly time: number;
}

/** Starts this release on the database of the environment, without a port. @throws StartError when it is refused */
export async function migrate(accepted: 'copy' | null = null): Promise<Migrated> {
  const since = performance.now();
  let steps: readonly MigrationStep[] = [];
  const service = await boot({
    listen: false,
    announce: () => undefined,
    watch: (strapi) => (steps = watchStart(strapi)),
    ...(accepted === 'copy' ? { accepted: { copy: 'unfinished' } } : {}),
  });
  const time = performance.now() - since;
  const left = registryOf(service.strapi).leftByStart();
  await service.close();
  return { steps, left, time };
}

/** A copy needs this many times the room of the database: itself, and the largest tables anew, in it and in its WAL. */
const ROOM = 3;

/** @throws StartError when there is no room for a copy, and when the upgrade fails */
export async function rehearseOnSqlite(
  database: Extract<DatabaseEnvironment, { client: 'sqlite' }>,
): Promise<Migrated> {
  const { file } = database;
  const bytes = (await bytesOf(file)) + (await bytesOf(`${file}-wal`));
  await expectRoom(tmpdir(), ROOM * bytes, 'a copy of the database that is migrated');
  const snapshot = await asFound(database, () => takeSnapshot(file));
  const remove = (): void => snapshot.remove();
  process.once('exit', remove);
  try {
    return await onCopy(snapshot.dataDir);
  } finally {
    remove();
    process.off('exit', remove);
  }
}

/** What makes a dump a copy for a trial, and has its plans be those of a database in use. A dump leaves no search path. */
const BEHIND_DUMP = `do $$ begin
  if to_regclass('public.oms_installation') is not null then
    update public.oms_installation set is_copy = true;
  end if;
end $$;
analyze;
`;

/**
 * @param url of the database
 * @param target of one without tables, which it is again at the end
 * @throws StartError when the target has tables, and when the upgrade fails
 */
export async function rehearseOnPostgres(url: string, target: string): Promise<Migrated> {
  await expectPrograms(url);
  const client = await connect(target);
  try {
    await prepareTarget(client, '--in');
    const dataDir = await mkdtemp(join(tmpdir(), 'oms-dry-run-'));
    try {
      await copyByDump(url, target, BEHIND_DUMP);
      return await onCopy(dataDir, target);
    } finally {
      await rm(dataDir, { recursive: true, force: true });
      await emptyTarget(client);
    }
  } finally {
    await client.end();
  }
}

async function expectPrograms(url: string): Promise<void> {
  const client = await connect(url);
  try {
    const server = await versionOfServer(client);
    await expectProgram('pg_dump', server, 'the server');
    await expectProgram('psql', server, 'the server');
  } finally {
    await client.end();
  }
}

async function onCopy(dataDir: string, target?: string): Promise<Migrated> {
  useOwnDatabase(dataDir, target === undefined ? {} : { DATABASE_URL: target });
  try {
    return await migrate('copy');
  } catch (error) {
    throw new StartError(`The upgrade would fail, and has changed nothing (${errorText(error)}).`);
  }
}
