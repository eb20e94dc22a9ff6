/** Who finds the rows of a table with a row for each audience, and their keys: they are in the order of time. */
import { randomInt } from 'node:crypto';

/** Who finds a row. */
export const AUDIENCE = { everybody: 0, strangers: 1, insiders: 2 } as const;

/** Units of the time in a key: 16 milliseconds; from the year 1716, for more than a thousand years. */
const UNIT = 16n;
const FIRST = -8_000_000_000_000n;
const UNITS = (1n << 41n) - 1n;
/** For the rows of the same time. One whose key is taken has the next free one, be it among those of the next unit. */
export const BITS = 22n;

/** The least key of a time: rows without one are before all others. */
export function leastKey(start: number | null): bigint {
  const units = start === null ? -1n : (BigInt(start) - FIRST) / UNIT;
  const unit = units < 0n ? (start === null ? -1n : 0n) : units < UNITS ? units : UNITS - 1n;
  return unit << BITS;
}

/** A key among those of a time. By chance: the order in which objects were made tells of those that nobody may know. */
export const timeKey = (start: number | null): bigint =>
  leastKey(start) + BigInt(randomInt(2 ** Number(BITS)));
