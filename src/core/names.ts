/** Names: texts that people compare by sight. */

/**
 * Characters that are invisible or change the direction of the text: with one of them a name looks like another name
 * (UTS #39, section 5). The joiners are treated separately: some scripts cannot be written without them.
 */
const DECEPTIVE =
  /(?![ \u200C\u200D\uFE0F])[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\s\u2800]/u;

/** The form in which a name is stored: a run of white space becomes one plain space. */
export const normalizeName = (text: string): string => text.replace(/\p{Zs}+/gu, ' ');

/**
 * Zero-width joiners where they are visible: after a letter or mark of a script that joins its letters, and between
 * pictographs (RFC 5892, appendix A, simplified).
 */
const JOINERS =
  /(?:[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Nko}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}][\u200C\u200D](?=[\p{L}\p{M}]|$|[ \p{P}]))|(?:[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F]\u200D(?=\p{Extended_Pictographic}))|(?:[\p{Extended_Pictographic}\p{Nd}#*]\uFE0F)/gu;

/** Whether every character of a name is visible and on one line. */
export function isVisibleName(text: string): boolean {
  if (DECEPTIVE.test(text)) return false;
  return !/[\u200C\u200D\uFE0F]/.test(text.replace(JOINERS, ''));
}
