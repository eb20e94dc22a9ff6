import { Client } from 'pg';
import type { DatabaseEnvironment } from './environment';
import {
  prepareSqliteConnection,
  sqliteDriver,
} from '../plugins/objects/server/database/sqlite-driver';
import { errorText, StartError } from '../core/start-error';

/** Milliseconds to wait for PostgreSQL before it counts as away. */
const CONNECT_TIMEOUT = 5_000;

const silent = (): void => undefined;

/** Knex prints by itself, a line for each connection that breaks: whoever asks the database tells the log. */
const log = { debug: silent, warn: silent, error: silent, deprecate: silent };

/** What Strapi's database configuration calls `connection`. Chooses the SQLite driver before Knex asks for it. */
export function databaseConnection(database: DatabaseEnvironment): object {
  if (database.client === 'postgres') {
    return {
      client: 'postgres',
      connection: { connectionString: database.url, connectionTimeoutMillis: CONNECT_TIMEOUT },
      pool: { min: 0, max: 10 },
      acquireConnectionTimeout: 2 * CONNECT_TIMEOUT,
      log,
    };
  }
  sqliteDriver();
  return {
    client: 'sqlite',
    connection: { filename: database.file },
    pool: { min: 1, max: 1, afterCreate: prepareSqliteConnection },
    useNullAsDefault: true,
    log,
  };
}

/**
 * Asks PostgreSQL for an answer, so that a wrong address is said at once and alone.
 *
 * @throws StartError without the password of the address.
 */
export async function reachDatabase(database: DatabaseEnvironment): Promise<void> {
  if (database.client === 'sqlite') return;
  const client = await connect(database.url);
  await client.end().catch(() => undefined);
}

/** The name of the advisory lock that a server holds while it starts. */
const START_LOCK = 7_230_000;

/**
 * Loads a service while no other one is loaded on the same database: Strapi creates and alters tables without a lock, and
 * two that do so at once fail. A server that dies meanwhile loses the lock with its connection.
 */
export async function loadAlone<T>(
  database: DatabaseEnvironment,
  load: () => Promise<T>,
): Promise<T> {
  if (database.client === 'sqlite') return load();
  const client = await connect(database.url);
  try {
    await client.query(`SELECT pg_advisory_lock(${START_LOCK})`);
    return await load();
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** @throws StartError when no database answers */
async function connect(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString, connectionTimeoutMillis: CONNECT_TIMEOUT });
  // An error after the connection is gone has no other listener, and would end the process with a stack.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    throw new StartError(
      `DATABASE_URL: the database at ${client.host}:${client.port}/${client.database ?? ''} cannot be reached (${reason(error)}).`,
    );
  }
}

/** Several addresses of one name fail with an error that only holds the others'. */
function reason(error: unknown): string {
  return error instanceof AggregateError
    ? error.errors.map(errorText).join(', ')
    : errorText(error);
}
