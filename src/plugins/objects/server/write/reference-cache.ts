import type { SqlValue } from '../database/sql';

/**
 * What the changes of one transaction have looked up of the objects that they refer to, so that a thousand encounters
 * of one taxon ask once. It has to be cleared when such an object changes, and when a change is undone: on PostgreSQL
 * that gives up the locks which keep the answers true.
 */
export class ReferenceCache {
  private readonly ids = new Map<string, Set<string>>();
  private readonly ancestors = new Map<string, readonly SqlValue[]>();

  /** The IDs of a type, with what the caller may do with them, that are known to exist; to be added to. */
  existing(what: string): Set<string> {
    const known = this.ids.get(what) ?? new Set();
    this.ids.set(what, known);
    return known;
  }

  /** The IDs up a tree, by what was asked; see `ancestorsOf`. */
  line(question: string): readonly SqlValue[] | undefined {
    return this.ancestors.get(question);
  }

  /** @param line empty for an object that is not there, which may come yet, and is asked for again */
  putLine(question: string, line: readonly SqlValue[]): void {
    if (line.length > 0) this.ancestors.set(question, line);
  }

  clear(): void {
    this.ids.clear();
    this.ancestors.clear();
  }
}
