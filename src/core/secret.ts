/**
 * Random secrets, each of which authorizes its bearer: sessions, claims, the tokens of mails, the link of the first
 * administrator. Only their SHA-256 is stored: 256 random bits need no salt and no slow hash.
 */
import { hash, randomBytes } from 'node:crypto';

/** A new secret: 43 characters of base64url, and the hash under which it is stored. */
export interface Secret {
  readonly text: string;
  readonly hash: string;
}

/** Makes a secret of 256 random bits. */
export function newSecret(): Secret {
  const text = randomBytes(32).toString('base64url');
  return { text, hash: sha256(text) };
}

const SECRET = /^[\w-]{43}$/;

/** The hash under which a secret is stored; null for a text that cannot be one. */
export const hashOfSecret = (text: string): string | null =>
  SECRET.test(text) ? sha256(text) : null;

const sha256 = (text: string): string => hash('sha256', text, 'hex');
