/** Texts of XML 1.0 documents. */

/** What no document may contain, escaped or not (https://www.w3.org/TR/xml/#charsets). */
const FORBIDDEN = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** A text as the content of an element or of an attribute in quotes, without the characters that XML does not have. */
export const escapeXml = (text: string): string =>
  text.replace(FORBIDDEN, '').replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

/** An element of one text. */
export const element = (name: string, text: string): string =>
  `<${name}>${escapeXml(text)}</${name}>`;
