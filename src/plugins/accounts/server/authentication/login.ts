/** Logins to the API and the panel: with the same answers, time and limits for known and unknown names. */
import { setTimeout } from 'node:timers/promises';
import type { Caller } from '../../../../core/caller';
import { fail } from '../../../../core/errors';
import type { Database } from '../../../objects/server/database/database';
import type { SiteSettings } from '../../../objects/server/site/settings';
import type { Hasher } from '../passwords/hasher';
import { bucketOf, clearCounter, type Limit } from '../throttle/counters';
import {
  LOGIN_BY_NAME,
  LOGIN_BY_NETWORK,
  LOGIN_FROM_ANYWHERE,
  RIGHT_BY_NAME,
  RIGHT_BY_NETWORK,
} from '../throttle/limits';
import type { Throttle } from '../throttle/throttle';
import { findByName, type Account } from '../users/account';

/** The number of failures per name without a delay, and the delay that each further one adds, in milliseconds. */
const FREE = 10;
const STEP = 250;
const MAX_DELAY = 5000;

const WRONG: readonly Limit[] = [LOGIN_BY_NAME, LOGIN_BY_NETWORK, LOGIN_FROM_ANYWHERE];
const RIGHT: readonly Limit[] = [RIGHT_BY_NAME, RIGHT_BY_NETWORK];

/**
 * The delay of an answer in milliseconds, by the number of failures for the name from all networks, including this one.
 */
export const delayAfter = (tries: number): number =>
  Math.min(Math.max(tries - FREE, 0) * STEP, MAX_DELAY);

export interface LoginPorts {
  readonly database: Database;
  readonly throttle: Throttle;
  readonly hasher: Hasher;
}

/** The e-mail or the user name, and the password. */
export interface Proof {
  readonly name: string;
  readonly password: string;
}

export class Logins {
  constructor(private readonly ports: LoginPorts) {}

  /**
   * The account with these credentials.
   *
   * @throws ApiError LOGIN_FAILED, EMAIL_NOT_VERIFIED, TOO_MANY_REQUESTS, UNAVAILABLE
   */
  async authenticate(proof: Proof, site: SiteSettings, caller: Caller): Promise<Account> {
    const account = await this.underLimits(proof.name, caller, () => this.find(proof, caller));
    refuseUnverified(account, site);
    return account;
  }

  /**
   * Runs an attempt to log in, within the limits.
   *
   * @param find gives the account; null for a failure
   * @throws ApiError LOGIN_FAILED, TOO_MANY_REQUESTS, UNAVAILABLE
   */
  async underLimits<T>(name: string, caller: Caller, find: () => Promise<T | null>): Promise<T> {
    const { database, throttle } = this.ports;
    const network = caller.network ?? '';
    const attempt = await throttle.begin(
      [
        [LOGIN_BY_NAME, name, network],
        [LOGIN_BY_NETWORK, network],
        [LOGIN_FROM_ANYWHERE, name],
        [RIGHT_BY_NAME, name],
        [RIGHT_BY_NETWORK, network],
      ],
      // The attempt counts as anonymous, even with a session.
      { id: null, actor: { kind: 'user', name: null }, network: caller.network },
    );
    // If it fails for another reason, the password has not been checked.
    let counts: readonly Limit[] = [];
    try {
      const delay = delayAfter(attempt.window(LOGIN_FROM_ANYWHERE)?.count ?? 0);
      if (delay > 0) await caller.wait(setTimeout(delay));
      const found = await find();
      counts = found === null ? WRONG : RIGHT;
      if (found === null) throw fail('LOGIN_FAILED', {});
      await database.write(() => clearCounter(bucketOf(LOGIN_BY_NAME, name, network)));
      return found;
    } finally {
      await attempt.settle(counts);
    }
  }

  /** The account with these credentials; null for a blocked one. Takes as long for unknown names. */
  async find({ name, password }: Proof, caller: Caller): Promise<Account | null> {
    const account = await findByName(this.ports.database, name);
    const isRight = await this.ports.hasher.verify(password, account?.password ?? null, caller);
    return account && isRight && !account.isBlocked ? account : null;
  }
}

/** @throws ApiError EMAIL_NOT_VERIFIED, where the site requires verification */
export function refuseUnverified(account: Account, site: SiteSettings): void {
  if (site.requireVerifiedEmail && !account.isVerified) throw fail('EMAIL_NOT_VERIFIED', {});
}
