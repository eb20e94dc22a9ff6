/** The tables of both databases: which are copied, and how. */
import type { Client } from 'pg';
import { StartError } from '../../core/start-error';
import type { SqliteHandle } from '../../plugins/objects/server/database/sqlite-driver';
import { COPY_MARKER } from './marker';
import { columnType, type DeclaredType } from './values';

/** A column of PostgreSQL, by whose type the values of SQLite are converted. */
export interface CopiedColumn extends DeclaredType {
  readonly name: string;
}

export interface CopiedTable {
  readonly name: string;
  readonly columns: readonly CopiedColumn[];
  /** The columns by which a row is named. */
  readonly key: readonly string[];
}

/** What a start on the new database has made for itself, of the same release. */
const OF_STARTS: ReadonlySet<string> = new Set([
  'strapi_migrations',
  'strapi_migrations_internal',
  'strapi_database_schema',
  'oms_projections',
  'oms_kept_versions',
  COPY_MARKER,
]);

/** What searches use, which each database has in a form of its own, and which is computed of the objects. */
const OF_SEARCHES = /^oms_search_(encounters|objects|names)/;

export const isComputed = (table: string): boolean => OF_SEARCHES.test(table);

/**
 * The tables that are copied.
 *
 * @throws StartError when one of the databases has tables or columns that the other one has not
 */
export async function tablesOf(source: SqliteHandle, target: Client): Promise<CopiedTable[]> {
  const { rows } = await target.query<{
    table: string;
    column: string;
    type: string;
    key: boolean;
  }>(
    `select c.relname as table, a.attname as column, format_type(a.atttypid, a.atttypmod) as type,
        coalesce(a.attnum = any(i.indkey), false) as key
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        left join pg_index i on i.indrelid = c.oid and i.indisprimary
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attgenerated = ''
      order by c.relname, a.attnum`,
  );
  const isCopied = (name: string): boolean => !OF_STARTS.has(name) && !isComputed(name);
  const theirs = grouped(rows);
  const own = sqliteTables(source).filter(isCopied);
  const names = [...theirs.keys()].filter(isCopied);
  expectSame(own, names, 'table');
  return names.map((name): CopiedTable => {
    const columns = theirs.get(name) ?? [];
    const stored = source
      .prepare<[string], { name: string }>('select name from pragma_table_info(?)')
      .all(name);
    expectSame(
      stored.map((one) => one.name),
      columns.map((one) => one.column),
      `column of ${name}`,
    );
    return {
      name,
      columns: columns.map(({ column, type }) => ({ name: column, ...known(name, column, type) })),
      key: columns.filter(({ key }) => key).map(({ column }) => column),
    };
  });
}

function grouped<T extends { readonly table: string }>(rows: readonly T[]): Map<string, T[]> {
  const all = new Map<string, T[]>();
  for (const row of rows) all.set(row.table, [...(all.get(row.table) ?? []), row]);
  return all;
}

/** Not the tables behind a full-text index, nor SQLite's own. */
const sqliteTables = (source: SqliteHandle): string[] =>
  source
    .prepare<[], { name: string }>(
      `select name from pragma_table_list where schema = 'main' and type = 'table'
        and name not like 'sqlite\\_%' escape '\\' order by name`,
    )
    .all()
    .map(({ name }) => name);

function expectSame(own: readonly string[], theirs: readonly string[], what: string): void {
  const extra = own.find((name) => !theirs.includes(name));
  const missing = theirs.find((name) => !own.includes(name));
  if (extra === undefined && missing === undefined) return;
  throw new StartError(
    extra === undefined
      ? `The ${what} ${missing} is not in the SQLite database: start this release on it once, then copy.`
      : `The ${what} ${extra} is in the SQLite database alone: nothing is known of it. Remove it, or copy by hand.`,
  );
}

function known(table: string, column: string, type: string): DeclaredType {
  const found = columnType(type);
  if (found) return found;
  throw new StartError(`${table}.${column} is of the type ${type}, which cannot be copied.`);
}
