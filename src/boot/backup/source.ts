/** The database of a backup, as it was at one moment. */
import type { Client } from 'pg';
import type { SqliteHandle } from '../../plugins/objects/server/database/sqlite-driver';

/** A row by its columns. */
export type SourceRow = Readonly<Record<string, unknown>>;

export interface BackupSource {
  rows(statement: string): Promise<readonly SourceRow[]>;
  /** The names of all tables that hold rows of their own. */
  readonly tables: string;
}

export const sqliteSource = (handle: SqliteHandle): BackupSource => ({
  rows: async (statement) => Promise.resolve(handle.prepare<[], SourceRow>(statement).all()),
  // Not the tables behind a full-text index, nor SQLite's own.
  tables: `select name from pragma_table_list where schema = 'main' and type = 'table'
    and name not like 'sqlite\\_%' escape '\\' order by name`,
});

export const postgresSource = (client: Client): BackupSource => ({
  rows: async (statement) => (await client.query<SourceRow>(statement)).rows,
  tables: `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
});

/** The rows of each table. */
export async function countRows(source: BackupSource): Promise<{ name: string; rows: number }[]> {
  const counts: { name: string; rows: number }[] = [];
  for (const row of await source.rows(source.tables)) {
    const name = String(row['name']);
    const [counted] = await source.rows(`select count(*) as rows from "${name}"`);
    counts.push({ name, rows: Number(counted?.['rows']) });
  }
  return counts;
}

/** The migrations that a database has, in their order. */
export async function migrationsOf(source: BackupSource): Promise<string[]> {
  const rows = await source.rows('select name from strapi_migrations order by name');
  return rows.map(({ name }) => String(name));
}
