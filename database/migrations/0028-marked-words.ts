/**
 * The words of encounters that not everybody sees as they are stored had marks.
 * The tables in which objects are searched follow from their declarations now (`0050-projections.ts`): what was done here is
 * left out. Databases have noted the name.
 */
export function up(): void {
  // Nothing is left to be done.
}
