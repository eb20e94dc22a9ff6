import type { Client } from 'pg';
import type { DatabaseEnvironment, Environment } from './environment';
import {
  prepareSqliteConnection,
  sqliteDriver,
} from '../plugins/objects/server/database/sqlite-driver';
import { errorText, StartError } from '../core/start-error';

/** Milliseconds after which PostgreSQL counts as unavailable. */
const CONNECT_TIMEOUT = 5_000;

const silent = (): void => undefined;

/** Knex would print a line for each broken connection; the callers of the database log the errors instead. */
const log = { debug: silent, warn: silent, error: silent, deprecate: silent };

/**
 * The `connection` of Strapi's database configuration, and beside it the number of connections that read. Chooses the SQLite
 * driver before Knex loads it.
 */
export function databaseConnection({
  database,
  pools,
}: Pick<Environment, 'database' | 'pools'>): object {
  if (database.client === 'postgres') {
    return {
      client: 'postgres',
      connection: {
        connectionString: database.url,
        connectionTimeoutMillis: CONNECT_TIMEOUT,
        // Statements of one transaction are sent without waiting for each other, by our writer and by Strapi.
        pipeline: true,
      },
      pool: { min: 0, max: pools.writer },
      readers: pools.reader,
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
 * Connects to PostgreSQL once, so that a wrong address is reported at once and without other errors.
 *
 * @throws StartError which does not contain the password of the address
 */
export async function reachDatabase(database: DatabaseEnvironment): Promise<void> {
  if (database.client === 'sqlite') return;
  const client = await connect(database.url);
  await client.end().catch(() => undefined);
}

/** The key of the advisory lock that a server holds while it starts. */
const START_LOCK = 7_230_000;

/**
 * Loads a service while no other server loads on the same database: Strapi creates and alters tables without a lock,
 * and two servers that do so at once fail. If the server dies, the lock ends with its connection.
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

/**
 * Runs a statement beside a service that may be running: on SQLite, too, where it waits for the end of a transaction.
 *
 * @throws StartError when there is no database, or one that no service of this version has started with
 */
export async function runBeside(database: DatabaseEnvironment, statement: string): Promise<void> {
  if (database.client === 'postgres') {
    const client = await connect(database.url);
    try {
      await client.query(statement).catch(refuse);
    } finally {
      await client.end().catch(() => undefined);
    }
    return;
  }
  const Driver = sqliteDriver();
  try {
    const handle = new Driver(database.file, { fileMustExist: true, timeout: WRITE_TIMEOUT });
    try {
      handle.prepare(statement).run();
    } finally {
      handle.close();
    }
  } catch (error) {
    refuse(error);
  }
}

/** Milliseconds that a statement waits for those who write. */
const WRITE_TIMEOUT = 60_000;

function refuse(error: unknown): never {
  throw new StartError(`The database has refused it (${errorText(error)}).`);
}

/** A connection of one's own, to be ended. @throws StartError when no database answers */
export async function connect(connectionString: string): Promise<Client> {
  // A service on SQLite has no use for the driver, which takes time to load.
  const { Client } = await import('pg');
  const client = new Client({ connectionString, connectionTimeoutMillis: CONNECT_TIMEOUT });
  // Without a listener, an error on a lost connection would end the process with a stack.
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

/** When all addresses of a name fail, the error contains those of the addresses. */
function reason(error: unknown): string {
  return error instanceof AggregateError
    ? error.errors.map(errorText).join(', ')
    : errorText(error);
}
