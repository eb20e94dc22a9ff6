import type { Core } from '@strapi/strapi';
import { Pool, type ClientConfig, type PoolClient, type PoolConfig } from 'pg';
import { setImmediate } from 'node:timers/promises';
import { DATABASE_AWAY } from '../../../../core/log-line';
import { errorCode } from '../../../../core/start-error';
import { unavailable, MAX_PREPARED, type Database } from './database';
import { whenCommitted, withConnection, withinTransaction } from './knex';
import { postgresDialect } from './postgres-dialect';
import { Listener } from './postgres-listener';
import { statementOf, type Sql, type SqlValue, type Statement } from './sql';
import { PAUSE, wholly, type Row, type Work } from './work';

/** Milliseconds after which the database cancels a read. */
const READ_TIMEOUT = 15_000;

/** How often a transaction that the database has aborted (a deadlock) is retried. */
const MAX_TRIES = 4;

/** serialization_failure and deadlock_detected: retried. */
const AGAIN = new Set(['40001', '40P01']);

/**
 * Classes 08 (connection), 53 (resources) and 57P (operator intervention) of
 * https://www.postgresql.org/docs/current/errcodes-appendix.html, and Node's codes for sockets.
 */
const AWAY = /^(08|53|57P|ECONN|ENOTFOUND|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_|ENOENT)/;

/** Messages of the driver, its pool and knex, whose errors have no code. */
const AWAY_WORDS =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable|Timeout acquiring a connection|pool is probably full|Client was closed|Query read timeout/i;

/** Writes on knex's pool and reads on a second one, so that a slow read holds no writing connection. */
export class PostgresDatabase implements Database {
  readonly dialect = postgresDialect;
  readonly isShared = true;
  private readonly reader: Pool;
  private readonly listeners: Listener[] = [];
  private readonly names = new Map<string, string>();

  constructor(private readonly strapi: Core.Strapi) {
    const { connection } = strapi.config.get<{ connection: PoolConfig }>('database.connection');
    this.reader = new Pool({
      ...connection,
      max: 10,
      statement_timeout: READ_TIMEOUT,
      // For a server that does not respond and so cannot cancel the read.
      query_timeout: READ_TIMEOUT + 1000,
      connectionTimeoutMillis: 5000,
      // The default is that of a disk with an arm, by which an index in the order of a list costs more than to sort all of it.
      options: '-c default_transaction_read_only=on -c random_page_cost=1.1',
    });
    // An idle connection that breaks is replaced at the next read.
    this.reader.on('error', (error) =>
      strapi.log.error('a connection was lost', { event: DATABASE_AWAY, reason: errorCode(error) }),
    );
  }

  get preparedStatements(): number {
    return this.names.size;
  }

  async read(given: Sql | Statement): Promise<readonly Row[]> {
    try {
      const { rows } = await this.reader.query<SqlValue[]>(this.query(statementOf(given)));
      return rows;
    } catch (error) {
      throw readable(error);
    }
  }

  async write<T>(work: () => Work<T>): Promise<T> {
    if (this.strapi.db.inTransaction()) return this.join(work);
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.transaction(work);
      } catch (error) {
        if (tries === MAX_TRIES || !AGAIN.has(errorCode(error))) throw readable(error);
      }
    }
  }

  listen(channel: string, hear: (text: string) => void): void {
    const { connection } = this.strapi.config.get<{ connection: ClientConfig }>(
      'database.connection',
    );
    this.listeners.push(new Listener(connection, channel, hear));
  }

  violated(error: unknown): boolean {
    return errorCode(error) === '23505';
  }

  isAway(error: unknown): boolean {
    return isAway(error);
  }

  /** query_canceled: by `statement_timeout`. */
  isTooSlow(error: unknown): boolean {
    return errorCode(error) === '57014';
  }

  /** Class 22 of the error codes: data exception. */
  isValueError(error: unknown): boolean {
    return errorCode(error).startsWith('22');
  }

  whenCommitted(effect: () => void): void {
    whenCommitted(this.strapi, effect);
  }

  /** The cache and checkpoints of the server are configured by its operator. */
  prepareForBulk(): Promise<void> {
    return Promise.resolve();
  }

  async close(): Promise<void> {
    await Promise.all([...this.listeners.map((listener) => listener.close()), this.reader.end()]);
  }

  private transaction<T>(work: () => Work<T>): Promise<T> {
    return withConnection(this.strapi, async (client: PoolClient) => {
      try {
        await client.query('begin');
        const value = await this.drive(client, work());
        await client.query('commit');
        return value;
      } catch (error) {
        // On a lost connection there is nothing to roll back.
        await client.query('rollback').catch(() => undefined);
        throw error;
      }
    });
  }

  private join<T>(work: () => Work<T>): Promise<T> {
    return withinTransaction(this.strapi, async (client: PoolClient) => {
      try {
        return await this.drive(client, wholly(work));
      } catch (error) {
        throw readable(error);
      }
    });
  }

  private async drive<T>(client: PoolClient, work: Work<T>): Promise<T> {
    let step = work.next();
    while (!step.done) {
      let rows: readonly Row[] = [];
      try {
        if (step.value === PAUSE) await setImmediate();
        else rows = (await client.query<SqlValue[]>(this.query(step.value))).rows;
      } catch (error) {
        step = work.throw(error);
        continue;
      }
      step = work.next(rows);
    }
    return step.value;
  }

  /** The statement with a name, so that the server parses and plans it once. */
  private query({ sql, values, isAdHoc }: Statement) {
    const text = sql.postgres;
    return {
      name: isAdHoc ? undefined : this.nameOf(text),
      text,
      values: [...values],
      rowMode: 'array' as const,
    };
  }

  private nameOf(text: string): string | undefined {
    const known = this.names.get(text);
    // Statements for savepoints cannot be prepared.
    if (known !== undefined || /^(savepoint|release|rollback)/.test(text)) return known;
    if (this.names.size >= MAX_PREPARED) return undefined;
    const name = `oms_${this.names.size}`;
    this.names.set(text, name);
    return name;
  }
}

function isAway(error: unknown): boolean {
  const says = error instanceof Error && AWAY_WORDS.test(error.message);
  return says || AWAY.test(errorCode(error));
}

/** The error to throw: an unavailable database becomes an `ApiError`. */
const readable = (error: unknown): unknown => (isAway(error) ? unavailable(error) : error);
