/** Variables that are like ours and none of them: a name that is misspelled would be left out in silence. */

/** The beginnings of our names; those of tests and benchmarks are not the service's. */
const OURS =
  /^(?:OMS|SMTP|LIMIT|METRICS|BACKUP|S3|MAP_TILES)_(?!TEST_|FUZZ|TORTURE|EXAMPLES|BENCH)/;

/** Letters of the shortest name that is compared: shorter ones are like too many others. */
const SHORTEST = 6;

/** An unknown variable, and the known one that is nearest to it. */
export interface UnknownVariable {
  readonly name: string;
  /** Null where none is near. */
  readonly near: string | null;
}

/** @param env the environment of the process, that of `.env` included */
export function unknownVariables(
  env: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
): UnknownVariable[] {
  return Object.keys(env)
    .sort()
    .flatMap((name): UnknownVariable[] => {
      if (known.includes(name)) return [];
      const near =
        name.length < SHORTEST
          ? null
          : (known.find((one) => one.length >= SHORTEST && distance(name, one) <= 2) ?? null);
      return near !== null || OURS.test(name) ? [{ name, near }] : [];
    });
}

/** What is said of one, without its value. */
export const toldUnknown = ({ name, near }: UnknownVariable): string =>
  `${name} is no variable of this service${near === null ? '' : `; ${near} is`}`;

/**
 * Letters that are to be added, left out, replaced or swapped with the next one
 * (https://en.wikipedia.org/wiki/Damerau%E2%80%93Levenshtein_distance#Optimal_string_alignment_distance).
 */
export function distance(one: string, other: string): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1];
      const [left = 0, up = 0, across = 0] = [row[j - 1], last[j], last[j - 1]];
      let least = Math.min(left + 1, up + 1, across + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
        least = Math.min(least, (before[j - 2] ?? 0) + 1);
      row.push(least);
    }
    [before, last] = [last, row];
  }
  return last[other.length] ?? 0;
}
