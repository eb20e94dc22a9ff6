/** Values of vocabularies that Darwin Core recommends but does not enforce, as archives spell them. */

/** Further spellings that certainly mean a choice, by field; folded as by `plain`. */
const SPELLINGS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  sex: { m: 'male', '♂': 'male', f: 'female', '♀': 'female' },
  life_stage: { neonate: 'newborn', juv: 'juvenile', ad: 'adult' },
  living_status: { live: 'alive', living: 'alive', deceased: 'dead', uncertain: 'unknown' },
  basis_of_record: {
    preservedspecimen: 'specimen',
    fossilspecimen: 'specimen',
    livingspecimen: 'specimen',
  },
};

/** Those that mean "unknown" wherever it is a choice. */
const UNKNOWN: ReadonlySet<string> = new Set(['undetermined', 'indeterminate', 'notdetermined']);

/**
 * The choice that a text certainly means: without regard to case, blanks and punctuation (`HumanObservation` is
 * `human_observation`), and in a plural.
 *
 * @returns null if it means none for certain
 */
export function choiceOf(field: string, choices: readonly string[], text: string): string | null {
  const wanted = plain(text);
  if (wanted === '') return null;
  const found = spelled(choices).get(wanted);
  if (found !== undefined) return found;
  const meant = SPELLINGS[field]?.[wanted] ?? (UNKNOWN.has(wanted) ? 'unknown' : null);
  return meant !== null && choices.includes(meant) ? meant : null;
}

/** Choices by their spellings: each row of an archive asks for them. */
const spellings = new WeakMap<readonly string[], ReadonlyMap<string, string>>();

function spelled(choices: readonly string[]): ReadonlyMap<string, string> {
  const known = spellings.get(choices);
  if (known) return known;
  const made = new Map<string, string>();
  for (const choice of choices.toReversed()) {
    made.set(`${plain(choice)}s`, choice);
    made.set(plain(choice), choice);
  }
  spellings.set(choices, made);
  return made;
}

/** A text without case, blanks and punctuation. */
export const plain = (text: string): string => text.toLowerCase().replace(/[\s\p{P}]+/gu, '');
