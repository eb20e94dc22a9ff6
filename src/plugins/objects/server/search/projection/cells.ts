/**
 * Cells of the Earth's surface, numbered along a Z-order curve, so that an index has those that are near each other
 * together: a box is a few ranges of numbers.
 */

import type { NumberRange } from '../../database/number-ranges';

/** West, south, east, north, in degrees; one whose west is greater than its east crosses the date line. */
export type Box = readonly [west: number, south: number, east: number, north: number];

/** Of each side of the grid, as a power of two: a cell is 2.4 m wide at the equator. */
const BITS = 24;
const SIDE = 2 ** BITS;
/** Bits that are spread at once. */
const HALF = BITS / 2;
const MASK = 2 ** HALF - 1;

/** Ranges of one box: more of them cover less beside it. */
const MAX_RANGES = 32;

/** Bits with a gap before each. */
const SPREAD = Array.from({ length: MASK + 1 }, (_, bits) => {
  let spread = 0;
  for (let bit = 0; bit < HALF; bit += 1) spread += ((bits >> bit) & 1) * 4 ** bit;
  return spread;
});
const spread = (bits: number): number => SPREAD[bits] ?? 0;

const cellAt = (x: number, y: number): number =>
  (2 * spread(y >> HALF) + spread(x >> HALF)) * SIDE + 2 * spread(y & MASK) + spread(x & MASK);

const columnOf = (longitude: number): number =>
  Math.min(Math.floor(((longitude + 180) / 360) * SIDE), SIDE - 1);
const rowOf = (latitude: number): number =>
  Math.min(Math.floor(((latitude + 90) / 180) * SIDE), SIDE - 1);

/** The number of the cell of a position. The meridian of 180° counts as that of -180°, and a pole is in one cell. */
export function cellOf(latitude: number, longitude: number): number {
  const isAtSeam = longitude === 180 || Math.abs(latitude) === 90;
  return cellAt(isAtSeam ? 0 : columnOf(longitude), rowOf(latitude));
}

/** Columns and rows, the last ones included. */
interface Area {
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  readonly top: number;
}

function areasOf([west, south, east, north]: Box): Area[] {
  if (west > east)
    return [...areasOf([west, south, 180, north]), ...areasOf([-180, south, east, north])];
  const [bottom, top] = [rowOf(south), rowOf(north)];
  return [
    { left: columnOf(west), right: columnOf(east), bottom, top },
    ...(east === 180 ? [{ left: 0, right: 0, bottom, top }] : []),
    ...(north === 90 ? [{ left: 0, right: 0, bottom: top, top }] : []),
    ...(south === -90 ? [{ left: 0, right: 0, bottom, top: bottom }] : []),
  ];
}

/** A square of cells, which are together on the curve. */
interface Square {
  readonly x: number;
  readonly y: number;
  readonly size: number;
}

const meets = ({ x, y, size }: Square, { left, right, bottom, top }: Area): boolean =>
  x <= right && x + size > left && y <= top && y + size > bottom;
const isWithin = ({ x, y, size }: Square, { left, right, bottom, top }: Area): boolean =>
  x >= left && x + size - 1 <= right && y >= bottom && y + size - 1 <= top;

const quarters = ({ x, y, size }: Square): Square[] => {
  const half = size / 2;
  return [
    { x, y, size: half },
    { x: x + half, y, size: half },
    { x, y: y + half, size: half },
    { x: x + half, y: y + half, size: half },
  ];
};

/** Ranges with all cells of these boxes, and some others around them; in their order, none beside another. */
export function rangesOf(boxes: readonly Box[]): NumberRange[] {
  const areas = boxes.flatMap(areasOf);
  const isWhole = (square: Square): boolean =>
    square.size === 1 || areas.some((area) => isWithin(square, area));
  const divide = (square: Square): Square[] =>
    isWhole(square)
      ? [square]
      : quarters(square).filter((quarter) => areas.some((area) => meets(quarter, area)));
  let squares: Square[] = [{ x: 0, y: 0, size: SIDE }];
  while (!squares.every(isWhole)) {
    const smaller = squares.flatMap(divide);
    if (smaller.length > MAX_RANGES) break;
    squares = smaller;
  }
  const ranges: [number, number][] = [];
  for (const { x, y, size } of squares) {
    const from = cellAt(x, y);
    const last = ranges.at(-1);
    if (last?.[1] === from - 1) last[1] = from + size * size - 1;
    else ranges.push([from, from + size * size - 1]);
  }
  return ranges;
}
