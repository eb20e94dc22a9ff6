import fc from 'fast-check';
import { cellOf, rangesOf, type Box } from './cells';

const latitudes = fc.oneof(
  fc.constantFrom(-90, 90, 0, 45),
  fc.double({ min: -90, max: 90, noNaN: true }),
);
const longitudes = fc.oneof(
  fc.constantFrom(-180, 180, 0, 90),
  fc.double({ min: -180, max: 180, noNaN: true }),
);
const boxes = fc
  .tuple(longitudes, latitudes, longitudes, latitudes)
  .map(([west, a, east, b]): Box => [west, Math.min(a, b), east, Math.max(a, b)]);
const small = fc
  .tuple(longitudes, latitudes, fc.double({ min: 0, max: 0.01, noNaN: true }))
  .map(([x, y, size]): Box => [x, y, Math.min(x + size, 180), Math.min(y + size, 90)]);

/** Whether a position is in a box: both meridians of 180° are the same, and a pole has every longitude. */
function isIn(latitude: number, longitude: number, [west, south, east, north]: Box): boolean {
  if (latitude < south || latitude > north) return false;
  if (Math.abs(latitude) === 90) return true;
  const longitudes = Math.abs(longitude) === 180 ? [-180, 180] : [longitude];
  return longitudes.some((x) => (west > east ? x >= west || x <= east : x >= west && x <= east));
}

const isCovered = (cell: number, box: Box): boolean =>
  rangesOf([box]).some(([from, to]) => cell >= from && cell <= to);

test('the ranges of a box have the cell of every position in it', () => {
  fc.assert(
    fc.property(fc.oneof(boxes, small), latitudes, longitudes, (box, latitude, longitude) => {
      const [west, south, east, north] = box;
      const corners = [west, east].flatMap((x) => [south, north].map((y) => [y, x] as const));
      for (const [y, x] of [...corners, [latitude, longitude] as const])
        if (isIn(y, x, box)) expect(isCovered(cellOf(y, x), box)).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

test('ranges are few, in their order and apart', () => {
  fc.assert(
    fc.property(fc.oneof(boxes, small), (box) => {
      const ranges = rangesOf([box]);
      expect(ranges.length).toBeLessThanOrEqual(32);
      for (const [at, [from, to]] of ranges.entries()) {
        expect(to).toBeGreaterThanOrEqual(from);
        if (at > 0) expect(from).toBeGreaterThan((ranges[at - 1]?.[1] ?? 0) + 1);
      }
    }),
  );
});

test('the ranges of a small box are a small part of the curve', () => {
  const length = (box: Box): number =>
    rangesOf([box]).reduce((sum, [from, to]) => sum + to - from + 1, 0);
  // A degree at the equator: a part in 64,800, and not ten times as much.
  expect(length([34.3, -2.6, 35.3, -1.6]) / 2 ** 48).toBeLessThan(2 / 64_800);
});

test('numbers are exact, and those of positions beside each other are near', () => {
  expect(cellOf(90, 17)).toBe(cellOf(90, -180));
  expect(cellOf(12, 180)).toBe(cellOf(12, -180));
  expect(cellOf(89.99999999, 179.99999999)).toBe(2 ** 48 - 1);
  expect(cellOf(-2.333301, 34.833301)).toBe(cellOf(-2.3333012, 34.8333012));
});
