import type BetterSqlite3 from 'better-sqlite3';
import { createRequire } from 'node:module';
import { errorCode, errorText, StartError } from '../../../../core/start-error';

/** The class `Database` of better-sqlite3, of the version for this Node. */
export type SqliteDriver = typeof BetterSqlite3;

/** An open SQLite file. */
export type SqliteHandle = BetterSqlite3.Database;

const DRIVER = 'better-sqlite3';
const NEWER_DRIVER = 'better-sqlite3-13';

const load = createRequire(__filename);

/** The package for a major version of Node, and the package's own major version. */
export interface DriverChoice {
  readonly package: typeof DRIVER | typeof NEWER_DRIVER;
  readonly majors: readonly number[];
}

/**
 * No version of better-sqlite3 supports Node 20 to 24: 12 aborts (SIGABRT) on Node 24 when a statement is
 * garbage-collected at the wrong moment, 13 crashes (SIGSEGV) on Node 20. Both run on Node 22, which uses 12 because
 * its SQLite reads faster.
 */
export function driverFor(nodeMajor: number): DriverChoice {
  return nodeMajor >= 24
    ? { package: NEWER_DRIVER, majors: [13] }
    : { package: DRIVER, majors: nodeMajor >= 22 ? [12, 13] : [12] };
}

/**
 * Chooses the driver and makes `require('better-sqlite3')` return it, which Knex calls when the database is created:
 * this function has to be called before. It is idempotent.
 *
 * @throws StartError when the driver is missing, does not load, or would crash under this Node
 */
export function sqliteDriver(): SqliteDriver {
  const nodeMajor = Number(process.versions.node.split('.')[0]);
  const choice = driverFor(nodeMajor);
  const major = installedMajor(choice.package);
  if (!choice.majors.includes(major)) {
    throw new StartError(
      `${choice.package} ${major}.x crashes under Node ${process.version}; install version ${choice.majors.join(' or ')} of it (npm ci).`,
    );
  }
  const driver = loadDriver(choice.package);
  if (choice.package !== DRIVER) standIn(choice.package);
  return driver;
}

function installedMajor(name: string): number {
  try {
    const { version } = load(`${name}/package.json`) as { version: string };
    return Number(version.split('.')[0]);
  } catch (error) {
    throw notInstalled(name, errorCode(error));
  }
}

function loadDriver(name: string): SqliteDriver {
  try {
    const driver = load(name) as SqliteDriver;
    // The binary is loaded with the first database, not with the module.
    new driver(':memory:').close();
    return driver;
  } catch (error) {
    throw notInstalled(name, errorText(error));
  }
}

function standIn(name: string): void {
  const original = load.resolve(DRIVER);
  const chosen = load.cache[load.resolve(name)];
  if (chosen !== undefined) load.cache[original] = chosen;
}

function notInstalled(name: string, reason: string): StartError {
  return new StartError(
    `The SQLite driver ${name} does not load under Node ${process.version}; run "npm ci" with this Node (${reason}).`,
  );
}

/**
 * The settings of each connection of Strapi. A database in WAL mode opens with `synchronous` NORMAL, which may lose
 * acknowledged commits on power loss (https://www.sqlite.org/pragma.html#pragma_synchronous); foreign keys are off by
 * default. With SQLite's default cache (here 16 MiB) and checkpoint (every 4 MiB of WAL) many writes would rewrite the
 * same pages: 64 MiB of each.
 */
const PRAGMAS = [
  'journal_mode = WAL',
  'synchronous = FULL',
  'busy_timeout = 1000',
  'foreign_keys = ON',
  'cache_size = -65536',
  'wal_autocheckpoint = 16384',
];

/** For `afterCreate` of the pool. */
export function prepareSqliteConnection(
  handle: SqliteHandle,
  done: (error: Error | null, handle: SqliteHandle) => void,
): void {
  try {
    for (const pragma of PRAGMAS) handle.pragma(pragma);
    done(null, handle);
  } catch (error) {
    done(error instanceof Error ? error : new Error(errorText(error)), handle);
  }
}
