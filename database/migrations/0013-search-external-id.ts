/**
 * Searches by external ID had an index of their own.
 * The tables in which objects are searched follow from their declarations now (`0050-projections.ts`): what was done here is
 * left out. Databases have noted the name.
 */
export function up(): void {
  // Nothing is left to be done.
}
