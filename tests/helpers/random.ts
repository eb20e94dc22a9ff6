/** Random values that are the same for the same seed (mulberry32). */
export interface Random {
  /** From 0 to less than 1. */
  readonly next: () => number;
  readonly chance: (probability: number) => boolean;
  /** One of these. @throws Error when there is none */
  readonly pick: <T>(values: readonly T[]) => T;
  /** So many of these, each once at most. */
  readonly among: <T>(values: readonly T[], count: number) => T[];
  /** Goes on as a new one of this seed, whatever was drawn before. */
  readonly restart: (seed: number) => void;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const pick = <T>(values: readonly T[]): T => {
    if (values.length === 0) throw new Error('nothing to pick from');
    return values[Math.floor(next() * values.length)] as T;
  };
  return {
    next,
    chance: (probability) => next() < probability,
    pick,
    among(values, count) {
      const left = [...values];
      return Array.from({ length: Math.min(count, left.length) }, () => {
        const at = Math.floor(next() * left.length);
        return left.splice(at, 1)[0] as (typeof values)[number];
      });
    },
    restart(from) {
      state = from >>> 0;
    },
  };
}
