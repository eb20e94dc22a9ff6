/**
 * The release that last migrated a database. Older code would write rows without what newer code keeps beside them, so it
 * does not start on such a database, and ends its work where it is running already.
 */
import type { Core } from '@strapi/strapi';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../core/start-error';
import type { Database } from '../plugins/objects/server/database/database';
import { sql } from '../plugins/objects/server/database/sql';
import { lastNumber } from '../plugins/objects/server/search/projection/versions/stored';
import { appRoot } from './app-root';
import type { Lifecycle } from './lifecycle';
import { APPLIED, MIGRATION_NAME, migrationNames, presentNames } from './migrations';

type Knex = Core.Strapi['db']['connection'];

/** The row of the table that the last migration of each release leaves behind. */
export interface Release {
  /** Of package.json. */
  readonly version: string;
  /** The file of its last migration: `0040-release.js`. */
  readonly migration: string;
}

const TABLE = 'oms_release';

/** What is registered of the tables that are made for searches. */
const PROJECTIONS = 'oms_projections';

/** Milliseconds between two looks at the migrations of a database that several servers share. */
const LOOK = 1000;

/** The version of this release, from package.json. */
export function releaseVersion(): string {
  const text = readFileSync(join(appRoot, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** This release, by its version and its last migration. */
export const thisRelease = (distDir: string): Release => ({
  version: releaseVersion(),
  migration: migrationNames(distDir).at(-1) ?? '',
});

/**
 * The migrations of a database that this release does not have. Names that are not like ours are no sign: an operator may
 * add migrations, and databases have noted ours with dates before there was a counter.
 */
export function unknownMigrations(applied: readonly string[], distDir: string): string[] {
  const known = new Set(migrationNames(distDir));
  return applied
    .map(presentNames(distDir))
    .filter((name) => MIGRATION_NAME.test(name) && !known.has(name))
    .sort();
}

/**
 * To be called before Strapi migrates a database.
 *
 * @throws StartError when a later release has migrated it, completely or in part
 */
export async function refuseNewerDatabase(knex: Knex, distDir: string): Promise<void> {
  if (!(await knex.schema.hasTable(APPLIED))) return;
  const applied = await knex(APPLIED).pluck<string[]>('name');
  refuseUnknownMigrations(applied, await readRelease(knex), distDir);
  if (!(await knex.schema.hasTable(PROJECTIONS))) return;
  const [later] = (await knex(PROJECTIONS).distinct().pluck<string[]>('release')).filter(isLater);
  if (later !== undefined)
    throw new StartError(
      `What searches read in the database is of release ${later}, and this is release ${releaseVersion()}, which is older: ` +
        `start release ${later} or a later one, or restore a backup from before the upgrade.`,
    );
}

/** Whether a release is later than this one. */
function isLater(release: string): boolean {
  const [theirs, own] = [release, releaseVersion()].map((version) =>
    version.split(/\D+/).map(Number),
  );
  const at = theirs?.findIndex((part, place) => part !== own?.[place]) ?? -1;
  return at >= 0 && (theirs?.[at] ?? 0) > (own?.[at] ?? 0);
}

/**
 * @param marker the release that last migrated the database, where it says so
 * @throws StartError when a later release has migrated it, completely or in part
 */
export function refuseUnknownMigrations(
  applied: readonly string[],
  marker: Release | undefined,
  distDir: string,
): void {
  const last = unknownMigrations(applied, distDir).at(-1);
  if (last === undefined) return;
  const isMarked = marker && !migrationNames(distDir).includes(marker.migration);
  throw olderCode(isMarked ? marker : null, last, distDir);
}

/**
 * What is said to who starts older code.
 *
 * @param later null while the later release has not migrated all
 * @param last the last migration that is not known here
 */
export function olderCode(later: Release | null, last: string, distDir: string): StartError {
  const own = thisRelease(distDir);
  const by = later
    ? `release ${later.version}`
    : 'a later release, which has not ended its migrations';
  return new StartError(
    `The database was last migrated by ${by} (${bare(later?.migration ?? last)}), ` +
      `and this is release ${own.version} (${bare(own.migration)}), which is older: start ` +
      `${later ? `release ${later.version}` : 'that release'} or a later one, or restore a backup from before the upgrade.`,
  );
}

/** What is said to who restores a backup with older code than it was made of. @param last a migration not known here */
export function olderThanBackup(version: string, last: string, distDir: string): StartError {
  const own = thisRelease(distDir);
  return new StartError(
    `The backup was made with release ${version} (${bare(last)}), and this is release ${own.version} ` +
      `(${bare(own.migration)}), which is older: restore it with release ${version} or a later one.`,
  );
}

/** The name of a migration without that of its file: `0040-release`. */
export const bare = (migration: string): string => migration.replace(/\.js$/, '');

/** The release that last migrated a database; undefined before the first one that says so. */
export async function readRelease(knex: Knex): Promise<Release | undefined> {
  if (!(await knex.schema.hasTable(TABLE))) return undefined;
  return knex(TABLE).where({ id: 1 }).first<Release | undefined>('version', 'migration');
}

/** Marks a database with this release, once it is migrated; not again where no migration has run since. */
export async function markRelease(knex: Knex, distDir: string): Promise<void> {
  const own = thisRelease(distDir);
  if ((await readRelease(knex))?.migration === own.migration) return;
  await knex(TABLE)
    .insert({ id: 1, ...own, migrated_at: new Date().toISOString() })
    .onConflict('id')
    .merge();
}

/** What a running service does when a later release migrates its database. */
export interface Outdated {
  readonly lifecycle: Lifecycle;
  /** Ends the work in the background. */
  readonly stop: () => Promise<void>;
  readonly report: (message: string) => void;
}

/**
 * Looks every second whether a later release has migrated the database, or has registered what its searches read. From then on this service is not ready, refuses
 * requests, and does nothing in the background; it goes on telling its health until it is replaced.
 *
 * @param registered the last number that this one knows of what was registered
 */
export function followRelease(
  database: Pick<Database, 'read'>,
  distDir: string,
  registered: number,
  { lifecycle, stop, report }: Outdated,
): void {
  const look = async (): Promise<void> => {
    const rows = await database.read(sql`select name from strapi_migrations`);
    const [unknown] = unknownMigrations(
      rows.map(([name]) => String(name)),
      distDir,
    );
    const [[last] = []] = await database.read(lastNumber);
    const sign =
      unknown === undefined ? (Number(last) > registered ? 'projections' : null) : bare(unknown);
    if (sign === null || lifecycle.isOutdated) return;
    lifecycle.isOutdated = true;
    report(
      `a later release has migrated the database (${sign}): this one answers no more requests; stop it, and start that release in its place`,
    );
    await stop();
  };
  // No job: each process has to find out for itself that it is too old.
  const timer = setInterval(() => {
    if (lifecycle.draining || lifecycle.isOutdated) return clearInterval(timer);
    // Where the database does not answer, the service is not ready in any case.
    look().catch(() => undefined);
  }, LOOK).unref();
}
