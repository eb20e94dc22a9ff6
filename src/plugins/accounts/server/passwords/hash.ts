/**
 * Passwords as they are kept: argon2id with the parameters of OWASP's Password Storage Cheat Sheet
 * (19 MiB, 2 passes, 1 lane: https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html).
 */
import { hash, verify, type Algorithm } from '@node-rs/argon2';
import { availableParallelism } from 'node:os';
import { fail } from '../../../wire/server/errors';

const PARAMETERS = {
  algorithm: 2 satisfies Algorithm.Argon2id,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
} as const;

/** How many are hashed at once: a core is left for whoever only reads. */
const AT_ONCE = Math.max(1, availableParallelism() - 1);

/** How many may wait for their turn, some seconds of work; whoever comes after is told to come again. */
const MAX_WAITING = 200;

/** A hash that no password has: checking against it takes as long as against any other. */
const NOBODY = '$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$' + 'A'.repeat(43);

const waiting: (() => void)[] = [];
let running = 0;

/** Runs when it is its turn, on a thread of its own. @throws WireError UNAVAILABLE when too many wait */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= AT_ONCE) {
    if (waiting.length >= MAX_WAITING) throw fail('UNAVAILABLE', {}, { 'Retry-After': '10' });
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else running += 1;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}

/** The hash of a password, with its salt and parameters, in PHC's string format. */
export const hashPassword = (password: string): Promise<string> =>
  inTurn(() => hash(password, PARAMETERS));

/**
 * Whether this is the password.
 *
 * @param kept its hash; null for an account that has none, or that does not exist: as slow, and false
 */
export async function isPassword(password: string, kept: string | null): Promise<boolean> {
  const isRight = await inTurn(() => verify(kept ?? NOBODY, password));
  return kept !== null && isRight;
}
