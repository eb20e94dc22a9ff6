/** Texts that nothing behind the body stage ever sees. */
import { issue, type Issue } from './errors';

/** Control characters other than tab and the line ends, which are made LF later; and lone surrogates. */
const FORBIDDEN = /(?![\t\n\r])\p{Cc}|\p{Cs}/u;

/** Whether a text holds a character that no text may hold. */
export const isForbiddenText = (text: string): boolean => FORBIDDEN.test(text);

/** How deep JSON may be nested: `{"a": [1]}` is two deep. */
export const MAX_DEPTH = 32;

/** How long a name may be: a path holds the names of all that it goes through. */
export const MAX_NAME = 256;

/** Faults after which nobody looks for more: a path may have 8 KiB, and the answer all of them. */
const MAX_ISSUES = 100;

/**
 * Walks a JSON value: forbidden characters in texts and names, names that JavaScript takes for a
 * prototype or that are too long, and nesting beyond the limit.
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
    if (isForbiddenText(value)) issues.push(issue(path, 'FORMAT', { expected: 'text' }));
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth === MAX_DEPTH) {
    issues.push(issue(path, 'TOO_LARGE', { value: 'depth', max: MAX_DEPTH }));
    return;
  }
  for (const [key, entry] of Object.entries(value)) {
    if (issues.length >= MAX_ISSUES) return;
    const at = path === '' ? key : `${path}.${key}`;
    if (isForbiddenText(key)) issues.push(issue(path, 'FORMAT', { expected: 'text' }));
    else if (key.length > MAX_NAME) issues.push(issue(path, 'TOO_LONG', { max: MAX_NAME }));
    else if (key === '__proto__') issues.push(issue(at, 'UNKNOWN', {}));
    else inspect(entry, at, depth + 1, issues);
  }
}
