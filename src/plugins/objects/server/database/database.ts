/** The interface of the two databases, which is all that other code uses of them. */
import { availableParallelism } from 'node:os';
import { fail, type ApiError } from '../../../../core/errors';
import type { QueueSize } from '../../../../core/fair-queue';
import type { PoolLoad, QueueLoad } from '../../../../core/load';
import type { Soon } from '../../../../core/soon';
import type { Sql, SqlValue, Statement } from './sql';
import type { InsertRow, InsertRows } from './insert-rows';
import type { NumberRange } from './number-ranges';
import type { SearchTables } from './search-tables';
import type { WordIndex } from './word-index';
import type { Row, Work } from './work';

/** Resources that only one transaction at a time may change. */
export type Lock = 'trees' | 'administrators' | 'privacy' | 'protection';

/** The places where the SQL of the two databases differs. */
export interface Dialect {
  /** A JSON object, as text, of columns by name on the wire. */
  jsonObject(members: readonly JsonMember[]): Sql;
  /** The value of a timestamp column. */
  instant(milliseconds: number): SqlValue;
  /** The milliseconds since 1970 of a timestamp column. */
  milliseconds(column: Sql): Sql;
  boolean(value: boolean): SqlValue;
  /** The text of the first or the last part of a time, which is the whole one where it is no interval. */
  partOfTime(text: Sql, side: 'start' | 'end'): Sql;
  /** The milliseconds since 1970 of a date and time with an offset, from its text. */
  instantOfText(text: Sql): Sql;
  readonly words: WordIndex;
  readonly searchTables: SearchTables;
  /** Objects that one statement changes, where there are many. */
  readonly setSize: number;
  /**
   * The first columns of the indexes of a table that hold all of its rows; of one whose indexes are each of a partition
   * (`search/conditions/partitions.ts`), of all of them.
   */
  leadingColumns(table: string, isPartitioned: boolean): Sql;
  /** The names of the columns of a table with their types; null where values tell theirs. */
  readonly columnTypes: ((table: string) => Sql) | null;
  /** A text column in the order of code points. */
  byCodePoint(column: Sql): Sql;
  /** The member of a JSON object as a text, null where there is none; of a list its JSON text. */
  jsonText(object: Sql, key: string): Sql;
  /** The same as a number, null for what is none. */
  jsonNumber(object: Sql, key: string): Sql;
  /** The condition that a JSON list, null for none, has one of the texts that a `select` gives. */
  jsonListHas(list: Sql, values: Sql): Sql;
  /** The number of items of a JSON list, null for none. */
  jsonLength(list: Sql): Sql;
  /** The member of a JSON object as JSON. */
  jsonMember(object: Sql, key: string): Sql;
  /** A JSON list, as text, of the column `id` of a `select`, in its order. */
  jsonList(select: Sql): Sql;
  /** A JSON list, as text, of objects with these columns of a `select`, in its order. */
  jsonRecords(select: Sql, columns: readonly string[]): Sql;
  readonly insertRow: InsertRow;
  readonly insertRows: InsertRows;
  /** A statement that gives IDs for new rows of a table, which nobody else gets; null where inserts give them at once. */
  readonly reserveRows: ((table: string, count: number) => Sql) | null;
  /** The table `j(value, position)` of the texts in a JSON list. @param list the parameter */
  jsonItems(list: Sql): Sql;
  /** A JSON list of these values, as text. */
  jsonTuple(values: Sql): Sql;
  /** The table `r` of the lists in a JSON list, whose items are columns with these names. @param list the parameter */
  jsonRows(list: Sql, columns: readonly JsonColumn[]): Sql;
  /**
   * The end of a condition on a column: its value is one of those that a `select` gives. PostgreSQL finds the rows by
   * the column's index then. For an `in` it may read the whole table once for each of the values, where it has no
   * statistics of the table yet, such as after an import.
   */
  among(select: Sql): Sql;
  /**
   * The statement that changes the rows with these IDs. SQLite copies each page before it is changed, where one run
   * changes several rows.
   *
   * @param change all but the value of its last condition: `delete from kept where id`
   */
  changeRows(change: Sql, ids: readonly SqlValue[]): Statement;
  /**
   * What is selected from for the rows of a table whose column is in one of these ranges: one range after the other by the
   * column's index, so that it ends as soon as enough are found. Of alternatives in one condition, PostgreSQL would read
   * all before it gives the first row, and SQLite would note each row to give none twice.
   *
   * @param partition the condition of the rows that the index has
   */
  inRanges(
    table: string,
    alias: string,
    column: string,
    ranges: readonly NumberRange[],
    partition: Sql,
  ): Sql;
  /**
   * Joins the rows of a table that meet a condition on the row before, looked up by an index for each of these: where the two
   * have a column with few values in common, PostgreSQL would compare all that have one value with each other.
   */
  lookUp(table: string, alias: string, condition: Sql): Sql;
  /** A `select` whose rows are collected before they are sorted: no index in the order of the result is a way to them. */
  collected(select: Sql): Sql;
  /**
   * Whether that of several `selects` which turns out to be needed is a statement of its own. PostgreSQL plans all parts of a
   * statement, also those that `gate` leaves out, which takes longer than to ask twice.
   */
  readonly splitsChoices: boolean;
  /** How a `select` is left out, none of its rows looked at, unless a condition on no row of it holds. */
  gate(condition: Sql): Gate;
  /** A statement that gathers the statistics of a table, after most of it has changed; null where plans do without. */
  analyze(table: string): Sql | null;
  /** The end of a `select` that locks its rows against changes until the transaction ends. */
  forUpdate(alias: string): Sql;
  /** The same for who changes no key of theirs: others may refer to them meanwhile. */
  readonly forNoKeyUpdate: Sql;
  /** The end of a `select` that locks its rows against deletion until the transaction ends. */
  readonly forKeyShare: Sql;
  /** The end of a `select` that locks its rows against any change until the transaction ends. */
  readonly forShare: Sql;
  /** A statement that takes a lock until the transaction ends, null where only one transaction runs at a time. */
  lock(what: Lock): Sql | null;
  /** The same beside others that take it in this way. */
  lockShared(what: Lock): Sql | null;
  /** The time of the database's own clock, in milliseconds since 1970. */
  readonly clock: Sql;
  /** A statement that notifies a channel's listeners at the commit; null where there is only one process. */
  notify(channel: string, text: string): Sql | null;
}

export interface Gate {
  /** The condition of a `select` around it. */
  readonly where: Sql;
  /** The limit of each part of it that has one. */
  readonly most: (rows: number) => Sql;
}

/** How a column becomes JSON. */
export type JsonType = 'plain' | 'boolean' | 'json' | 'instant';

export interface JsonMember {
  readonly name: string;
  readonly sql: Sql;
  readonly type: JsonType;
}

/** Column types, by the names that both databases know; SQLite does not need them. */
export type ColumnType = 'text' | 'integer' | 'bigint' | 'double precision' | 'boolean';

export interface JsonColumn {
  readonly name: string;
  readonly type: ColumnType;
}

/** Whose turn it is, and until when its rows are wanted. */
export interface Turn {
  readonly origin: string;
  readonly signal: AbortSignal;
}

export interface WriteOptions {
  /** It fails where it would have to wait for another transaction, or to be tried again. */
  readonly isBrief?: boolean;
  /** What a power failure takes of it is done again by itself: it need not be on the disk when it has ended. */
  readonly isRepeatable?: boolean;
  /**
   * Inside a transaction that its caller began, which it takes along when it fails: SQLite copies each page before its first
   * change on a savepoint.
   */
  readonly withoutSavepoint?: boolean;
}

/** Milliseconds after which a read is ended. */
export const READ_TIMEOUT = 15_000;

/** Statements that may take long: one core is left for all else. */
export const APART: QueueSize = {
  running: Math.max(1, availableParallelism() - 1),
  waitingOfOne: 16,
  waiting: 200,
};

/** A table that gets many rows. */
export interface Growing {
  readonly table: string;
  /** The first columns of indexes that are used meanwhile; unique ones are in any case. */
  readonly needs: readonly string[];
}

/** What it takes to change objects. */
export type WritableDatabase = Pick<
  Database,
  'isShared' | 'write' | 'violated' | 'whenCommitted' | 'maintain'
>;

export interface Database {
  readonly dialect: Dialect;

  /** Whether other processes may write to it. */
  readonly isShared: boolean;

  /** Milliseconds that a part of work in the background should take: on SQLite others wait so long to write. */
  readonly partTime: number;

  /** The maximum number of prepared statements per connection. */
  readonly preparedStatements: number;

  /** The rows of a statement, on a read-only connection. @throws ApiError UNAVAILABLE */
  read(statement: Sql | Statement): Soon<readonly Row[]>;

  /**
   * The rows of a statement that may take long: apart from all other reads, few at once, and ended after some seconds.
   *
   * @throws ApiError UNAVAILABLE, also when too many wait; what `wasEnded` recognizes
   */
  readApart(statement: Sql | Statement, turn: Turn): Promise<readonly Row[]>;

  /**
   * Runs work in its own transaction, or as a part of the current `strapi.db.transaction`. It may be retried after a
   * deadlock, so `work` must have no effects other than its statements.
   *
   * @throws ApiError UNAVAILABLE when the database is unavailable, and whatever the work throws
   */
  write<T>(work: () => Work<T>, options?: WriteOptions): Promise<T>;

  /** Whether the caller is within a `strapi.db.transaction`. */
  readonly isInTransaction: boolean;

  /**
   * Listens to the notifications of `dialect.notify`, from this process and others. Those that are sent while the
   * connection is lost do not arrive.
   */
  listen(channel: string, hear: (text: string) => void): void;

  /** Whether an error is the violation of a unique index. */
  violated(error: unknown): boolean;

  /** Whether any error means that the database is unavailable. */
  isAway(error: unknown): boolean;

  /** Whether an error means that a read was ended: it took too long, or nobody waits for its rows. */
  wasEnded(error: unknown): boolean;

  /** Whether an error means that a value cannot be stored in its column. */
  isValueError(error: unknown): boolean;

  /** Runs an effect after the commit of the current `strapi.db.transaction`, at once where there is none. */
  whenCommitted(effect: () => void): void;

  /** For a process that only imports: uses more memory, and accesses the disk less often. */
  prepareForBulk(): Promise<void>;

  /**
   * Runs work that adds so many rows to each of these tables. SQLite makes their indexes anew afterwards, where that is
   * faster, so that searches may take long meanwhile.
   */
  whileAdding<T>(rows: number, tables: readonly Growing[], work: () => Promise<T>): Promise<T>;

  /**
   * After a bulk, and before what reads everything. PostgreSQL gathers the statistics of all tables, without which it
   * chooses wrong plans, and marks the pages whose rows everybody sees, without which it looks up each row that an index
   * has; by itself it does so a minute later.
   */
  maintain(): Promise<void>;

  /** What is in use of it now. */
  readonly load: DatabaseLoad;

  close(): Promise<void>;
}

/** Statements and connections that are in use. */
export interface DatabaseLoad {
  /** `writer` alone where reads do not wait for a connection. */
  readonly pools: Readonly<Partial<Record<'writer' | 'reader' | 'searcher', PoolLoad>>>;
  /** Statements of `readApart`. */
  readonly searches: QueueLoad;
}

/** Prepared statements per connection; the service has far fewer different texts. */
export const MAX_PREPARED = 1000;

/** Seconds until a retry; a database restarts within this time. */
const RETRY_AFTER = '2';

/** The refusal of a request while the database is unavailable. */
export function unavailable(cause: unknown): ApiError {
  const error = fail('UNAVAILABLE', {}, { 'Retry-After': RETRY_AFTER });
  error.cause = cause;
  return error;
}
