import { Client } from 'pg';
import { sqliteDriver } from '#app/plugins/objects/server/database/sqlite-driver';
import { join } from 'node:path';
import type { FreshDatabase } from './database';

/** Runs an action while a table of the database is not there: what its service answers then is an error of its own. */
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

/** Runs a statement beside the service, on a connection of its own. */
export async function execute({ env, dataDir }: FreshDatabase, sql: string): Promise<void> {
  const url = env['DATABASE_URL'];
  if (url === undefined) {
    const Driver = sqliteDriver();
    const file = new Driver(join(dataDir, 'db.sqlite'));
    file.exec(sql);
    file.close();
    return;
  }
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}
