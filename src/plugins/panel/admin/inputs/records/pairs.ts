/** Texts by keys, such as a localized text, as rows of key and text. */

/** One row; the key may not be one yet. */
export interface PairRow {
  readonly key: string;
  readonly text: string;
}

export type PairTexts = Readonly<Record<string, string>>;

/** Stands for a key that is not written yet: no key, which the server refuses. */
const MISSING = '?';

/** The rows of what the form holds. */
export const pairRowsOf = (texts: PairTexts | null): PairRow[] =>
  Object.entries(texts ?? {}).map(([held, text]) => {
    const key = held.trimEnd();
    return { key: key === MISSING ? '' : key, text };
  });

/**
 * What the form holds for rows: nothing that was typed is lost. A key that is there already is held with spaces behind it,
 * which the server refuses.
 */
export function textsOfPairs(rows: readonly PairRow[]): PairTexts | null {
  const texts: Record<string, string> = {};
  for (const { key, text } of rows) {
    let held = key.trim() || MISSING;
    while (held in texts) held += ' ';
    texts[held] = text;
  }
  return rows.length === 0 ? null : texts;
}
