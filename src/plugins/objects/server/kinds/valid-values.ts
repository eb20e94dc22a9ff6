/** The number of cached values per field, and their maximum length. */
const MAX_VALUES = 4_096;
const MAX_LENGTH = 64;

/**
 * A cache of valid values of one field, or of the items of its list. Most values of an import recur (the place, the source, the sex), and yup takes
 * about 5 µs for each.
 */
export class ValidValues {
  private readonly values = new Set<unknown>();

  has(value: unknown): boolean {
    return this.values.has(value);
  }

  add(value: unknown): void {
    const isSmall =
      typeof value === 'string'
        ? value.length <= MAX_LENGTH
        : value === null || Number.isFinite(value);
    if (!isSmall) return;
    if (this.values.size === MAX_VALUES) this.values.clear();
    this.values.add(value);
  }
}
