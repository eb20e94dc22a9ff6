/** Logging in, at whichever door: the same answers, the same time and the same limits for known and unknown names. */
import { setTimeout } from 'node:timers/promises';
import { fail } from '../../../wire/server/errors';
import type { Database } from '../../../objects/server/database/database';
import type { SiteSettings } from '../../../objects/server/site';
import { isPassword } from '../passwords/hash';
import { guard } from '../throttle/guard';
import { LOGIN_BY_NAME, LOGIN_BY_NETWORK, LOGIN_FROM_ANYWHERE } from '../throttle/limits';
import { bucketOf, clear } from '../throttle/throttle';
import { accountOf, byName, type Account } from '../users/account';

/** Failures for one name from everywhere that slow nothing, and what each further one adds, in milliseconds. */
const FREE = 10;
const STEP = 250;
const MAX_DELAY = 5000;

/**
 * The account that these belong to.
 *
 * @param name the e-mail or the user name
 * @param network that they come from
 * @throws WireError LOGIN_FAILED, EMAIL_NOT_VERIFIED, TOO_MANY_REQUESTS, UNAVAILABLE
 */
export async function authenticate(
  database: Database,
  site: SiteSettings,
  { name, password, network }: { name: string; password: string; network: string },
): Promise<Account> {
  const attempt = await guard(database, [
    [LOGIN_BY_NAME, name, network],
    [LOGIN_BY_NETWORK, network],
    [LOGIN_FROM_ANYWHERE, name],
  ]);
  const tries = attempt.windows[2]?.count ?? 0;
  if (tries > FREE) await setTimeout(Math.min((tries - FREE) * STEP, MAX_DELAY));

  const account = await find(database, name);
  const isRight = await isPassword(password, account?.password ?? null);
  if (!account || !isRight || account.isBlocked) throw fail('LOGIN_FAILED', {});
  await attempt.giveBack();
  await database.write(() => clear(bucketOf(LOGIN_BY_NAME, name, network)));
  if (site.requireVerifiedEmail && !account.isVerified) throw fail('EMAIL_NOT_VERIFIED', {});
  return account;
}

async function find(database: Database, name: string): Promise<Account | null> {
  const { text, values } = byName(name);
  const [row] = await database.read(text, values);
  return row ? accountOf(row) : null;
}
