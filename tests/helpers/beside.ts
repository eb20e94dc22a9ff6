import type BetterSqlite3 from 'better-sqlite3';
import { Client } from 'pg';
import { sqliteDriver } from '#app/plugins/objects/server/database/sqlite-driver';
import { join } from 'node:path';
import type { FreshDatabase } from './database';
import type { Json } from './json';

/** Runs an action while a table of the database does not exist, so that the service fails with an unexpected error. */
export async function withoutTable(
  database: FreshDatabase,
  table: string,
  action: () => Promise<void>,
): Promise<void> {
  const away = `${table}_away`;
  await execute(database, `alter table ${table} rename to ${away}`);
  try {
    await action();
  } finally {
    await execute(database, `alter table ${away} rename to ${table}`);
  }
}

type Place = Pick<FreshDatabase, 'env' | 'dataDir'>;

/** Runs a statement beside the service, on a connection of its own. */
export async function execute({ env, dataDir }: Place, sql: string): Promise<void> {
  const url = env['DATABASE_URL'];
  if (url === undefined) onFile(dataDir, (file) => file.exec(sql));
  else await onServer(url, (client) => client.query(sql));
}

/** Runs a query in the same way. */
export async function query({ env, dataDir }: Place, sql: string): Promise<Json[]> {
  const url = env['DATABASE_URL'];
  if (url === undefined) return onFile(dataDir, (file) => file.prepare(sql).all() as Json[]);
  return onServer(url, async (client) => (await client.query<Json>(sql)).rows);
}

function onFile<T>(dataDir: string, action: (file: BetterSqlite3.Database) => T): T {
  const Driver = sqliteDriver();
  const file = new Driver(join(dataDir, 'db.sqlite'));
  try {
    return action(file);
  } finally {
    file.close();
  }
}

async function onServer<T>(url: string, action: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await action(client);
  } finally {
    await client.end();
  }
}
