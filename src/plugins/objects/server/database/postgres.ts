import type { Core } from '@strapi/strapi';
import { Pool, type ClientConfig, type PoolClient, type PoolConfig } from 'pg';
import type { Database, Dialect, JsonMember, JsonType, Lock } from './database';
import { Listener } from './postgres-listener';
import { whenCommitted, withConnection, withinTransaction } from './knex';
import { codeOf, unavailable } from './unavailable';
import { wholly, type Row, type SqlValue, type Statement, type Work } from './work';

const JSON_VALUE: Record<JsonType, (sql: string) => string> = {
  plain: (sql) => sql,
  boolean: (sql) => sql,
  json: (sql) => `(${sql})::jsonb`,
  instant: (sql) => `to_char(${sql}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
};

/** The names of advisory locks. */
const LOCKS: Record<Lock, number> = { trees: 7_230_001, administrators: 7_230_002 };

const postgresDialect: Dialect = {
  // Not json_build_object: a function takes at most 100 arguments, 50 fields.
  jsonObject: (members: readonly JsonMember[]) =>
    `(select row_to_json(o)::text from (select ${members
      .map((m) => `${JSON_VALUE[m.type](m.sql)} as "${m.name}"`)
      .join(', ')}) o)`,
  jsonList: (select) => `(select coalesce(json_agg(l.id), '[]') from (${select}) l)`,
  jsonItems:
    '(select value, position from jsonb_array_elements_text(?::jsonb) with ordinality a(value, position)) j',
  instant: (milliseconds) =>
    new Date(milliseconds).toISOString().replace('T', ' ').replace('Z', ''),
  boolean: (value) => value,
  forUpdate: (alias) => ` for update of ${alias}`,
  forKeyShare: ' for key share',
  lock: (what) => `select pg_advisory_xact_lock(${LOCKS[what]})::text`,
  notify: (channel) => `select pg_notify('${channel}', ?)::text`,
};

/** Milliseconds that a read may take before the database ends it. */
const READ_TIMEOUT = 15_000;

/** How often a transaction that the database has chosen to end (a deadlock) is tried again. */
const MAX_TRIES = 4;

/** serialization_failure and deadlock_detected: try again. */
const AGAIN = new Set(['40001', '40P01']);

/**
 * Classes 08 (connection), 53 (resources) and 57P (operator intervention) of
 * https://www.postgresql.org/docs/current/errcodes-appendix.html, and what Node says of a socket.
 */
const AWAY = /^(08|53|57P|ECONN|ENOTFOUND|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_|ENOENT)/;

/** What the driver, its pool and knex say without a code. */
const AWAY_WORDS =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable|Timeout acquiring a connection|pool is probably full|Client was closed|Query read timeout/i;

/** Writes on knex's pool, reads on a second one: a slow read holds no writing connection. */
export class PostgresDatabase implements Database {
  readonly dialect = postgresDialect;
  readonly isShared = true;
  private readonly reader: Pool;
  private readonly listeners: Listener[] = [];
  private readonly names = new Map<string, { name: string; text: string }>();

  constructor(private readonly strapi: Core.Strapi) {
    const { connection } = strapi.config.get<{ connection: PoolConfig }>('database.connection');
    this.reader = new Pool({
      ...connection,
      max: 10,
      statement_timeout: READ_TIMEOUT,
      // For a server that says nothing any more, and so cannot end it.
      query_timeout: READ_TIMEOUT + 1000,
      connectionTimeoutMillis: 5000,
      options: '-c default_transaction_read_only=on',
    });
    // An idle connection that breaks is replaced by the next read; nobody waits for this one.
    this.reader.on('error', (error) => strapi.log.warn(`database: ${error.message}`));
  }

  async read(text: string, values: readonly SqlValue[]): Promise<readonly Row[]> {
    try {
      const { rows } = await this.reader.query<SqlValue[]>(this.query({ text, values }));
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
        if (tries === MAX_TRIES || !AGAIN.has(codeOf(error))) throw readable(error);
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
    return codeOf(error) === '23505';
  }

  whenCommitted(effect: () => void): void {
    whenCommitted(this.strapi, effect);
  }

  /** What a server has for its cache and between its checkpoints is its operator's. */
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
        // On a connection that is gone there is nothing to roll back.
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
      let rows: readonly Row[];
      try {
        rows = (await client.query<SqlValue[]>(this.query(step.value))).rows;
      } catch (error) {
        step = work.throw(error);
        continue;
      }
      step = work.next(rows);
    }
    return step.value;
  }

  /** The statement under a name of its own, so that the server parses and plans it once. */
  private query({ text, values }: Statement) {
    let named = this.names.get(text);
    if (!named) {
      let position = 0;
      named = {
        name: `oms_${this.names.size}`,
        text: text.replace(/\?/g, () => `$${(position += 1)}`),
      };
      this.names.set(text, named);
    }
    // Savepoints are no statements that can be prepared.
    const name = /^(savepoint|release|rollback)/.test(text) ? undefined : named.name;
    return { name, text: named.text, values: [...values], rowMode: 'array' as const };
  }
}

function readable(error: unknown): unknown {
  const away =
    AWAY.test(codeOf(error)) || (error instanceof Error && AWAY_WORDS.test(error.message));
  return away ? unavailable(error) : error;
}
