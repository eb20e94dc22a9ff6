/** What the checks of the environment have in common. */
import type { Schema } from 'yup';

/** One variable: how a value is checked, and the words for what is expected (`NAME="x" is not <expected>`). */
export interface Variable<T> {
  readonly schema: Schema<T>;
  readonly expected: string;
  /** A value that must not be shown, not even when it is wrong. */
  readonly secret?: boolean;
}

export const httpAddress = (value: string | undefined): boolean => {
  const url = value === undefined || !URL.canParse(value) ? null : new URL(value);
  return (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username === '' &&
    !url.search &&
    !url.hash
  );
};

export function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
