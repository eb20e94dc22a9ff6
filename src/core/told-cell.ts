/** The squares in which strangers are told a position that is not open (contract, section 6), for service and panel alike. */

/** Units of a degree, and of the side of a cell: 0.2°. */
const UNITS = 1e7;
const SIDE = 2e6;
/** The last cell of each axis: 90 and 180 degrees belong to it. */
const LAST = { latitude: 449, longitude: 899 } as const;

/** The number of a cell on one axis. @param degrees WGS 84 */
export const axisCellOf = (axis: keyof typeof LAST, degrees: number): number =>
  Math.min(Math.floor(Math.round(degrees * UNITS) / SIDE), LAST[axis]);

/** Tenths of a degree are what divides exactly: the center of a cell, in degrees. */
export const centreOf = (cell: number): number => (2 * cell + 1) / 10;

/** The edges of a cell, in degrees: south or west, and north or east. */
export const edgesOf = (cell: number): readonly [number, number] => [cell / 5, (cell + 1) / 5];
