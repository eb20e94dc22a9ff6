/** What of a row has no field, for `verbatim`. */
import { fitsAsJson } from '../../../objects/server/kinds/texts-by-term';
import type { TableRow } from './row';

/** Bytes of all of it as JSON. */
const MAX_BYTES = 64 * 1024;

/** Characters of a term. */
const MAX_TERM = 128;

type Texts = Readonly<Record<string, string>>;

/** Whether these texts are not too many for `verbatim`. */
export const isFitting = (texts: Texts): boolean => fitsAsJson(texts, MAX_BYTES);

/**
 * The texts of a row that were not read or were refused, with further ones. Of more than fit, the longest are left out
 * and told.
 *
 * @returns null without any
 */
export function verbatimOf(row: TableRow, ...further: readonly Texts[]): Texts | null {
  const texts = row.rest();
  for (const part of further) Object.assign(texts, part);
  const terms = Object.keys(texts);
  if (terms.length === 0) return null;
  for (const term of terms)
    if (term.length > MAX_TERM) {
      row.tell(term, 'has a name that is too long to be kept');
      delete texts[term];
    }
  while (!isFitting(texts)) {
    const [longest = ''] = Object.entries(texts).reduce((one, other) =>
      other[1].length > one[1].length ? other : one,
    );
    row.tell(longest, 'is too long to be kept');
    delete texts[longest];
  }
  return Object.keys(texts).length === 0 ? null : texts;
}
