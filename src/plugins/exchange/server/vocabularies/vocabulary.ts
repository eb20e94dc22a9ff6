/** The words of sources, from the lists beside this file: which of them mean which value. */
import { ownText } from '../../../../core/text';
import basisOfRecord from './basis-of-record.json';
import datum from './datum.json';
import license from './license.json';
import lifeStage from './life-stage.json';
import livingStatus from './living-status.json';
import nobody from './nobody.json';
import occurrenceStatus from './occurrence-status.json';
import sex from './sex.json';
import unnamedTaxon from './unnamed-taxon.json';

interface List {
  /** Where the words and their meanings are from. */
  readonly source: readonly string[];
  /** The words by the value that they mean. */
  readonly values: Readonly<Record<string, readonly string[]>>;
}

/** A text without case, accents, blanks and punctuation, but for a question mark: `male?` is not known to be male. */
export const foldWord = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/(?:(?!\?)[\s\p{P}\p{M}])+/gu, '');

type Words = ReadonlyMap<string, string>;

function wordsOf({ values }: List): Words {
  const words = new Map<string, string>();
  for (const [value, texts] of Object.entries(values))
    for (const text of texts) {
      const word = foldWord(text) || text;
      if (!words.has(word)) words.set(word, value);
    }
  return words;
}

const LISTS = {
  sex: wordsOf(sex),
  life_stage: wordsOf(lifeStage),
  living_status: wordsOf(livingStatus),
  basis_of_record: wordsOf(basisOfRecord),
  occurrence_status: wordsOf(occurrenceStatus),
  license: wordsOf(license),
  datum: wordsOf(datum),
  nobody: wordsOf(nobody),
  unnamed_taxon: wordsOf(unnamedTaxon),
} satisfies Record<string, Words>;

export type ListName = keyof typeof LISTS;

type Known = Map<string, string | null>;

/** Rows repeat the same few texts. */
const MAX_KNOWN = 10_000;
const meant: Known = new Map();
const chosen = new WeakMap<readonly string[], Known>();

function remembered(known: Known, key: string, find: () => string | null): string | null {
  const found = known.get(key);
  if (found !== undefined) return found;
  const value = find();
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(ownText(key), value);
  return value;
}

/** The value that a text means in a list; null for a text that is not on it. */
export const meaning = (list: ListName, text: string): string | null =>
  remembered(meant, `${list} ${text}`, () => LISTS[list].get(foldWord(text) || text) ?? null);

const isList = (name: string): name is ListName => name in LISTS;

/**
 * The choice of a field that a text means: one of the choices themselves, in whatever case and punctuation, or a word of
 * the field's list.
 *
 * @returns null if it means none for certain
 */
export function choiceOf(field: string, choices: readonly string[], text: string): string | null {
  if (choices.includes(text)) return text;
  let known = chosen.get(choices);
  if (!known) chosen.set(choices, (known = new Map<string, string | null>()));
  return remembered(known, `${field} ${text}`, () => findChoice(field, choices, text));
}

function findChoice(field: string, choices: readonly string[], text: string): string | null {
  const word = foldWord(text);
  const itself = choices.find((choice) => foldWord(choice) === word);
  if (itself !== undefined) return itself;
  const value = isList(field) ? meaning(field, text) : null;
  return value !== null && choices.includes(value) ? value : null;
}
