/** Statistics of measurements. */

/** The median. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const low = sorted[Math.floor(middle)] ?? NaN;
  const high = sorted[Math.ceil(middle)] ?? NaN;
  return (low + high) / 2;
}

/** The spread of the values: the difference between the largest and the smallest, relative to the median. */
export const spread = (values: readonly number[]): number =>
  (Math.max(...values) - Math.min(...values)) / median(values);

/** A percentile. @param sorted ascending */
export const percentile = (sorted: Float64Array, part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;

/** The ratios of values that were measured in the same round. */
export const ratios = (values: readonly number[], to: readonly number[]): number[] =>
  values.map((value, round) => value / (to[round] ?? NaN));
