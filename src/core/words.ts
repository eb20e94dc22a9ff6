/**
 * The words of texts, for searches: one folding for both databases, so that both find and sort alike. Accents, case and
 * compatibility forms do not matter (UAX #15, Unicode case folding).
 */

/** Characters of one token; a longer one is cut, in texts and in queries alike. */
const MAX_TOKEN = 100;

/** Tokens of one text: PostgreSQL knows no further positions. */
export const MAX_TOKENS = 16_000;

/** Characters that are words by themselves: scripts that are written without spaces, and symbols. */
const SINGLE =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{So}\\p{Sm}\\p{Sc}\\p{Emoji_Modifier}';

/** A single character, or a run of letters and digits. */
const TOKEN = new RegExp(`[${SINGLE}]|(?:(?![${SINGLE}])[\\p{L}\\p{N}])+`, 'gu');

/** Characters between which the words of a query end. */
const SEPARATOR = new RegExp(`[^${SINGLE}\\p{L}\\p{N}]+`, 'u');

const withoutMarks = (text: string): string => text.normalize('NFKD').replace(/\p{M}+/gu, '');

/** Case folding: by the upper case, so that `ß` is `ss`, and every sigma is the same. */
const withoutCase = (text: string): string => text.toUpperCase().toLowerCase().replaceAll('ς', 'σ');

/** A text without letters that could have marks, or other forms than their two cases. */
const ASCII = /^[\0-\x7f]*$/;

/** The form in which texts are compared, and by whose code points they are sorted. */
export const foldText = (text: string): string =>
  ASCII.test(text)
    ? text.toLowerCase()
    : // Again, because a folded letter may have marks of its own.
      withoutMarks(withoutCase(withoutMarks(text))).normalize('NFC');

/**
 * The plain forms of letters that have no decomposition (Unicode CLDR, Latin-ASCII), and of the sign of hybrids, for which
 * an x is typed.
 */
const PLAIN: Readonly<Record<string, string>> = {
  ...{ ł: 'l', ø: 'o', đ: 'd', æ: 'ae', œ: 'oe', ð: 'd', þ: 'th', ħ: 'h', ŧ: 't', ŋ: 'n', ı: 'i' },
  ...{ ɓ: 'b', ɖ: 'd', ɗ: 'd', ɛ: 'e', ƙ: 'k', ɲ: 'n', ɔ: 'o', ƴ: 'y', ɨ: 'i', ĸ: 'q', ẟ: 'd' },
  '×': ' x ',
};
const UNPLAIN = new RegExp(`[${Object.keys(PLAIN).join('')}]`, 'gu');

/** Letters that stand for an apostrophe: the okina and its like. */
const APOSTROPHES = /[\u02B9-\u02BF\u02C8\uA78B\uA78C]/gu;

/** A text without its marks, in which the characters of one word stay together. */
function folded(text: string): string {
  const form = foldText(text);
  if (ASCII.test(form)) return form.replace(/[\^`]/g, ' ');
  return form
    .replace(UNPLAIN, (letter) => PLAIN[letter] ?? letter)
    .replace(APOSTROPHES, "'")
    .replace(/\p{Sk}(?<!\p{Emoji_Modifier})/gu, ' ');
}

const tokensIn = (text: string): string[] =>
  (text.match(TOKEN) ?? []).map((token) =>
    token.length <= MAX_TOKEN ? token : [...token].slice(0, MAX_TOKEN).join(''),
  );

/** The tokens of a text, in their order. */
export const tokensOf = (text: string): string[] => tokensIn(folded(text)).slice(0, MAX_TOKENS);

/**
 * The words of a query: tokens that stand together are one phrase, whose last token may be the beginning of a longer
 * one.
 *
 * @example wordsOf('black 斑马') // [['black'], ['斑', '马']]
 */
export const wordsOf = (query: string): string[][] =>
  folded(query)
    .split(SEPARATOR)
    .map(tokensIn)
    .filter((tokens) => tokens.length > 0);

/** Whether a text, given by its tokens, has a word. */
export function hasWord(tokens: readonly string[], word: readonly string[]): boolean {
  const last = word.length - 1;
  return tokens.some((_, at) =>
    word.every((part, n) => {
      const token = tokens[at + n] ?? '';
      return n === last ? token.startsWith(part) : token === part;
    }),
  );
}
