/**
 * Names as people compare them by sight: without regard to case, to which dash, apostrophe or blank is written, and to
 * letters of other scripts that look the same (Unicode UTS #39, section 4: the skeleton). Letters and digits of one script
 * that look alike, such as `l`, `I` and `1`, stay apart: catalogs number with them.
 */
import confusables from 'unhomoglyph/data.json';
import { fold } from './text';

const table: Readonly<Record<string, string>> = confusables;

/** A letter of another script than Latin. */
const OTHER = /^(?!\p{Script=Latin}|\p{Script=Common}|\p{Script=Inherited})\p{L}$/u;

const PLAIN = /^[a-z0-9]$/;
const LETTER = /^[\p{L}\p{N}]$/u;

/**
 * By a folded letter, that which looks like it in one of its cases, capitals first: in them most scripts have more in
 * common. A capital `I` looks like `l`, and folds to `i`.
 */
function readLetters(): ReadonlyMap<string, string> {
  const letters = new Map<string, string>();
  for (const letter of Object.keys(table)) {
    if (!OTHER.test(letter)) continue;
    const [lower, upper] = [letter.toLowerCase(), letter.toUpperCase()];
    const asCapital = upper === lower ? undefined : table[upper]?.toLowerCase();
    const forms = [asCapital === 'l' ? 'i' : asCapital, table[lower]?.toLowerCase()];
    const like =
      forms.find((form) => form !== undefined && PLAIN.test(form)) ??
      forms.find((form) => form !== undefined && LETTER.test(form));
    if (like !== undefined && like !== lower) letters.set(lower, like);
  }
  return letters;
}

const classOf = (prototype: string): string =>
  Object.entries(table)
    .flatMap(([sign, like]) => (like === prototype && [...sign].length === 1 ? [sign] : []))
    .map((sign) => sign.replace(/[\\\]^-]/g, '\\$&'))
    .join('');

/** What names are compared by. */
interface Folding {
  readonly letters: ReadonlyMap<string, string>;
  readonly apostrophes: RegExp;
  readonly dashes: RegExp;
}

let made: Folding | null = null;

/** Made of the table when the first name is compared, and not at each start. */
const folding = (): Folding =>
  (made ??= {
    letters: readLetters(),
    apostrophes: new RegExp(`[${classOf("'")}]`, 'gu'),
    dashes: new RegExp(`[\\p{Pd}${classOf('-')}]`, 'gu'),
  });

/** The form in which names are compared. It takes time that is linear in the length of a text that is not malformed. */
export function foldAlike(text: string): string {
  const { letters, apostrophes, dashes } = folding();
  // Some apostrophes would be taken apart.
  return fold(text.replace(apostrophes, "'"))
    .replace(dashes, '-')
    .replace(/\s+/gu, ' ')
    .replace(/\p{L}/gu, (letter) => letters.get(letter) ?? letter);
}
