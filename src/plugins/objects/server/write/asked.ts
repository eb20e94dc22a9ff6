import type { SqlValue } from '../database/work';

/**
 * What the changes of one transaction have found out about the objects that they refer to, so that a thousand
 * encounters of one taxon ask once. It has to be forgotten when such an object changes, and when a change is undone: on
 * PostgreSQL that gives up the locks which keep the answers true.
 */
export class Asked {
  private readonly ids = new Map<string, Set<string>>();
  private readonly lines = new Map<string, readonly SqlValue[]>();

  /** The IDs of a type that are known to exist; to be added to. */
  existing(type: string): Set<string> {
    const known = this.ids.get(type) ?? new Set();
    this.ids.set(type, known);
    return known;
  }

  /** The values up a tree, by what was asked; see `upwards`. */
  line(question: string): readonly SqlValue[] | undefined {
    return this.lines.get(question);
  }

  /** @param line empty for an object that is not there, which may come yet, and is asked for again */
  remember(question: string, line: readonly SqlValue[]): void {
    if (line.length > 0) this.lines.set(question, line);
  }

  forget(): void {
    this.ids.clear();
    this.lines.clear();
  }
}
