import type { Core } from '@strapi/strapi';
import type BetterSqlite3 from 'better-sqlite3';
import { setImmediate } from 'node:timers/promises';
import { sqliteDriver } from '../../../../boot/sqlite-driver';
import type { Database, Dialect, JsonMember, JsonType } from './database';
import { fileOf, whenCommitted, withConnection, withinTransaction } from './knex';
import { codeOf, unavailable } from './unavailable';
import { wholly, type Row, type SqlValue, type Statement, type Work } from './work';

const JSON_VALUE: Record<JsonType, (sql: string) => string> = {
  plain: (sql) => sql,
  boolean: (sql) => `json(case ${sql} when 1 then 'true' when 0 then 'false' end)`,
  json: (sql) => `json(${sql})`,
  instant: (sql) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${sql} / 1000.0, 'unixepoch')`,
};

const sqliteDialect: Dialect = {
  jsonObject: (members: readonly JsonMember[]) =>
    `json_object(${members.map((m) => `'${m.name}', ${JSON_VALUE[m.type](m.sql)}`).join(', ')})`,
  jsonList: (select) => `(select json_group_array(id) from (${select}))`,
  jsonItems: '(select value, key as position from json_each(?)) j',
  instant: (milliseconds) => milliseconds,
  boolean: (value) => (value ? 1 : 0),
  forUpdate: () => '',
  forKeyShare: '',
  lock: () => null,
  notify: () => null,
};

/** Result codes that say that the file cannot be used now, not that the statement is wrong. */
const AWAY = /^SQLITE_(BUSY|LOCKED|CANTOPEN|IOERR|FULL|READONLY|NOMEM|PROTOCOL|NOTADB|CORRUPT)/;

/** Milliseconds after which no further request joins a transaction: nothing else happens meanwhile. */
const TOGETHER = 50;

/**
 * 256 MiB of cache and of WAL before a checkpoint. A million encounters have some indexes whose entries come in no
 * order: a page that is changed again before the checkpoint is written to the database once.
 */
const FOR_BULK = ['cache_size = -262144', 'wal_autocheckpoint = 65536'];

interface Job {
  run(drive: <T>(work: Work<T>) => T): void;
  /** The transaction has ended: tells the one who waits. */
  settle(failure: unknown): void;
}

/**
 * One writing connection, knex's own, and one that only reads. Writes that arrive while the event
 * loop is busy share one transaction, each on a savepoint of its own: durable one by one, synced
 * to disk together.
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

  constructor(private readonly strapi: Core.Strapi) {
    const Driver = sqliteDriver();
    this.reader = new Driver(fileOf(strapi), { readonly: true, fileMustExist: true });
    this.reader.pragma('busy_timeout = 1000');
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- the driver is synchronous
  async read(text: string, values: readonly SqlValue[]): Promise<readonly Row[]> {
    try {
      return this.run(this.reader, { text, values });
    } catch (error) {
      throw readable(error);
    }
  }

  async write<T>(work: () => Work<T>): Promise<T> {
    if (this.strapi.db.inTransaction()) return this.join(work);
    return new Promise<T>((resolve, reject) => {
      let outcome: { value: T } | { error: unknown };
      this.waiting.push({
        run: (drive) => {
          try {
            outcome = { value: drive(work()) };
          } catch (error) {
            outcome = { error };
            throw error;
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
    // Nobody else writes: whoever changes something knows it.
  }

  violated(error: unknown): boolean {
    return codeOf(error) === 'SQLITE_CONSTRAINT_UNIQUE';
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

  /** Carries out what waits, until nothing does: nobody can come between the last look and the end. */
  private async flush(): Promise<void> {
    this.isFlushing = true;
    while (this.waiting.length > 0) {
      // Requests that are readable now, but not read yet, come along.
      await setImmediate();
      try {
        await withConnection(this.strapi, (handle: BetterSqlite3.Database) => {
          this.commitTogether(handle);
        });
      } catch (error) {
        for (const job of this.waiting.splice(0)) job.settle(unavailable(error));
      }
    }
    this.isFlushing = false;
  }

  /** One transaction, in one synchronous go: nothing else can come between. */
  private commitTogether(handle: BetterSqlite3.Database): void {
    const isAlone = this.waiting.length === 1;
    const jobs: Job[] = [];
    let failure: unknown = null;
    this.run(handle, BEGIN);
    try {
      for (const job of this.untilTimeIsUp()) {
        jobs.push(job);
        try {
          job.run((work) => this.drive(handle, isAlone ? work : wholly(() => work)));
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

  /** Takes what waits, as long as there is time. */
  private *untilTimeIsUp(): Generator<Job> {
    const end = performance.now() + TOGETHER;
    do {
      const job = this.waiting.shift();
      if (!job) return;
      yield job;
    } while (performance.now() < end);
  }

  /** As a part of Strapi's transaction, on whose connection it must run. */
  private join<T>(work: () => Work<T>): Promise<T> {
    return withinTransaction(this.strapi, (handle: BetterSqlite3.Database) => {
      try {
        return this.drive(handle, wholly(work));
      } catch (error) {
        throw readable(error);
      }
    });
  }

  private drive<T>(handle: BetterSqlite3.Database, work: Work<T>): T {
    let step = work.next();
    while (!step.done) {
      let rows: readonly Row[];
      try {
        rows = this.run(handle, step.value);
      } catch (error) {
        step = work.throw(error);
        continue;
      }
      step = work.next(rows);
    }
    return step.value;
  }

  private run(handle: BetterSqlite3.Database, { text, values }: Statement): readonly Row[] {
    let statements = this.prepared.get(handle);
    if (!statements) {
      statements = new Map<string, BetterSqlite3.Statement>();
      this.prepared.set(handle, statements);
    }
    let statement = statements.get(text);
    if (!statement) {
      statement = handle.prepare(text);
      if (statement.reader) statement.raw(true);
      statements.set(text, statement);
    }
    if (statement.reader) return statement.all(...values) as Row[];
    statement.run(...values);
    return [];
  }
}

const BEGIN: Statement = { text: 'begin immediate', values: [] };
const COMMIT: Statement = { text: 'commit', values: [] };
const ROLLBACK: Statement = { text: 'rollback', values: [] };

/** An error that the caller may be told; what is none becomes one. */
function readable(error: unknown): Error {
  if (AWAY.test(codeOf(error))) return unavailable(error);
  return error instanceof Error ? error : new Error(String(error));
}
