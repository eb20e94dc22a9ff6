/** What is pending in a PostgreSQL that is in use, by names alone: to try it would stop its servers. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Core } from '@strapi/strapi';
import { registryOf } from '../../plugins/objects/server';
import { postgresDialect } from '../../plugins/objects/server/database/postgres-dialect';
import { sql } from '../../plugins/objects/server/database/sql';
import {
  leftByStart,
  type LeftByStart,
} from '../../plugins/objects/server/search/projection/versions/left-by-start';
import { ownProjections } from '../../plugins/objects/server/search/projection/versions/register';
import { distRoot } from '../app-root';
import { openBeside, type DatabaseBeside } from '../beside';
import { boot, type Service } from '../boot';
import type { DatabaseEnvironment } from '../environment';
import { migrationFile, pendingMigrations } from '../migrations';
import { useOwnDatabase } from '../own-database';
import { bare } from '../release';
import { readApplied } from './start-beside';

/** A table that a migration names. */
export interface NamedTable {
  readonly name: string;
  /** As PostgreSQL estimates them; null for a table that it has not counted yet. */
  readonly rows: number | null;
}

/** What is pending. */
export interface Pending {
  readonly migrations: readonly {
    readonly name: string;
    readonly tables: readonly NamedTable[];
  }[];
  /** Of Strapi's own. */
  readonly internal: readonly string[];
  /** What tables of types have in this release, and not in the one that the database is of, or otherwise. */
  readonly schema: readonly string[];
  /** What a service of this release has to make anew; null where that is known only after the migrations. */
  readonly left: LeftByStart | null;
}

/** What a database has noted of Strapi's own. */
interface Noted {
  readonly internal: readonly string[];
  readonly schema: Schema;
  readonly hash: string;
}

interface Part {
  readonly name: string;
}

/** As Strapi keeps it, of which it compares all but the order. */
interface Schema {
  readonly tables: readonly (Part & {
    readonly columns: readonly Part[];
    readonly indexes: readonly Part[];
    readonly foreignKeys: readonly Part[];
  })[];
}

/** @throws StartError when the database does not answer */
export async function readPending(database: DatabaseEnvironment): Promise<Pending> {
  const beside = await openBeside(database);
  try {
    const names = pendingMigrations(await readApplied(beside), distRoot);
    const tables = await readTables(beside);
    const hasTable = (name: string): boolean => tables.some((one) => one.name === name);
    const there = await readNoted(beside.read);
    const { own, left } = await askThisRelease(async ({ strapi }) => {
      const registry = registryOf(strapi);
      const projections = ownProjections(registry.complete(), postgresDialect);
      const found = { read: beside.read, hasTable };
      return {
        own: await notedBy(strapi),
        left: await leftByStart(projections, registry.model().resources, found),
      };
    });
    const migrations = names.map(async (name) => ({
      name: bare(name),
      tables: namedIn(await readFile(migrationFile(distRoot, name), 'utf8'), tables),
    }));
    return {
      migrations: await Promise.all(migrations),
      internal: own.internal.filter((name) => !there.internal.includes(name)),
      schema: there.hash === own.hash ? [] : differences(there.schema, own.schema),
      left,
    };
  } finally {
    await beside.close();
  }
}

async function readTables({ read }: DatabaseBeside): Promise<NamedTable[]> {
  const rows = await read(sql`select relname, reltuples from pg_class
    where relkind in ('r', 'p') and relnamespace = cast(current_schema() as regnamespace) order by relname`);
  return rows.map(([name, count]) => ({
    name: String(name),
    rows: Number(count) < 0 ? null : Number(count),
  }));
}

const namedIn = (text: string, tables: readonly NamedTable[]): NamedTable[] =>
  tables.filter(({ name }) => new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(text));

async function readNoted(read: DatabaseBeside['read']): Promise<Noted> {
  const internal = await read(sql`select name from strapi_migrations_internal`);
  const [[schema, hash] = []] = await read(
    sql`select schema, hash from strapi_database_schema order by time desc limit 1`,
  );
  return {
    internal: internal.map(([name]) => String(name)),
    schema: (typeof schema === 'string' ? JSON.parse(schema) : schema) as Schema,
    hash: String(hash),
  };
}

/** Asks this release, started on a new database: Strapi does not say otherwise what it would note. */
async function askThisRelease<T>(ask: (service: Service) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'oms-dry-run-'));
  useOwnDatabase(dataDir);
  try {
    const service = await boot({ listen: false, announce: () => undefined });
    try {
      return await ask(service);
    } finally {
      await service.close();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function notedBy({ db }: Core.Strapi): Promise<Noted> {
  const internal = await db.connection('strapi_migrations_internal').pluck<string[]>('name');
  const [hash = ''] = await db.connection('strapi_database_schema').pluck<string[]>('hash');
  return { internal, schema: db.schema.schema, hash };
}

const KINDS = { columns: 'column', indexes: 'index', foreignKeys: 'foreign key' } as const;

/** How two schemas differ, a line for each part. */
function differences(there: Schema, own: Schema): string[] {
  const lines = changed('table', '', there.tables, own.tables, () => true);
  for (const table of own.tables) {
    const before = there.tables.find(({ name }) => name === table.name);
    if (before)
      for (const kind of ['columns', 'indexes', 'foreignKeys'] as const)
        lines.push(...changed(KINDS[kind], `${table.name}.`, before[kind], table[kind], isSame));
  }
  return lines.length > 0 ? lines : ['the same parts in another order'];
}

const isSame = (one: Part, other: Part): boolean => JSON.stringify(one) === JSON.stringify(other);

function changed(
  kind: string,
  prefix: string,
  there: readonly Part[],
  own: readonly Part[],
  same: (one: Part, other: Part) => boolean,
): string[] {
  const before = new Map(there.map((part) => [part.name, part]));
  const names = new Set(own.map(({ name }) => name));
  return [
    ...own.flatMap((part) => {
      const former = before.get(part.name);
      if (former && same(former, part)) return [];
      return [`${former ? 'changed' : 'new'} ${kind} ${prefix}${part.name}`];
    }),
    ...there.flatMap(({ name }) => (names.has(name) ? [] : [`removed ${kind} ${prefix}${name}`])),
  ];
}
