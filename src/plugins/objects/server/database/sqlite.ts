import type { Core } from '@strapi/strapi';
import type BetterSqlite3 from 'better-sqlite3';
import { setImmediate } from 'node:timers/promises';
import { errorCode } from '../../../../core/start-error';
import { unavailable, MAX_PREPARED, type Database } from './database';
import { fileOf, whenCommitted, withConnection, withinTransaction } from './knex';
import { sql, statementOf, type Sql, type Statement } from './sql';
import { sqliteDialect } from './sqlite-dialect';
import { sqliteDriver } from './sqlite-driver';
import { PAUSE, wholly, type Row, type Work } from './work';

/** Result codes of a file that is unavailable, as opposed to a wrong statement. */
const AWAY = /^SQLITE_(BUSY|LOCKED|CANTOPEN|IOERR|FULL|READONLY|NOMEM|PROTOCOL|NOTADB|CORRUPT)/;

/** Milliseconds after which no further request joins a transaction, because it blocks the event loop. */
const TOGETHER = 50;

/**
 * 256 MiB of cache, and of WAL before a checkpoint. Some indexes of an import receive random keys: a page that is
 * changed several times before the checkpoint is written to the database once.
 */
const FOR_BULK = ['cache_size = -262144', 'wal_autocheckpoint = 65536'];

type Drive = <T>(work: Work<T>) => T | Promise<T>;

interface Job {
  /** @throws whatever its work throws */
  run(drive: Drive): void | Promise<void>;
  /** Called when the transaction has ended: settles the caller's promise. */
  settle(failure: unknown): void;
}

/**
 * One writing connection, knex's own, and a read-only one. Writes that arrive while the event loop is busy share a
 * transaction, each on its own savepoint, so that one sync to disk serves them all. Work that pauses blocks other
 * writers, but no readers.
 */
export class SqliteDatabase implements Database {
  readonly dialect = sqliteDialect;
  readonly isShared = false;
  private readonly reader: BetterSqlite3.Database;
  private readonly prepared = new WeakMap<
    BetterSqlite3.Database,
    Map<string, BetterSqlite3.Statement>
  >();
  private waiting: Job[] = [];
  private isFlushing = false;
  private flushed: Promise<void> = Promise.resolve();
  private mostPrepared = 0;

  constructor(private readonly strapi: Core.Strapi) {
    const Driver = sqliteDriver();
    this.reader = new Driver(fileOf(strapi), { readonly: true, fileMustExist: true });
    this.reader.pragma('busy_timeout = 1000');
  }

  get preparedStatements(): number {
    return this.mostPrepared;
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- the driver is synchronous
  async read(given: Sql | Statement): Promise<readonly Row[]> {
    try {
      return this.run(this.reader, statementOf(given));
    } catch (error) {
      throw readable(error);
    }
  }

  async write<T>(work: () => Work<T>): Promise<T> {
    if (this.strapi.db.inTransaction()) return this.join(work);
    return new Promise<T>((resolve, reject) => {
      let outcome: { value: T } | { error: unknown };
      this.waiting.push({
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
    return AWAY.test(errorCode(error));
  }

  /** SQLite ends no statement. */
  isTooSlow(): boolean {
    return false;
  }

  isValueError(error: unknown): boolean {
    return /^SQLITE_(MISMATCH|RANGE|TOOBIG)/.test(errorCode(error));
  }

  whenCommitted(effect: () => void): void {
    whenCommitted(this.strapi, effect);
  }

  async prepareForBulk(): Promise<void> {
    await withConnection(this.strapi, (handle: BetterSqlite3.Database) => {
      for (const pragma of FOR_BULK) handle.pragma(pragma);
    });
  }

  async close(): Promise<void> {
    await this.flushed;
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
          this.commitTogether(handle),
        );
      } catch (error) {
        for (const job of this.waiting.splice(0)) job.settle(unavailable(error));
      }
    }
    this.isFlushing = false;
  }

  /** Runs one transaction, synchronously unless some work pauses. The connection is used by nothing else meanwhile. */
  private async commitTogether(handle: BetterSqlite3.Database): Promise<void> {
    const isAlone = this.waiting.length === 1;
    const jobs: Job[] = [];
    let failure: unknown = null;
    this.run(handle, BEGIN);
    try {
      for (const job of isAlone ? this.waiting.splice(0, 1) : this.untilTimeIsUp()) {
        jobs.push(job);
        try {
          const running = job.run((work) =>
            this.drive(handle, isAlone ? work : wholly(() => work)),
          );
          if (running) await running;
        } catch (error) {
          if (!handle.inTransaction) throw error; // SQLite itself has rolled back
          if (isAlone) this.run(handle, ROLLBACK);
        }
      }
      if (handle.inTransaction) this.run(handle, COMMIT);
    } catch (error) {
      failure = error;
      if (handle.inTransaction) this.run(handle, ROLLBACK);
    }
    for (const job of jobs) job.settle(failure);
  }

  /** Takes waiting jobs while there is time. */
  private *untilTimeIsUp(): Generator<Job> {
    const end = performance.now() + TOGETHER;
    do {
      const job = this.waiting.shift();
      if (!job) return;
      yield job;
    } while (performance.now() < end);
  }

  /** Runs work as a part of Strapi's transaction, on its connection. */
  private join<T>(work: () => Work<T>): Promise<T> {
    return withinTransaction(this.strapi, async (handle: BetterSqlite3.Database) => {
      try {
        return await this.drive(handle, wholly(work));
      } catch (error) {
        throw readable(error);
      }
    });
  }

  /** Runs work to its end, or to its first pause and from there in steps on the event loop. */
  private drive<T>(handle: BetterSqlite3.Database, work: Work<T>): T | Promise<T> {
    const result = this.driveOn(handle, work, work.next());
    return result.done ? result.value : this.driveInTurns(handle, work);
  }

  private async driveInTurns<T>(handle: BetterSqlite3.Database, work: Work<T>): Promise<T> {
    for (;;) {
      await setImmediate();
      const result = this.driveOn(handle, work, work.next([]));
      if (result.done) return result.value;
    }
  }

  /** @returns the result, or a pause */
  private driveOn<T>(
    handle: BetterSqlite3.Database,
    work: Work<T>,
    begun: ReturnType<Work<T>['next']>,
  ): { done: true; value: T } | { done: false } {
    let step = begun;
    while (!step.done) {
      if (step.value === PAUSE) return { done: false };
      let rows: readonly Row[];
      try {
        rows = this.run(handle, step.value);
      } catch (error) {
        step = work.throw(error);
        continue;
      }
      step = work.next(rows);
    }
    return { done: true, value: step.value };
  }

  private run(handle: BetterSqlite3.Database, given: Statement): readonly Row[] {
    const prepared = given.isAdHoc
      ? prepare(handle, given.sql.sqlite)
      : this.prepare(handle, given.sql.sqlite);
    if (prepared.reader) return prepared.all(...given.values) as Row[];
    prepared.run(...given.values);
    return [];
  }

  /** The prepared statement of a text, cached per connection. */
  private prepare(handle: BetterSqlite3.Database, text: string): BetterSqlite3.Statement {
    let statements = this.prepared.get(handle);
    if (!statements) {
      statements = new Map<string, BetterSqlite3.Statement>();
      this.prepared.set(handle, statements);
    }
    const known = statements.get(text);
    if (known) return known;
    const made = prepare(handle, text);
    if (statements.size >= MAX_PREPARED) statements.clear();
    statements.set(text, made);
    this.mostPrepared = Math.max(this.mostPrepared, statements.size);
    return made;
  }
}

function prepare(handle: BetterSqlite3.Database, text: string): BetterSqlite3.Statement {
  const made = handle.prepare(text);
  if (made.reader) made.raw(true);
  return made;
}

const BEGIN = statementOf(sql`begin immediate`);
const COMMIT = statementOf(sql`commit`);
const ROLLBACK = statementOf(sql`rollback`);

/** The error to throw: an unavailable database becomes an `ApiError`. */
function readable(error: unknown): Error {
  if (AWAY.test(errorCode(error))) return unavailable(error);
  return error instanceof Error ? error : new Error(String(error));
}
