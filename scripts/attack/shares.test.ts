import { createRandom } from '../../bench/data/random';
import { cellNumber, distance, medianOf, moved, SIDE, type Place } from './places';
import { homeByShares, normal } from './shares';

const cellOf = ({ latitude, longitude }: Place): Place => ({
  latitude: (cellNumber(latitude) + 0.5) * SIDE,
  longitude: (cellNumber(longitude) + 0.5) * SIDE,
});

test('nothing is said of no records', () => {
  expect(homeByShares([])).toBeNull();
});

test('records of one cell alone say its centre', () => {
  const cell = { latitude: -2.3, longitude: 34.9 };
  const home = homeByShares(Array.from({ length: 20 }, () => cell));
  expect(distance(home ?? moved(cell, 99, 0), cell)).toBeLessThan(0.01);
});

test('equal shares of two cells say the border between them', () => {
  const home = homeByShares([
    ...Array.from({ length: 10 }, () => ({ latitude: -2.3, longitude: 34.9 })),
    ...Array.from({ length: 10 }, () => ({ latitude: -2.3, longitude: 35.1 })),
  ]);
  expect(home?.latitude).toBeCloseTo(-2.3, 3);
  expect(home?.longitude).toBeCloseTo(35, 3);
});

test('shares of cells find homes of 3 to 5 km far better than a cell does', () => {
  const random = createRandom(1);
  const errors: [found: number, cell: number][] = Array.from({ length: 60 }, () => {
    const home = { latitude: random.between(-20, 20), longitude: random.between(10, 40) };
    const spread = random.between(3, 5);
    const cells = Array.from({ length: 48 }, () =>
      cellOf(moved(home, random.normal() * spread, random.normal() * spread)),
    );
    return [distance(homeByShares(cells) ?? home, home), distance(cellOf(home), home)];
  });
  const [found, cell] = [0, 1].map((at) => medianOf(errors.map((pair) => pair[at] ?? NaN)));
  expect((found ?? NaN) / (cell ?? NaN)).toBeLessThan(0.35);
});

test.each([
  [0, 0.5],
  [1, 0.841345],
  [-1.96, 0.024998],
])('the normal distribution at %d is %d', (x, share) => {
  expect(normal(x)).toBeCloseTo(share, 5);
});
