/** The size of a page. */
import { issue, type Issue } from '../../../../core/errors';

export const DEFAULT_LIMIT = 100;
export const MAX_LIMIT = 1000;

/** A whole number within bounds. @returns NaN for a malformed one, with an issue */
export function wholeNumber(
  name: string,
  text: string,
  issues: Issue[],
  [min, max]: readonly [number, number],
): number {
  const value = /^-?\d{1,15}$/.test(text) ? Number(text) : NaN;
  if (Number.isNaN(value)) issues.push(issue(name, 'TYPE', { expected: 'integer' }));
  if (value < min) issues.push(issue(name, 'TOO_SMALL', { value, min }));
  if (value > max) issues.push(issue(name, 'TOO_LARGE', { value, max }));
  return value;
}

/** The number of results on a page. */
export const limitOf = (text: string, issues: Issue[], min = 0): number =>
  wholeNumber('limit', text, issues, [min, MAX_LIMIT]);
