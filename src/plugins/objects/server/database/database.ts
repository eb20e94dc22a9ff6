/** What the two databases have in common, and the only names by which the rest knows them. */
import type { Sql, SqlValue, Statement } from './sql';
import type { Row, Work } from './work';

/** What one transaction at a time may change. */
export type Lock = 'trees' | 'administrators';

/** The few places where the SQL of the two differs. */
export interface Dialect {
  /** A JSON object, as text, of columns by their names on the wire. */
  jsonObject(members: readonly JsonMember[]): Sql;
  /** A value that is written into a timestamp column. */
  instant(milliseconds: number): SqlValue;
  boolean(value: boolean): SqlValue;
  /** A list, as JSON text, of the column `id` of a `select`, in its order. */
  jsonList(select: Sql): Sql;
  /** The table `j(value, position)` of the texts in a JSON list. @param list the parameter */
  jsonItems(list: Sql): Sql;
  /** The table `r` of the lists in a JSON list, whose items are columns with these names. @param list the parameter */
  jsonRows(list: Sql, columns: readonly JsonColumn[]): Sql;
  /** Ends a `select` whose row nobody else may change before the transaction ends. */
  forUpdate(alias: string): Sql;
  /** Ends a `select` whose rows nobody else may delete before the transaction ends. */
  readonly forKeyShare: Sql;
  /** A statement that lets one transaction at a time past it, null where there is only one. */
  lock(what: Lock): Sql | null;
  /** A statement that tells a channel's listeners of the commit; null where there is one process. */
  notify(channel: string, text: string): Sql | null;
}

/** How a column becomes JSON. */
export type JsonType = 'plain' | 'boolean' | 'json' | 'instant';

export interface JsonMember {
  readonly name: string;
  readonly sql: Sql;
  readonly type: JsonType;
}

/** Types of columns by their names in both databases; SQLite asks for none. */
export type ColumnType = 'text' | 'integer' | 'bigint' | 'double precision' | 'boolean';

export interface JsonColumn {
  readonly name: string;
  readonly type: ColumnType;
}

export interface Database {
  readonly dialect: Dialect;

  /** Whether other processes may change it too. */
  readonly isShared: boolean;

  /** How many statements are kept prepared, at most, by one connection. */
  readonly preparedStatements: number;

  /** Rows of one statement, on a read-only connection. @throws ApiError UNAVAILABLE */
  read(statement: Sql | Statement): Promise<readonly Row[]>;

  /**
   * Runs work in a transaction of its own, or as a part of the `strapi.db.transaction` that is
   * under way. It may be run again when the database asks for it: `work` must have no effects
   * beside its statements.
   *
   * @throws ApiError UNAVAILABLE when the database cannot be asked, and whatever the work throws
   */
  write<T>(work: () => Work<T>): Promise<T>;

  /**
   * Listens to what `dialect.notify` tells, of this process and of others. What is told while the
   * connection is away is lost.
   */
  listen(channel: string, hear: (text: string) => void): void;

  /** Whether this error is that of a unique index. */
  violated(error: unknown): boolean;

  /** Whether an error, of whoever asks it, says that the database cannot be asked now. */
  isAway(error: unknown): boolean;

  /** Whether an error says that a value is none of its column's type, or none that can be stored. */
  isValueError(error: unknown): boolean;

  /** Runs an effect when the `strapi.db.transaction` that is under way has been committed, at once where there is none. */
  whenCommitted(effect: () => void): void;

  /** For a process that does nothing but write a great deal: takes more memory, and goes to the disk less often. */
  prepareForBulk(): Promise<void>;

  close(): Promise<void>;
}

/** Statements that one connection keeps prepared; there are far fewer texts than that. */
export const MAX_PREPARED = 1000;
