/** Takes the declarations in at `register`, and completes and compiles them at `bootstrap`. */
import type { Core } from '@strapi/strapi';
import { tracerOf, type Tracer } from '../../../core/tracer';
import { clockOf } from './clock';
import type { Database } from './database/database';
import { makeLeftOutIndexes } from './database/sqlite-indexes';
import { traceDatabase } from './database/traced-database';
import type { ToldLater } from './database/untold-indexes';
import { completeAll } from './define/complete';
import type { Resources } from './declare/completed';
import type { ResourceDeclaration } from './declare/declaration';
import { checkTables, type Tables } from './define/searched';
import { storedType } from './define/stored';
import { createModel, type Model } from './read/model';
import { withSearch } from './search/projection/kept';
import { Projections } from './search/projection/versions/live';
import { registerInPlace, type KeptName } from './search/projection/versions/in-place';
import type { LeftByStart } from './search/projection/versions/left-by-start';
import { ownProjections, register } from './search/projection/versions/register';
import { createSite, type Site } from './site-store';
import { ownContext } from './write/kept';

export interface Registry {
  /** Hands in the types; before the database is opened. @param release of this code */
  declare(declarations: readonly ResourceDeclaration[], release: string): void;
  /** The UIDs of what was handed in. */
  readonly uids: () => readonly string[];
  /** Those of them of whose objects strangers may be told later. */
  readonly toldLater: () => readonly ToldLater[];
  /**
   * What was handed in, completed: once Strapi knows the columns of its types. What searches need is kept of it as soon as
   * the versions of the projections are known.
   *
   * @throws DeclarationError
   */
  complete(): Resources;
  /** Completes and compiles what was handed in. @throws DeclarationError */
  open(): Promise<void>;
  readonly projections: () => Projections;
  /** What this start has left to be made anew in the background. */
  readonly leftByStart: () => LeftByStart;
  readonly model: () => Model;
  readonly site: () => Site;
  close(): Promise<void>;
}

export function createRegistry(strapi: Core.Strapi): Registry {
  let declared: readonly ResourceDeclaration[] = [];
  let release = '';
  let model: Model | null = null;
  let projections: Projections | null = null;
  let inPlace: readonly KeptName[] = [];
  const opened = (): Model => model ?? unopened();
  const complete = (): Resources => completeAll(declared, (uid) => storedType(strapi, uid));
  const versions = (): Projections => projections ?? unopened();
  const site = createSite(opened);
  return {
    declare(declarations, given) {
      declared = declarations;
      release = given;
    },
    uids: () => declared.map(({ uid }) => uid),
    toldLater: () =>
      declared.flatMap(({ uid, views }) => (views?.untold ? { uid, untold: views.untold } : [])),
    complete,
    async open() {
      const base = complete();
      const database = tracedBy(tracerOf(strapi), strapi, await openDatabase(strapi));
      const { dialect, isShared } = database;
      const own = ownProjections(base, dialect);
      const place = { dialect, isShared, release };
      projections = new Projections(own, await database.write(() => register(own, place)));
      const resources = withSearch(base, projections);
      model = createModel(resources, database, () => site.current(), clockOf(strapi));
      await checkTables(resources, tablesOf(strapi));
      await site.load();
      const context = ownContext(model);
      inPlace = await database.write(() => registerInPlace(resources, context));
      await projections.open(database);
      if (isShared) {
        site.watch();
        projections.watch(database);
      }
    },
    model: opened,
    projections: versions,
    leftByStart: () => ({ filled: versions().filling, inPlace }),
    site: () => site,
    async close() {
      site.close();
      projections?.close();
      await model?.database.close();
      model = null;
    },
  };
}

const unopened = (): never => {
  throw new Error('the types are known after the bootstrap of the plugin "objects"');
};

const tablesOf = ({ db }: Core.Strapi): Tables => ({
  columnsOf: async (table) => new Set(Object.keys(await db.connection(table).columnInfo())),
});

const tracedBy = (tracer: Tracer | null, { db }: Core.Strapi, database: Database): Database =>
  tracer
    ? traceDatabase(database, tracer, db.dialect.client === 'postgres' ? 'postgresql' : 'sqlite')
    : database;

/** The database that Strapi has been configured with, after it has connected. The driver of the other one is not loaded. */
async function openDatabase(strapi: Core.Strapi): Promise<Database> {
  if (strapi.db.dialect.client === 'postgres') {
    const { PostgresDatabase } = await import('./database/postgres');
    return new PostgresDatabase(strapi);
  }
  const { SqliteDatabase } = await import('./database/sqlite');
  // Of an import that was killed.
  await makeLeftOutIndexes(strapi);
  return new SqliteDatabase(strapi);
}
