/** Claims: secrets with which a caller without an account reads or uses what it has created. Only their hashes are stored. */
import { hash, randomBytes } from 'node:crypto';

/** A secret that nobody can guess: 256 random bits, base64url. */
export const newClaim = (): string => randomBytes(32).toString('base64url');

const CLAIM = /^[\w-]{43}$/;

/** The hash under which a claim is stored; null for a text that is not a claim. */
export const hashOfClaim = (secret: string): string | null =>
  CLAIM.test(secret) ? hash('sha256', secret, 'hex') : null;
