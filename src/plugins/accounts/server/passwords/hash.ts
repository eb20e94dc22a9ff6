/**
 * Password hashes: argon2id with the parameters of OWASP's Password Storage Cheat Sheet (19 MiB, 2 passes, 1 lane:
 * https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html).
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

/** A hash that fits no password: where there is no account, it is checked in place of one, and takes as long. */
const NOBODY = '$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$' + 'A'.repeat(43);

/** The hash of a password, with its salt and parameters, in PHC string format. Computed on a separate thread. */
export const hashPassword = (password: string): Promise<string> => hash(password, PARAMETERS);

/** The prefix of bcrypt hashes, which Strapi's own accounts have. */
const OF_STRAPI = '$2';

/**
 * Whether a password has this hash. Computed on a separate thread.
 *
 * @param kept the stored hash; null without a password or account: takes as long, and gives false
 */
export async function isPassword(password: string, kept: string | null): Promise<boolean> {
  if (kept?.startsWith(OF_STRAPI)) return isStrapiPassword(password, kept);
  const isRight = await verify(kept ?? NOBODY, password);
  return kept !== null && isRight;
}

/** Strapi's bcrypt is written in JavaScript: it would block the process for a tenth of a second. */
async function isStrapiPassword(password: string, kept: string): Promise<boolean> {
  const worker = new Worker(join(__dirname, 'bcrypt-worker.js'), {
    workerData: { password, kept },
  });
  const [isRight] = (await once(worker, 'message')) as [unknown];
  return isRight === true;
}
