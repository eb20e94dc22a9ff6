/** IDs of rows that a process has reserved, and that no row has yet: those that one transaction leaves, the next one takes. */
export class SpareRows {
  private readonly ids = new Map<string, number[]>();

  /** As many as there are, and no more than wanted. */
  take(table: string, wanted: number): readonly number[] {
    return this.ids.get(table)?.splice(0, wanted) ?? [];
  }

  put(table: string, ids: readonly number[]): void {
    const known = this.ids.get(table);
    if (known) known.push(...ids);
    else this.ids.set(table, [...ids]);
  }
}
