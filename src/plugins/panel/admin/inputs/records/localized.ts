/** A localized text as rows of language and text. */

/** One row; the language may not be one yet. */
export interface Row {
  readonly language: string;
  readonly text: string;
}

export type Localized = Readonly<Record<string, string>>;

/** What stands for a language that is not written yet: no tag, which the server refuses. */
const MISSING = '?';

/** The rows of what the form holds. */
export const rowsOf = (texts: Localized | null): Row[] =>
  Object.entries(texts ?? {}).map(([key, text]) => {
    const language = key.trimEnd();
    return { language: language === MISSING ? '' : language, text };
  });

/**
 * What the form holds for rows: nothing that was typed is lost. A language that is there already is kept under a key that
 * the server refuses, with spaces behind it.
 */
export function textsOf(rows: readonly Row[]): Localized | null {
  const texts: Record<string, string> = {};
  for (const { language, text } of rows) {
    let key = language.trim() || MISSING;
    while (key in texts) key += ' ';
    texts[key] = text;
  }
  return rows.length === 0 ? null : texts;
}

/** The first of the wanted languages that has no row. */
export const nextLanguage = (rows: readonly Row[], wanted: readonly string[]): string =>
  wanted.find((tag) => !rows.some(({ language }) => language === tag)) ?? '';

/** The name of a language in that of the panel; empty for what is no tag. */
export function languageName(tag: string, panel: string): string {
  try {
    const name = new Intl.DisplayNames([panel], { type: 'language', fallback: 'none' }).of(tag);
    return name ?? '';
  } catch {
    return '';
  }
}
