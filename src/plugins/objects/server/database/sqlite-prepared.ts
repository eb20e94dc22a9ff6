import type BetterSqlite3 from 'better-sqlite3';
import type { SqlValue, Statement } from './sql';
import type { Row } from './work';

/**
 * How many statements whose text depends on a request a connection keeps prepared: to compile one of a search takes as long
 * as to run it, and each takes up to some 100 KiB.
 */
export const MAX_RECENT = 32;

/** The statements that a connection has run last, prepared. */
export class PreparedStatements {
  private readonly recent = new Map<string, BetterSqlite3.Statement>();

  /** @param most how many are kept */
  constructor(
    private readonly handle: BetterSqlite3.Database,
    private readonly most: number,
  ) {}

  get size(): number {
    return this.recent.size;
  }

  prepare(text: string): BetterSqlite3.Statement {
    const prepared = this.recent.get(text) ?? prepare(this.handle, text);
    // The last one in is the last one to go.
    this.recent.delete(text);
    this.recent.set(text, prepared);
    const [oldest] = this.recent.keys();
    if (this.recent.size > this.most && oldest !== undefined) this.recent.delete(oldest);
    return prepared;
  }
}

/** A statement whose rows are lists of values. */
function prepare(handle: BetterSqlite3.Database, text: string): BetterSqlite3.Statement {
  const made = handle.prepare(text);
  if (made.reader) made.raw(true);
  return made;
}

export function rowsOf(
  prepared: BetterSqlite3.Statement,
  values: readonly SqlValue[],
): readonly Row[] {
  if (prepared.reader) return prepared.all(...values) as Row[];
  prepared.run(...values);
  return [];
}

/** Runs an insert once with each of these values. */
export function rowsOfEach(
  prepared: BetterSqlite3.Statement,
  each: readonly (readonly SqlValue[])[],
  { givesIds }: Pick<Statement, 'givesIds'>,
): readonly Row[] {
  const rows: Row[] = [];
  for (const values of each) {
    const { lastInsertRowid } = prepared.run(...values);
    if (givesIds) rows.push([values[0] ?? null, lastInsertRowid]);
  }
  return rows;
}
