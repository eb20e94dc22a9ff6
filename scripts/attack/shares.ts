/**
 * Where an animal lives, by the cells in which it was seen: the mean of all places and spreads, each weighted by how likely
 * it makes these shares of cells (a normal distribution around the home, the same in all directions). Pure.
 */
import { cellNumber, degreeOfLatitude, degreeOfLongitude, SIDE, type Place } from './places';

/** Kilometres: the spreads that are tried, and the steps in which places are. */
const SPREADS = Array.from({ length: 17 }, (_, at) => 1 + at / 2);
const STEP = 0.5;

/** One axis: how often the animal was seen in each row or column of cells. */
interface Axis {
  /** Kilometres of a cell. */
  readonly side: number;
  readonly counts: ReadonlyMap<number, number>;
}

/** Of one spread, on one axis: how likely it is, and the mean place, in kilometres from the origin of the grid. */
interface Fit {
  readonly logLikelihood: number;
  readonly mean: number;
}

/** The distribution function of the normal distribution (Abramowitz and Stegun 26.2.17, error below 7.5e-8). */
export function normal(x: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(x));
  const series =
    t *
    (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const tail = (Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)) * series;
  return x >= 0 ? 1 - tail : tail;
}

const axisOf = (numbers: readonly number[], side: number): Axis => {
  const counts = new Map<number, number>();
  for (const number of numbers) counts.set(number, (counts.get(number) ?? 0) + 1);
  return { side, counts };
};

function fit({ side, counts }: Axis, spread: number): Fit {
  const numbers = [...counts.keys()];
  const [from, to] = [Math.min(...numbers) * side, (Math.max(...numbers) + 1) * side];
  const [places, logs]: [number[], number[]] = [[], []];
  for (let place = from + STEP / 2; place < to; place += STEP) {
    let log = 0;
    for (const [number, count] of counts) {
      const share =
        normal(((number + 1) * side - place) / spread) - normal((number * side - place) / spread);
      log += count * Math.log(Math.max(share, 1e-12));
    }
    places.push(place);
    logs.push(log);
  }
  const best = Math.max(...logs);
  const weights = logs.map((log) => Math.exp(log - best));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const mean = places.reduce((total, place, at) => total + place * (weights[at] ?? 0), 0) / sum;
  return { logLikelihood: best + Math.log(sum), mean };
}

/**
 * @param cells the centres of cells, one for each time that the animal was seen
 * @returns null for none
 */
export function homeByShares(cells: readonly Place[]): Place | null {
  const [first] = cells;
  if (!first) return null;
  const sides = [SIDE * degreeOfLatitude(), SIDE * degreeOfLongitude(first.latitude)] as const;
  const axes = [
    axisOf(
      cells.map(({ latitude }) => cellNumber(latitude)),
      sides[0],
    ),
    axisOf(
      cells.map(({ longitude }) => cellNumber(longitude)),
      sides[1],
    ),
  ] as const;
  const fits = SPREADS.map((spread) => axes.map((axis) => fit(axis, spread)));
  const logs = fits.map((both) => both.reduce((sum, { logLikelihood }) => sum + logLikelihood, 0));
  const best = Math.max(...logs);
  const weights = logs.map((log) => Math.exp(log - best));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const mean = (axis: number): number =>
    fits.reduce((total, both, at) => total + (both[axis]?.mean ?? 0) * (weights[at] ?? 0), 0) / sum;
  return {
    latitude: (mean(0) / sides[0]) * SIDE,
    longitude: (mean(1) / sides[1]) * SIDE,
  };
}
