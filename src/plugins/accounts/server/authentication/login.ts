/** Logging in, at whichever door: the same answers, the same time and the same limits for known and unknown names. */
import { setTimeout } from 'node:timers/promises';
import { fail } from '../../../wire/server/errors';
import type { Database } from '../../../objects/server/database/database';
import type { SiteSettings } from '../../../objects/server/site';
import { anonymous } from '../caller';
import { isPassword } from '../passwords/hash';
import { begin } from '../throttle/guard';
import { LOGIN_BY_NAME, LOGIN_BY_NETWORK, LOGIN_FROM_ANYWHERE } from '../throttle/limits';
import { bucketOf, clear } from '../throttle/throttle';
import { findByName, type Account } from '../users/account';

/** Failures for one name from everywhere that slow nothing, and what each further one adds, in milliseconds. */
const FREE = 10;
const STEP = 250;
const MAX_DELAY = 5000;

/** Who wants to come in, and from which network. */
export interface Attempted {
  /** The e-mail or the user name. */
  readonly name: string;
  readonly network: string;
}

/** Milliseconds that an answer waits, by how often a name was tried in vain from everywhere, this time among them. */
export const delayAfter = (tries: number): number =>
  Math.min(Math.max(tries - FREE, 0) * STEP, MAX_DELAY);

/**
 * The account that these belong to.
 *
 * @throws WireError LOGIN_FAILED, EMAIL_NOT_VERIFIED, TOO_MANY_REQUESTS, UNAVAILABLE
 */
export async function authenticate(
  database: Database,
  site: SiteSettings,
  login: Attempted & { readonly password: string },
): Promise<Account> {
  const account = await underLimits(database, login, () => rightful(database, login));
  refuseUnverified(account, site);
  return account;
}

/**
 * Lets somebody try to come in as often as the limits allow. Only failures count.
 *
 * @param find who that is; null for a failure
 * @throws WireError LOGIN_FAILED, TOO_MANY_REQUESTS, UNAVAILABLE
 */
export async function underLimits<T>(
  database: Database,
  { name, network }: Attempted,
  find: () => Promise<T | null>,
): Promise<T> {
  const attempt = await begin(
    database,
    [
      [LOGIN_BY_NAME, name, network],
      [LOGIN_BY_NETWORK, network],
      [LOGIN_FROM_ANYWHERE, name],
    ],
    { caller: anonymous(), network },
  );
  try {
    const delay = delayAfter(attempt.windows[2]?.count ?? 0);
    if (delay > 0) await setTimeout(delay);
    const found = await find().catch(async (error: unknown) => {
      // Nobody has looked at the password.
      await attempt.giveBack();
      throw error;
    });
    if (found === null) throw fail('LOGIN_FAILED', {});
    await attempt.giveBack();
    await database.write(() => clear(bucketOf(LOGIN_BY_NAME, name, network)));
    return found;
  } finally {
    attempt.end();
  }
}

/** The account that these belong to, null when it is blocked: as slow for known and unknown names. */
export async function rightful(
  database: Database,
  { name, password }: { readonly name: string; readonly password: string },
): Promise<Account | null> {
  const account = await findByName(database, name);
  const isRight = await isPassword(password, account?.password ?? null);
  return account && isRight && !account.isBlocked ? account : null;
}

/** @throws WireError EMAIL_NOT_VERIFIED, where the site asks for it */
export function refuseUnverified(account: Account, site: SiteSettings): void {
  if (site.requireVerifiedEmail && !account.isVerified) throw fail('EMAIL_NOT_VERIFIED', {});
}
