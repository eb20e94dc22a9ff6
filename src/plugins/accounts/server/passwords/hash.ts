/**
 * Passwords as they are kept: argon2id with the parameters of OWASP's Password Storage Cheat Sheet
 * (19 MiB, 2 passes, 1 lane: https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html).
 */
import { hash, verify, type Algorithm } from '@node-rs/argon2';
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

const PARAMETERS = {
  algorithm: 2 satisfies Algorithm.Argon2id,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
} as const;

/** A hash that no password has: checking against it takes as long as against any other. */
const NOBODY = '$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$' + 'A'.repeat(43);

/** The hash of a password, with its salt and parameters, in PHC's string format; on a thread of its own. */
export const hashPassword = (password: string): Promise<string> => hash(password, PARAMETERS);

/** How bcrypt's hashes begin: those of Strapi's own accounts. */
const OF_STRAPI = '$2';

/**
 * Whether this is the password; found out on a thread of its own.
 *
 * @param kept its hash; null for an account that has none, or that does not exist: as slow, and false
 */
export async function isPassword(password: string, kept: string | null): Promise<boolean> {
  if (kept?.startsWith(OF_STRAPI)) return isStrapiPassword(password, kept);
  const isRight = await verify(kept ?? NOBODY, password);
  return kept !== null && isRight;
}

/** Strapi's bcrypt is written in JavaScript: it would hold the process for a tenth of a second. */
async function isStrapiPassword(password: string, kept: string): Promise<boolean> {
  const worker = new Worker(join(__dirname, 'bcrypt-worker.js'), {
    workerData: { password, kept },
  });
  const [isRight] = (await once(worker, 'message')) as [unknown];
  return isRight === true;
}
