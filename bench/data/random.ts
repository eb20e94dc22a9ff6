/** Random numbers that are the same for the same seed. */
export interface Random {
  /** From 0 to 1, without 1. */
  next(): number;
  /** A whole number from 0 to `limit`, without it. */
  below(limit: number): number;
  /** From the first to the second. */
  between(from: number, to: number): number;
  pick<T>(values: readonly T[]): T;
  /** Around 0, with a standard deviation of 1. */
  normal(): number;
  /** A UUID of version 4. */
  uuid(): string;
}

const GOLDEN = 0x9e3779b9;

/** SplitMix32: 32 bits of state, more than enough to fill a table with. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const bits = (): number => {
    state = (state + GOLDEN) >>> 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  };
  const next = (): number => bits() / 2 ** 32;
  const hex = (digits: number): string => bits().toString(16).padStart(8, '0').slice(0, digits);
  return {
    next,
    below: (limit) => Math.floor(next() * limit),
    between: (from, to) => from + next() * (to - from),
    pick<T>(values: readonly T[]): T {
      const value = values[Math.floor(next() * values.length)];
      if (value === undefined) throw new RangeError('nothing to pick from');
      return value;
    },
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(8)}${hex(4)}`,
  };
}
