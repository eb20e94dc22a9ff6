/** What the two databases have in common, and the only names by which the rest knows them. */
import type { Core } from '@strapi/strapi';
import { PostgresDatabase } from './postgres';
import { SqliteDatabase } from './sqlite';
import type { Row, SqlValue, Work } from './work';

/** What one transaction at a time may change. */
export type Lock = 'trees' | 'administrators';

/** The few places where the SQL of the two differs. */
export interface Dialect {
  /** A JSON object, as text, of columns by their names on the wire. */
  jsonObject(members: readonly JsonMember[]): string;
  /** A value that is written into a timestamp column. */
  instant(milliseconds: number): SqlValue;
  boolean(value: boolean): SqlValue;
  /** A list, as JSON text, of the column `id` of a `select`, in its order. */
  jsonList(select: string): string;
  /** The table `j(value, position)` of the texts in a JSON list, one parameter. */
  readonly jsonItems: string;
  /** Ends a `select` whose row nobody else may change before the transaction ends. */
  readonly forUpdate: (alias: string) => string;
  /** Ends a `select` whose rows nobody else may delete before the transaction ends. */
  readonly forKeyShare: string;
  /** A statement that lets one transaction at a time past it, null where there is only one. */
  lock(what: Lock): string | null;
  /** A statement that tells a channel's listeners of the commit, one parameter; null where there is one process. */
  notify(channel: string): string | null;
}

export type JsonType = 'plain' | 'boolean' | 'json' | 'instant';

export interface JsonMember {
  readonly name: string;
  readonly sql: string;
  readonly type: JsonType;
}

export interface Database {
  readonly dialect: Dialect;

  /** Whether other processes may change it too. */
  readonly isShared: boolean;

  /** Rows of one statement, on a read-only connection. @throws WireError UNAVAILABLE */
  read(text: string, values: readonly SqlValue[]): Promise<readonly Row[]>;

  /**
   * Runs work in a transaction of its own, or as a part of the `strapi.db.transaction` that is
   * under way. It may be run again when the database asks for it: `work` must have no effects
   * beside its statements.
   *
   * @throws WireError UNAVAILABLE when the database cannot be asked, and whatever the work throws
   */
  write<T>(work: () => Work<T>): Promise<T>;

  /**
   * Listens to what `dialect.notify` tells, of this process and of others. What is told while the
   * connection is away is lost.
   */
  listen(channel: string, hear: (text: string) => void): void;

  /** Whether this error is that of a unique index. */
  violated(error: unknown): boolean;

  /** Runs an effect when the `strapi.db.transaction` that is under way has been committed, at once where there is none. */
  whenCommitted(effect: () => void): void;

  /** For a process that does nothing but write a great deal: takes more memory, and goes to the disk less often. */
  prepareForBulk(): Promise<void>;

  close(): Promise<void>;
}

/** The database that Strapi has been configured with, after it has connected. */
export function openDatabase(strapi: Core.Strapi): Database {
  return strapi.db.dialect.client === 'postgres'
    ? new PostgresDatabase(strapi)
    : new SqliteDatabase(strapi);
}
