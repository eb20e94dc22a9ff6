/**
 * The indexes by which encounters are searched had further columns beside their own.
 * The tables in which objects are searched follow from their declarations now (`0050-projections.ts`): what was done here is
 * left out. Databases have noted the name.
 */
export function up(): void {
  // Nothing is left to be done.
}
