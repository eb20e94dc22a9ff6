import type { Core } from '@strapi/strapi';
import { Pool, type ClientConfig, type PoolClient, type PoolConfig } from 'pg';
import { FairQueue } from '../../../../core/fair-queue';
import type { PoolLoad } from '../../../../core/load';
import { DATABASE_AWAY } from '../../../../core/log-line';
import { errorCode } from '../../../../core/start-error';
import {
  APART,
  unavailable,
  MAX_PREPARED,
  READ_TIMEOUT,
  type Database,
  type DatabaseLoad,
  type Turn,
  type WriteOptions,
} from './database';
import { poolLoad, whenCommitted, withConnection, withinTransaction } from './knex';
import { postgresDialect } from './postgres-dialect';
import { isPostgresAway } from './postgres-errors';
import { ChannelListener } from './postgres-listener';
import { keepMemory } from './postgres-memory';
import { Pipe } from './postgres-pipe';
import { RecentStatements } from './postgres-prepared';
import { isAnswering, Pulse } from './postgres-pulse';
import { statementOf, type Sql, type SqlValue, type Statement } from './sql';
import { WORD_INDEX } from './word-index';
import { driveWork, wholly, type Row, type Work } from './work';

/** query_canceled: by `statement_timeout` or `pg_cancel_backend`. */
const CANCELED = '57014';

/** How often a transaction that the database has aborted (a deadlock) is retried. */
const MAX_TRIES = 4;

/** Milliseconds after which an unused connection for searches is closed. What it knows and keeps makes the next one faster. */
const SEARCHER_IDLE = 600_000;

const BEGIN = 'begin';

/** The milliseconds are those after which what meets a lock is better carried out alone. */
const BEGIN_BRIEF = 'begin; set local lock_timeout = 100';

/** serialization_failure and deadlock_detected: retried. */
const AGAIN = new Set(['40001', '40P01']);

const loadOf = ({ totalCount, idleCount, waitingCount }: Pool): PoolLoad => ({
  used: totalCount - idleCount,
  free: idleCount,
  waiting: waitingCount,
});

/** Writes on knex's pool and reads on a second one, so that a slow read holds no writing connection. */
export class PostgresDatabase implements Database {
  readonly dialect = postgresDialect;
  readonly isShared = true;
  readonly partTime = 250;
  private readonly reader: Pool;
  private readonly searcher: Pool;
  private readonly searches = new FairQueue(APART);
  private readonly listeners: ChannelListener[] = [];
  private readonly names = new Map<string, string>();
  private readonly recent = new RecentStatements();
  private readonly pulse: Pulse;

  constructor(private readonly strapi: Core.Strapi) {
    const { connection, readers } = strapi.config.get<{
      connection: PoolConfig;
      readers: number;
    }>('database.connection');
    const readOnly: PoolConfig = {
      ...connection,
      pipeline: false,
      statement_timeout: READ_TIMEOUT,
      // For a server that does not respond and so cannot cancel the read.
      query_timeout: READ_TIMEOUT + 1000,
      connectionTimeoutMillis: 5000,
      // The default suits spinning disks: with it, sorting all rows looks cheaper than an index in the order of a list.
      // To compile a statement takes longer than to run it once, and to start a parallel worker than to do without.
      options:
        '-c default_transaction_read_only=on -c random_page_cost=1.1 -c jit=off -c max_parallel_workers_per_gather=0',
    };
    this.reader = new Pool({ ...readOnly, max: readers });
    this.pulse = new Pulse(() => isAnswering(connection));
    // With the default, a bitmap of many rows has only the pages that they are on, and all rows of these are looked at.
    const options = `${readOnly.options} -c work_mem=32MB`;
    this.searcher = new Pool({
      ...readOnly,
      options,
      max: APART.running,
      idleTimeoutMillis: SEARCHER_IDLE,
      verify: (client, done) => void keepMemory(client).then(() => done(), done),
    });
    for (const pool of [this.reader, this.searcher]) {
      // A connection that breaks is replaced at the next read; a statement on it fails with the same error.
      pool.on('connect', (client) => client.on('error', () => undefined));
      pool.on('error', (error) =>
        strapi.log.error('a connection was lost', {
          event: DATABASE_AWAY,
          reason: errorCode(error),
        }),
      );
    }
  }

  get preparedStatements(): number {
    return this.names.size;
  }

  async read(given: Sql | Statement): Promise<readonly Row[]> {
    try {
      return await this.pulse.watch(this.readBeside(statementOf(given)));
    } catch (error) {
      throw readable(error);
    }
  }

  async readApart(given: Sql | Statement, { origin, signal }: Turn): Promise<readonly Row[]> {
    const searching = this.searches.run(origin, async () => {
      try {
        return await this.search(statementOf(given), signal);
      } catch (error) {
        throw readable(error);
      }
    });
    return this.pulse.watch(searching);
  }

  get isInTransaction(): boolean {
    return this.strapi.db.inTransaction();
  }

  async write<T>(work: () => Work<T>, { isBrief = false }: WriteOptions = {}): Promise<T> {
    if (this.isInTransaction) return this.join(work);
    for (let tries = isBrief ? MAX_TRIES : 1; ; tries += 1) {
      try {
        return await this.transaction(work, isBrief ? BEGIN_BRIEF : BEGIN);
      } catch (error) {
        if (tries === MAX_TRIES || !AGAIN.has(errorCode(error))) throw readable(error);
      }
    }
  }

  listen(channel: string, hear: (text: string) => void): void {
    const { connection } = this.strapi.config.get<{ connection: ClientConfig }>(
      'database.connection',
    );
    this.listeners.push(new ChannelListener(connection, channel, hear));
  }

  violated(error: unknown): boolean {
    return errorCode(error) === '23505';
  }

  isAway(error: unknown): boolean {
    return isPostgresAway(error);
  }

  wasEnded(error: unknown): boolean {
    return errorCode(error) === CANCELED;
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

  /** Others search meanwhile. */
  whileAdding<T>(_rows: number, _tables: unknown, work: () => Promise<T>): Promise<T> {
    return work();
  }

  maintain(): Promise<void> {
    return withConnection(this.strapi, async (client: PoolClient) => {
      const { rows } = await client.query<{ name: string }>(
        `select quote_ident(tablename) as name from pg_tables
          where schemaname = current_schema() and tableowner = current_user`,
      );
      for (const { name } of rows) await client.query(`vacuum (analyze) ${name}`);
    });
  }

  get load(): DatabaseLoad {
    return {
      pools: {
        writer: poolLoad(this.strapi),
        reader: loadOf(this.reader),
        searcher: loadOf(this.searcher),
      },
      searches: this.searches.load,
    };
  }

  async close(): Promise<void> {
    this.pulse.close();
    await Promise.all([
      ...this.listeners.map((listener) => listener.close()),
      ...[this.reader, this.searcher].map((pool) => pool.end()),
    ]);
  }

  private async readBeside(statement: Statement): Promise<readonly Row[]> {
    if (!statement.isAdHoc)
      return (await this.reader.query<SqlValue[]>(this.query(statement))).rows;
    const client = await this.reader.connect();
    let hasFailed = true;
    try {
      const query = await this.recent.kept(client, this.query(statement));
      const { rows } = await client.query<SqlValue[]>(query);
      hasFailed = false;
      return rows;
    } finally {
      // As the pool does it.
      client.release(hasFailed);
    }
  }

  /** Runs a statement, which is canceled when the signal is aborted. */
  private async search(statement: Statement, signal: AbortSignal): Promise<readonly Row[]> {
    const client = await this.searcher.connect();
    let isCanceled = false;
    const cancel = (): void => {
      isCanceled = true;
      const { processID } = client as PoolClient & { readonly processID: number };
      this.reader.query('select pg_cancel_backend($1)', [processID]).catch(() => undefined);
    };
    signal.addEventListener('abort', cancel, { once: true });
    try {
      // Among many rows, a word that all have takes three times as long by a plan for any word.
      const isKept = statement.isAdHoc && !statement.sql.reads.includes(WORD_INDEX);
      const asked = this.query(statement);
      const query = isKept ? await this.recent.kept(client, asked) : asked;
      if (signal.aborted) throw Object.assign(new Error('nobody waits'), { code: CANCELED });
      return (await client.query<SqlValue[]>(query)).rows;
    } finally {
      signal.removeEventListener('abort', cancel);
      // A cancellation that comes late must not meet the next statement.
      client.release(isCanceled);
    }
  }

  private transaction<T>(work: () => Work<T>, begin: string): Promise<T> {
    return withConnection(this.strapi, async (client: PoolClient) => {
      const pipe = new Pipe(client, (statement) => this.query(statement));
      try {
        pipe.begin(begin);
        const value = await driveWork(work(), pipe);
        await pipe.end('commit');
        return value;
      } catch (error) {
        // On a lost connection there is nothing to roll back.
        await pipe.end('rollback').catch(() => undefined);
        throw error;
      }
    });
  }

  private join<T>(work: () => Work<T>): Promise<T> {
    return withinTransaction(this.strapi, async (client: PoolClient) => {
      const pipe = new Pipe(client, (statement) => this.query(statement));
      try {
        return await driveWork(wholly(work), pipe);
      } catch (error) {
        throw readable(error);
      }
    });
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

/** The error to throw: an unavailable database becomes an `ApiError`. */
const readable = (error: unknown): unknown => (isPostgresAway(error) ? unavailable(error) : error);
