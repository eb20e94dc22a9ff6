/** The types as a start would complete them, to read a database beside the service that uses it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorText, StartError } from '../../core/start-error';
import { registryOf } from '../../plugins/objects/server';
import type { Database, Dialect } from '../../plugins/objects/server/database/database';
import { postgresDialect } from '../../plugins/objects/server/database/postgres-dialect';
import { sql } from '../../plugins/objects/server/database/sql';
import { sqliteDialect } from '../../plugins/objects/server/database/sqlite-dialect';
import type { Row } from '../../plugins/objects/server/database/work';
import type { Resources } from '../../plugins/objects/server/declare/completed';
import { createModel } from '../../plugins/objects/server/read/model';
import { withSearch } from '../../plugins/objects/server/search/projection/kept';
import { Projections } from '../../plugins/objects/server/search/projection/versions/live';
import { ownProjections } from '../../plugins/objects/server/search/projection/versions/register';
import {
  versionOf,
  VERSIONS,
} from '../../plugins/objects/server/search/projection/versions/stored';
import { createSite } from '../../plugins/objects/server/site-store';
import { appRoot, distRoot } from '../app-root';
import type { DatabaseBeside } from '../beside';
import { makeDataDirectory } from '../data-directory';
import type { DatabaseEnvironment } from '../environment';
import { makeDatabase, pendingMigrations } from '../migrations';
import { useOwnDatabase } from '../own-database';
import { olderCode, unknownMigrations } from '../release';
import { keepWriterLock, type WriterLock } from '../writer-lock';
import type { Declared } from './kept';

/** Ends a start before it makes tables. */
class Stop extends Error {}

/** Nobody else knows the database: there is nothing to be locked, and to be released. */
const UNSHARED: WriterLock = { release: () => undefined };

/** The types, from a start on an empty database that ends as soon as Strapi knows the columns of its types. */
export async function declaredTypes(): Promise<Resources> {
  const dataDir = await mkdtemp(join(tmpdir(), 'oms-check-'));
  const given = { ...process.env };
  makeDataDirectory(dataDir);
  useOwnDatabase(dataDir);
  try {
    const { createStrapi } = await import('@strapi/strapi');
    const strapi = createStrapi({ appDir: appRoot, distDir: distRoot, serveAdminPanel: false });
    makeDatabase(strapi, distRoot);
    keepWriterLock(strapi, UNSHARED);
    await strapi.register();
    const stop = (): Promise<never> => Promise.reject(new Stop());
    (strapi.hook('strapi::content-types.beforeSync') as unknown as SyncHook).register(stop);
    await strapi.bootstrap().catch((error: unknown) => {
      if (!(error instanceof Stop)) throw error;
    });
    try {
      return registryOf(strapi).complete();
    } finally {
      await strapi.db.destroy();
    }
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in given)) delete process.env[name];
    Object.assign(process.env, given);
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** What Strapi calls before its schema sync. */
interface SyncHook {
  register(handler: () => Promise<void>): void;
}

/** A model that reads a database beside the service, by the settings of its site. */
export async function modelBeside(
  base: Resources,
  beside: DatabaseBeside,
  { client }: DatabaseEnvironment,
): Promise<Declared> {
  const database: Pick<Database, 'dialect' | 'isShared' | 'read'> = {
    dialect: client === 'sqlite' ? sqliteDialect : postgresDialect,
    isShared: client === 'postgres',
    read: (statement) => beside.read(statement),
  };
  const resources = withSearch(base, await projectionsBeside(base, beside, database.dialect));
  const site = createSite(() => model);
  // It writes nothing, and is asked for nothing else.
  const model = createModel(resources, database as Database, () => site.current(), Date.now);
  await site.load();
  return { model, refresh: () => site.refresh() };
}

/** @throws StartError where the service of this release has not started yet, which makes what its searches read */
async function projectionsBeside(
  base: Resources,
  { read }: DatabaseBeside,
  dialect: Dialect,
): Promise<Projections> {
  const stored = (await read(VERSIONS)).map(versionOf);
  const own = ownProjections(base, dialect);
  for (const { resource, hash } of own)
    if (!stored.some((one) => one.type === resource.type && one.hash === hash))
      throw new StartError(
        `The database is of another release (what searches read of ${resource.type} is declared otherwise): start the service of this one first.`,
      );
  return new Projections(own, stored);
}

/** @throws StartError for a database of an earlier or a later release, or one without tables */
export async function expectThisRelease({ read }: DatabaseBeside): Promise<void> {
  let rows: readonly Row[];
  try {
    rows = await read(sql`select name from strapi_migrations`);
  } catch (error) {
    throw new StartError(
      `The database cannot be read (${errorText(error)}): has a service started on it?`,
    );
  }
  const applied = rows.map(([name]) => String(name));
  const [unknown] = unknownMigrations(applied, distRoot);
  if (unknown !== undefined) throw olderCode(null, unknown, distRoot);
  const [missing] = pendingMigrations(applied, distRoot);
  if (missing !== undefined)
    throw new StartError(
      `The database is of an earlier release (${missing} is missing): start the service of this one first.`,
    );
}
