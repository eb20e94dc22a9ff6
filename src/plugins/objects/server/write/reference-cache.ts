import type { SqlValue } from '../database/sql';

/**
 * The reference cache of one transaction: what its changes have looked up about the objects that they refer to, so that
 * a thousand encounters of one taxon need one query. It has to be cleared when such an object changes, and when a
 * change is rolled back: on PostgreSQL that releases the locks that keep the entries valid.
 */
export class ReferenceCache {
  private readonly ids = new Map<string, Set<string>>();
  private readonly answers = new Map<string, SqlValue>();
  private readonly ancestors = new Map<string, readonly SqlValue[]>();

  /** The IDs of a type, with what the caller may do with them, that are known to exist; to be added to. */
  existing(what: string): Set<string> {
    const known = this.ids.get(what) ?? new Set();
    this.ids.set(what, known);
    return known;
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
    this.ancestors.clear();
  }
}
