/** Logging in, at whichever door: the same answers, the same time and the same limits for known and unknown names. */
import { setTimeout } from 'node:timers/promises';
import type { Caller } from '../../../../core/caller';
import { fail } from '../../../../core/errors';
import type { Database } from '../../../objects/server/database/database';
import type { SiteSettings } from '../../../objects/server/site';
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

/** Failures for one name from everywhere that slow nothing, and what each further one adds, in milliseconds. */
const FREE = 10;
const STEP = 250;
const MAX_DELAY = 5000;

const WRONG: readonly Limit[] = [LOGIN_BY_NAME, LOGIN_BY_NETWORK, LOGIN_FROM_ANYWHERE];
const RIGHT: readonly Limit[] = [RIGHT_BY_NAME, RIGHT_BY_NETWORK];

/** Milliseconds that an answer waits, by how often a name was tried in vain from everywhere, this time among them. */
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
   * The account that these belong to.
   *
   * @throws ApiError LOGIN_FAILED, EMAIL_NOT_VERIFIED, TOO_MANY_REQUESTS, UNAVAILABLE
   */
  async authenticate(proof: Proof, site: SiteSettings, caller: Caller): Promise<Account> {
    const account = await this.underLimits(proof.name, caller, () => this.find(proof, caller));
    refuseUnverified(account, site);
    return account;
  }

  /**
   * Lets somebody try to come in as often as the limits allow.
   *
   * @param find who that is; null for a failure
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
      // Who tries is nobody yet, whatever session comes along.
      { id: null, actor: { kind: 'user', name: null }, network: caller.network },
    );
    // Where it fails for another reason, nobody has looked at the password.
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

  /** The account that these belong to, null when it is blocked: as slow for known and unknown names. */
  async find({ name, password }: Proof, caller: Caller): Promise<Account | null> {
    const account = await findByName(this.ports.database, name);
    const isRight = await this.ports.hasher.verify(password, account?.password ?? null, caller);
    return account && isRight && !account.isBlocked ? account : null;
  }
}

/** @throws ApiError EMAIL_NOT_VERIFIED, where the site asks for it */
export function refuseUnverified(account: Account, site: SiteSettings): void {
  if (site.requireVerifiedEmail && !account.isVerified) throw fail('EMAIL_NOT_VERIFIED', {});
}
