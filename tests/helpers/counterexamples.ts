import { createRandom } from './random';

/** Whether a test that searches for counterexamples tries all that it can: `npm run fuzz` sets OMS_FUZZ=long. */
export const isLong = process.env['OMS_FUZZ'] === 'long';

/** What random cases follow from, and what a test prints. OMS_FUZZ_SEED repeats a run. */
export const SEED = Number(process.env['OMS_FUZZ_SEED'] ?? Date.now() % 1e9);

/** All cases in the long form; in the short one so many of them, in their order. */
export function someOf<T>(cases: readonly T[], count: number): readonly T[] {
  if (isLong) return cases;
  const chosen = new Set(createRandom(SEED).among([...cases.keys()], count));
  return cases.filter((_, at) => chosen.has(at));
}
