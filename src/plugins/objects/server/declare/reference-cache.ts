import type { Sql, SqlValue } from '../database/sql';

/**
 * The reference cache of one transaction: what its changes have looked up about the objects that they refer to, so that
 * a thousand encounters of one taxon need one query. It has to be cleared when such an object changes, and when a
 * change is rolled back: on PostgreSQL that releases the locks that keep the entries valid.
 */
export class ReferenceCache {
  private readonly ids = new Map<Sql, Map<string, Set<string>>>();
  private readonly rows = new Map<string, SqlValue>();
  private readonly answers = new Map<string, SqlValue>();
  private readonly ancestors = new Map<string, readonly SqlValue[]>();

  /** The IDs that a statement is known to find for a caller; to be added to. @param caller what it asks of the caller */
  existing(statement: Sql, caller: string): Set<string> {
    const byCaller = this.ids.get(statement) ?? new Map<string, Set<string>>();
    const known = byCaller.get(caller) ?? new Set();
    this.ids.set(statement, byCaller.set(caller, known));
    return known;
  }

  /** The ID of an object's row. */
  row(type: string, id: SqlValue): SqlValue | undefined {
    return this.rows.get(`${type} ${id}`);
  }

  putRow(type: string, id: SqlValue, row: SqlValue): void {
    this.rows.set(`${type} ${id}`, row);
  }

  /** The ancestors of objects of a tree, by ID; see `ancestorsOf`. */
  line(question: string): readonly SqlValue[] | undefined {
    return this.ancestors.get(question);
  }

  /** @param line empty for an object that does not exist, which is not cached, because it may be created later */
  putLine(question: string, line: readonly SqlValue[]): void {
    if (line.length > 0) this.ancestors.set(question, line);
  }

  /** What else has been looked up, by a name for the question. */
  answer(question: string): SqlValue | undefined {
    return this.answers.get(question);
  }

  putAnswer(question: string, answer: SqlValue): void {
    this.answers.set(question, answer);
  }

  clear(): void {
    this.answers.clear();
    this.ids.clear();
    this.rows.clear();
    this.ancestors.clear();
  }
}
