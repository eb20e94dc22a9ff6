/** Texts: what none may hold, how long they are, and the form in which they are kept. */
import { issue, type Issue } from './errors';

/**
 * Combining marks in a row that a text may have (UAX #15, stream-safe text). Normalization takes time that is
 * quadratic in the length of such a run.
 */
const MAX_MARKS = 30;

/** Code points below this may be marks; above it there is one block of them. */
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

/** Control characters other than tab and the line ends, which are made LF later. */
const isControl = (code: number): boolean =>
  (code < 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d) || (code >= 0x7f && code < 0xa0);

/**
 * Whether a text is malformed: it holds a control character, half of a surrogate pair, or more than 30 combining
 * marks in a row. Linear in its length.
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

/** The form in which a text is kept: trimmed, in NFC, its line ends LF. Only for a text that is not too long. */
export const normalizeText = (text: string): string =>
  text.replace(/\r\n?/g, '\n').normalize('NFC').trim();

/** Code points: what a database column and OpenAPI's `maxLength` count, where JavaScript counts UTF-16 units. */
function lengthOf(text: string): number {
  let length = 0;
  for (let at = 0; at < text.length; length += 1)
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return length;
}

/** Whether a text has at least so many code points. */
export const reaches = (text: string, min: number): boolean =>
  text.length >= 2 * min || (text.length >= min && lengthOf(text) >= min);

/** Whether a text has at most so many code points, each of which has one or two units. */
export const fits = (text: string, max: number): boolean =>
  text.length <= max || (text.length <= 2 * max && lengthOf(text) <= max);

/** Code units per character that a text may come with: normalization and trimming make it shorter. */
const MAX_UNITS = 4;

/**
 * Whether a text cannot fit, whatever normalization makes of it. To be asked before anything else happens to a text:
 * it takes no time.
 *
 * @param max characters
 */
export const isOversized = (text: string, max: number): boolean => text.length > MAX_UNITS * max;

/** How deep JSON may be nested: `{"a": [1]}` is two deep. */
export const MAX_DEPTH = 32;

/** How long a name may be: a path holds the names of all that it goes through. */
export const MAX_NAME = 256;

/** Faults after which nobody looks for more: a path may have 8 KiB, and the answer all of them. */
const MAX_ISSUES = 100;

/**
 * Walks a JSON value: malformed texts and names, names that JavaScript takes for a prototype or that are too long,
 * and nesting beyond the limit.
 *
 * @returns what is wrong, with its path, the first hundred of it; empty when nothing is
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

/** The form in which names and addresses are compared: without regard to case, and to how a character is put together. */
export const fold = (text: string): string =>
  // Normalized once more, because a letter in lower case may be one that has a shorter form.
  text.normalize('NFKC').toLowerCase().normalize('NFKC').trim();

/** Whether two spellings are one. */
export const isSame = (one: unknown, other: unknown): boolean =>
  fold(String(one)) === fold(String(other));
