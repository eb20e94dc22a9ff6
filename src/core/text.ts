/** Texts: the characters that they may not contain, their length, and the form in which they are stored. */
import { issue, type Issue } from './errors';

/**
 * The longest run of combining marks in a text (UAX #15, stream-safe text). The time of normalization is quadratic in
 * the length of such a run.
 */
const MAX_MARKS = 30;

/** Code points below this may be marks; above it there is one block of marks. */
const MARKS_END = 0x20000;
const isMarkBeyond = (point: number): boolean => point >= 0xe0100 && point <= 0xe01ef;

/** The halfwidth sound marks of Katakana are letters that decompose into combining marks. */
const DECOMPOSES = /[\p{M}\uFF9E\uFF9F]/u;

/** One bit per code point: a lookup costs a hundredth of a regular expression. */
const marks = new Uint8Array(MARKS_END / 8);
for (let point = 0x300; point < MARKS_END; point += 1) {
  const isSurrogate = point >= 0xd800 && point <= 0xdfff;
  if (!isSurrogate && DECOMPOSES.test(String.fromCodePoint(point)))
    marks[point >> 3] = (marks[point >> 3] ?? 0) | (1 << (point & 7));
}

const isMark = (point: number): boolean =>
  point < MARKS_END ? ((marks[point >> 3] ?? 0) & (1 << (point & 7))) !== 0 : isMarkBeyond(point);

/** Control characters other than tab and the line ends, which normalization turns into LF. */
const isControl = (code: number): boolean =>
  (code < 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d) || (code >= 0x7f && code < 0xa0);

/**
 * Whether a text is malformed: it contains a control character, half of a surrogate pair, or more than 30 combining
 * marks in a row. Takes time that is linear in the length.
 */
export function isMalformedText(text: string): boolean {
  let run = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x300) {
      if (isControl(code)) return true;
      run = 0;
      continue;
    }
    let point = code;
    if (code >= 0xd800 && code <= 0xdfff) {
      point = text.codePointAt(at) ?? code;
      if (point < 0x10000) return true;
      at += 1;
    }
    run = isMark(point) ? run + 1 : 0;
    if (run > MAX_MARKS) return true;
  }
  return false;
}

/**
 * The same text by itself. A part of a string (`slice`, `split`), and a string that was put together of others, keep these in
 * memory (V8's sliced and cons strings): what is kept for long of a text that is read in pieces keeps whole pieces.
 */
export const ownText = (text: string): string => Buffer.from(text).toString();

/** Printable ASCII, without blanks around it: most texts are, and already have that form. */
const PLAIN = /^[!-~](?:[ -~]*[!-~])?$/;

/**
 * The form in which a text is stored: trimmed, NFC, with LF as line ends. Only for a text whose length has been
 * checked.
 */
export const normalizeText = (text: string): string =>
  PLAIN.test(text) ? text : text.replace(/\r\n?/g, '\n').normalize('NFC').trim();

/**
 * The text in the form in which it is stored; null for a malformed one. For texts from anywhere but a request, such as
 * the metadata of a file: nothing else may see them before.
 */
export const acceptText = (text: string): string | null =>
  PLAIN.test(text) ? text : isMalformedText(text) ? null : normalizeText(text);

/** Code points: what a database column and OpenAPI's `maxLength` count, where JavaScript counts UTF-16 units. */
function lengthOf(text: string): number {
  let length = 0;
  for (let at = 0; at < text.length; length += 1)
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return length;
}

/** Whether a text has at least `min` code points. */
export const isAtLeast = (text: string, min: number): boolean =>
  text.length >= 2 * min || (text.length >= min && lengthOf(text) >= min);

/** Whether a text has at most `max` code points, each of which has one or two UTF-16 units. */
export const fits = (text: string, max: number): boolean =>
  text.length <= max || (text.length <= 2 * max && lengthOf(text) <= max);

/** UTF-16 units per character that a text may have before normalization and trimming, which make it shorter. */
const MAX_UNITS = 4;

/**
 * Whether a text is too long in any normal form. Call this before any other check of a text: it takes constant time.
 *
 * @param max characters
 */
export const isOversized = (text: string, max: number): boolean => text.length > MAX_UNITS * max;

/** How deep JSON may be nested: the depth of `{"a": [1]}` is two. */
export const MAX_DEPTH = 32;

/** The length of a property name: the path of an error contains the names of all levels. */
export const MAX_NAME = 256;

/** The walk stops after this many issues: a path may have 8 KiB, and the answer lists every issue. */
const MAX_ISSUES = 100;

/**
 * Finds malformed texts and names, names that are too long or are a prototype to JavaScript, and nesting beyond the
 * limit in a JSON value.
 *
 * @returns the first hundred issues with their paths
 */
export function inspectJson(value: unknown): Issue[] {
  const issues: Issue[] = [];
  inspect(value, '', 0, issues);
  return issues;
}

function inspect(value: unknown, path: string, depth: number, issues: Issue[]): void {
  if (typeof value === 'string') {
    if (isMalformedText(value)) issues.push(issue(path, 'FORMAT', { expected: 'text' }));
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth === MAX_DEPTH) {
    issues.push(issue(path, 'TOO_LARGE', { value: MAX_DEPTH + 1, max: MAX_DEPTH }));
    return;
  }
  for (const [key, entry] of Object.entries(value)) {
    if (issues.length >= MAX_ISSUES) return;
    const at = path === '' ? key : `${path}.${key}`;
    if (key.length > MAX_NAME) issues.push(issue(path, 'TOO_LONG', { max: MAX_NAME }));
    else if (isMalformedText(key)) issues.push(issue(path, 'FORMAT', { expected: 'text' }));
    else if (key === '__proto__') issues.push(issue(at, 'UNKNOWN', {}));
    else inspect(entry, at, depth + 1, issues);
  }
}

/** The form in which names and addresses are compared: without regard to case and to the composition of characters. */
export const fold = (text: string): string =>
  // Normalized again, because a lower-case letter may have a shorter form.
  text.normalize('NFKC').toLowerCase().normalize('NFKC').trim();

/** Whether two values are the same after folding. */
export const isSame = (one: unknown, other: unknown): boolean =>
  fold(String(one)) === fold(String(other));
