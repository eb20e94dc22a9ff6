import { testDatabase } from '../helpers/database';

/** The size of the tests: short in the suite, long with OMS_TORTURE=long (`npm run torture`). */

export const isLong = process.env['OMS_TORTURE'] === 'long';

/** The number of kills. */
export const KILLS = isLong ? 20 : testDatabase === 'postgres' ? 1 : 2;

/** The number of kills during uploads. */
export const UPLOAD_KILLS = isLong ? 20 : 1;

/** The number of kills of one of several servers. */
export const SERVER_KILLS = isLong ? 20 : 2;

/** Requests, at the least, while several servers are restarted one after the other. */
export const WHILE_RESTARTED = isLong ? 100_000 : 3000;

/** Runs of the service that are traced, and the power failures that are tried of each. */
export const TRACES = isLong ? 5 : 1;
export const IMAGES = isLong ? 100 : 10;

/** Faults of each kind that a disk has. */
export const FAULTS = isLong ? 100 : 5;

/** Encounters of an individual and of a user that are deleted. */
export const DELETED = isLong
  ? ({ individual: 20_000, user: 100_000 } as const)
  : ({ individual: 1500, user: 1500 } as const);

/** From which everything random follows; OMS_TORTURE_SEED repeats a run, but for the machine's own timing. */
export const SEED = Number(process.env['OMS_TORTURE_SEED'] ?? Date.now() % 2 ** 31);

/** A number from 0 to 1, 1 excluded. */
export type Random = () => number;

/** Random numbers that follow from a seed (mulberry32). */
export function randomFrom(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Writes a line beside the output of the test runner. */
export function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}
