/** What the checks of the environment have in common. */
import { isIP } from 'node:net';
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

/** The parts of a list with commas between. */
export function splitList(value: string | undefined): string[] {
  return (value ?? '').split(',').flatMap((part) => part.trim() || []);
}

/** Whether a text is an address, or a network (CIDR) that is not all of them. */
export function isAddressOrNetwork(value: string): boolean {
  const [address = '', bits, ...rest] = value.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  // Not /0, which trusts everybody: no caller would have a reliable address then.
  return (
    bits === undefined ||
    (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
  );
}
