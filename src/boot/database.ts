import { Client } from 'pg';
import type { DatabaseEnvironment } from './environment';
import {
  prepareSqliteConnection,
  sqliteDriver,
} from '../plugins/objects/server/database/sqlite-driver';
import { errorText, StartError } from '../core/start-error';

/** Milliseconds to wait for PostgreSQL before it counts as away. */
const CONNECT_TIMEOUT = 5_000;

/** What Strapi's database configuration calls `connection`. Chooses the SQLite driver before Knex asks for it. */
export function databaseConnection(database: DatabaseEnvironment): object {
  if (database.client === 'postgres') {
    return {
      client: 'postgres',
      connection: { connectionString: database.url, connectionTimeoutMillis: CONNECT_TIMEOUT },
      pool: { min: 0, max: 10 },
      acquireConnectionTimeout: 2 * CONNECT_TIMEOUT,
    };
  }
  sqliteDriver();
  return {
    client: 'sqlite',
    connection: { filename: database.file },
    pool: { min: 1, max: 1, afterCreate: prepareSqliteConnection },
    useNullAsDefault: true,
  };
}

/**
 * Asks PostgreSQL for an answer, so that a wrong address is said at once and alone.
 *
 * @throws StartError without the password of the address.
 */
export async function reachDatabase(database: DatabaseEnvironment): Promise<void> {
  if (database.client === 'sqlite') return;
  const client = new Client({
    connectionString: database.url,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
  });
  // An error after the connection is gone has no other listener, and would end the process with a stack.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
  } catch (error) {
    throw new StartError(
      `DATABASE_URL: the database at ${client.host}:${client.port}/${client.database ?? ''} cannot be reached (${reason(error)}).`,
    );
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Several addresses of one name fail with an error that only holds the others'. */
function reason(error: unknown): string {
  return error instanceof AggregateError
    ? error.errors.map(errorText).join(', ')
    : errorText(error);
}
