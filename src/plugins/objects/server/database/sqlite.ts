import type { Core } from '@strapi/strapi';
import type BetterSqlite3 from 'better-sqlite3';
import { setImmediate } from 'node:timers/promises';
import { ApiError } from '../../../../core/errors';
import { errorCode } from '../../../../core/start-error';
import {
  unavailable,
  type Database,
  type DatabaseLoad,
  type Growing,
  type Turn,
  type WriteOptions,
} from './database';
import {
  aroundStatements,
  fileOf,
  poolLoad,
  whenCommitted,
  withConnection,
  withinTransaction,
} from './knex';
import { sql, statementOf, type Sql, type Statement } from './sql';
import { SqliteApart } from './sqlite-apart';
import { SqliteCheckpoints } from './sqlite-checkpoints';
import { sqliteDialect } from './sqlite-dialect';
import { sqliteDriver } from './sqlite-driver';
import { withoutIndexes } from './sqlite-indexes';
import { Ended, SqliteSearchers } from './sqlite-searchers';
import { neverBlock, patiently } from './sqlite-patience';
import { isSqliteAway, readable } from './sqlite-errors';
import type { SqliteJob } from './sqlite-job';
import { Slices } from './sqlite-slices';
import { SqliteStatements } from './sqlite-statements';
import { afterFailure, ensureSynced } from './sqlite-syncs';
import { wholly, type Row, type Work } from './work';

/** Milliseconds after which no further request joins a transaction, because it blocks the event loop. */
const TOGETHER = 50;

/**
 * 256 MiB of cache, and of WAL before a checkpoint. Some indexes of an import receive random keys: a page that is
 * changed several times before the checkpoint is written to the database once.
 */
const FOR_BULK = ['cache_size = -262144', 'wal_autocheckpoint = 65536'];

/**
 * One writing connection, knex's own, and a read-only one. Writes that arrive while the event loop is busy share a
 * transaction, each on its own savepoint, so that one sync to disk serves them all. Long work is carried out in slices
 * on the event loop: it blocks other writers, but no readers. What can be repeated is carried out by a thread.
 */
export class SqliteDatabase implements Database {
  readonly dialect = sqliteDialect;
  readonly isShared = false;
  readonly partTime = 50;
  private readonly reader: BetterSqlite3.Database;
  private readonly searchers: SqliteSearchers;
  private checkpoints: SqliteCheckpoints | null;
  private readonly apart: SqliteApart;
  private readonly statements = new SqliteStatements();
  private readonly slices = new Slices(this.statements);
  private waiting: SqliteJob[] = [];
  private isFlushing = false;
  private flushed: Promise<void> = Promise.resolve();

  constructor(private readonly strapi: Core.Strapi) {
    const Driver = sqliteDriver();
    this.reader = new Driver(fileOf(strapi), { readonly: true, fileMustExist: true });
    this.reader.pragma('busy_timeout = 1000');
    this.searchers = new SqliteSearchers(fileOf(strapi));
    this.checkpoints = new SqliteCheckpoints(fileOf(strapi), (error) =>
      strapi.log.error('changes are not copied from db.sqlite-wal to db.sqlite', {
        event: 'checkpoint_failed',
        reason: errorCode(error),
      }),
    );
    this.apart = new SqliteApart(fileOf(strapi));
    aroundStatements(strapi, async (handle: BetterSqlite3.Database, run) => {
      neverBlock(handle);
      ensureSynced(handle);
      try {
        return await patiently(run);
      } catch (error) {
        afterFailure(handle, error);
        throw error;
      }
    });
  }

  get preparedStatements(): number {
    return this.statements.mostPrepared;
  }

  read(given: Sql | Statement): readonly Row[] {
    try {
      return this.statements.run(this.reader, statementOf(given));
    } catch (error) {
      throw readable(error);
    }
  }

  async readApart(given: Sql | Statement, turn: Turn): Promise<readonly Row[]> {
    try {
      return await this.searchers.read(statementOf(given), turn);
    } catch (error) {
      throw error instanceof ApiError ? error : readable(error);
    }
  }

  get isInTransaction(): boolean {
    return this.strapi.db.inTransaction();
  }

  async write<T>(
    work: () => Work<T>,
    { isRepeatable = false, withoutSavepoint = false }: WriteOptions = {},
  ): Promise<T> {
    if (this.isInTransaction) return this.join(withoutSavepoint ? work : () => wholly(work));
    if (isRepeatable) await this.checkpoints?.caughtUp();
    return new Promise<T>((resolve, reject) => {
      let outcome: { value: T } | { error: unknown };
      this.waiting.push({
        isRepeatable,
        run(drive) {
          const fail = (error: unknown): never => {
            outcome = { error };
            throw error;
          };
          const succeed = (value: T): void => void (outcome = { value });
          try {
            const driven = drive(work());
            return driven instanceof Promise ? driven.then(succeed, fail) : succeed(driven);
          } catch (error) {
            return fail(error);
          }
        },
        settle: (failure) => {
          if (failure !== null) reject(readable(failure));
          else if ('value' in outcome) resolve(outcome.value);
          else reject(readable(outcome.error));
        },
      });
      if (!this.isFlushing) this.flushed = this.flush();
    });
  }

  listen(): void {
    // There is no other process that writes.
  }

  violated(error: unknown): boolean {
    return errorCode(error) === 'SQLITE_CONSTRAINT_UNIQUE';
  }

  isAway(error: unknown): boolean {
    return isSqliteAway(error);
  }

  wasEnded(error: unknown): boolean {
    return error instanceof Ended;
  }

  isValueError(error: unknown): boolean {
    return /^SQLITE_(MISMATCH|RANGE|TOOBIG)/.test(errorCode(error));
  }

  whenCommitted(effect: () => void): void {
    whenCommitted(this.strapi, effect);
  }

  async prepareForBulk(): Promise<void> {
    this.slices.areLong = true;
    this.checkpoints = null;
    await withConnection(this.strapi, (handle: BetterSqlite3.Database) => {
      for (const pragma of FOR_BULK) handle.pragma(pragma);
    });
  }

  whileAdding<T>(rows: number, tables: readonly Growing[], work: () => Promise<T>): Promise<T> {
    return withoutIndexes(this.strapi, tables, rows, work);
  }

  /** Its plans do not depend on statistics. */
  maintain(): Promise<void> {
    return Promise.resolve();
  }

  get load(): DatabaseLoad {
    const writer = poolLoad(this.strapi);
    return {
      pools: { writer: { ...writer, waiting: writer.waiting + this.waiting.length } },
      searches: this.searchers.load,
    };
  }

  async close(): Promise<void> {
    await this.flushed;
    await this.checkpoints?.close();
    await this.apart.close();
    this.searchers.close();
    this.reader.close();
  }

  /**
   * Carries out waiting jobs until there are none. There is no `await` between the last check and the end, so that none
   * is missed.
   */
  private async flush(): Promise<void> {
    this.isFlushing = true;
    while (this.waiting.length > 0) {
      // Lets requests whose data has arrived join the transaction.
      await setImmediate();
      try {
        await withConnection(this.strapi, (handle: BetterSqlite3.Database) =>
          this.commitNext(handle),
        );
      } catch (error) {
        for (const job of this.waiting.splice(0)) job.settle(unavailable(error));
      }
    }
    this.isFlushing = false;
  }

  /** Runs one transaction; where it can be repeated, on a thread, and a later one syncs it to the disk. */
  private async commitNext(handle: BetterSqlite3.Database): Promise<void> {
    ensureSynced(handle);
    const [first] = this.waiting;
    if (!first?.isRepeatable) return this.commitTogether(handle);
    this.waiting.shift();
    let failure: unknown = null;
    try {
      await this.apart.transact((drive) => first.run(drive));
    } catch (error) {
      failure = error;
      afterFailure(handle, error);
    }
    first.settle(failure);
    if (failure === null) this.checkpoints?.afterCommit(handle, true);
  }

  /** Runs one transaction, synchronously unless some work is long. The connection is used by nothing else meanwhile. */
  private async commitTogether(handle: BetterSqlite3.Database): Promise<void> {
    neverBlock(handle);
    await patiently(() => this.statements.run(handle, BEGIN));
    const isAlone = this.waiting.length === 1;
    const jobs: SqliteJob[] = [];
    let failure: unknown = null;
    try {
      for (const job of isAlone ? this.waiting.splice(0, 1) : this.untilTimeIsUp()) {
        jobs.push(job);
        try {
          const running = job.run((work) =>
            this.slices.drive(handle, isAlone ? work : wholly(() => work)),
          );
          if (running) await running;
        } catch (error) {
          if (!handle.inTransaction) throw error; // SQLite itself has rolled back
          if (isAlone) this.statements.run(handle, ROLLBACK);
        }
      }
      if (handle.inTransaction) this.statements.run(handle, COMMIT);
    } catch (error) {
      failure = error;
      if (handle.inTransaction) this.statements.run(handle, ROLLBACK);
      afterFailure(handle, error);
    }
    for (const job of jobs) job.settle(failure);
    if (failure === null) this.checkpoints?.afterCommit(handle);
  }

  /** Takes waiting jobs while there is time, up to one that runs apart. */
  private *untilTimeIsUp(): Generator<SqliteJob> {
    const end = performance.now() + TOGETHER;
    do {
      const job = this.waiting.shift();
      if (!job) return;
      yield job;
    } while (performance.now() < end && !this.waiting[0]?.isRepeatable);
  }

  /** Runs work as a part of Strapi's transaction, on its connection. */
  private join<T>(work: () => Work<T>): Promise<T> {
    return withinTransaction(this.strapi, async (handle: BetterSqlite3.Database) => {
      try {
        return await this.slices.drive(handle, work());
      } catch (error) {
        throw readable(error);
      }
    });
  }
}

const BEGIN = statementOf(sql`begin immediate`);
const COMMIT = statementOf(sql`commit`);
const ROLLBACK = statementOf(sql`rollback`);
