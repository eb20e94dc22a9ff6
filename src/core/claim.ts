/** Claims: secrets by which whoever has no account comes back to what it has sent. Kept as their hashes alone. */
import { hash, randomBytes } from 'node:crypto';

/** A secret that nobody can guess: 256 random bits, base64url. */
export const newClaim = (): string => randomBytes(32).toString('base64url');

const CLAIM = /^[\w-]{43}$/;

/** The hash as which a claim is kept, null for a text that is none. */
export const hashOfClaim = (secret: string): string | null =>
  CLAIM.test(secret) ? hash('sha256', secret, 'hex') : null;
