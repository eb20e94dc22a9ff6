import type BetterSqlite3 from 'better-sqlite3';
import type { SqlValue, Statement } from './sql';
import type { Row } from './work';

/** A statement whose rows are lists of values. */
export function prepare(handle: BetterSqlite3.Database, text: string): BetterSqlite3.Statement {
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
