/**
 * Searches by place had an index of cells.
 * The tables in which objects are searched follow from their declarations now (`0050-projections.ts`): what was done here is
 * left out. Databases have noted the name.
 */
export function up(): void {
  // Nothing is left to be done.
}
