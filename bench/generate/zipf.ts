import type { Random } from '../data/random';

/**
 * Picks values as often as Zipf's law has it: the second half as often as the first, the third a third as often.
 *
 * @param values the most frequent first
 */
export function createZipf<T>(values: readonly T[]): (random: Random) => T {
  let total = 0;
  const sums = values.map((_, i) => (total += 1 / (i + 1)));
  return (random) => {
    const wanted = random.next() * total;
    let [low, high] = [0, sums.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] ?? 0) > wanted) high = middle;
      else low = middle + 1;
    }
    const value = values[low];
    if (value === undefined) throw new RangeError('nothing to pick from');
    return value;
  };
}
