/** What may be done how often, and by whom it is counted (contract, section 9). */
import type { Caller } from '../../../../core/caller';
import { fail } from '../../../../core/errors';
import type { Database } from '../../../objects/server/database/database';
import type { ApiRequest } from '../../../wire/server/request';
import { bucketOf, type Limit } from './counters';
import { recordLimit } from './limit-history';
import type { Throttle } from './throttle';

const QUARTER = 15 * 60;
const HOUR = 60 * 60;

/** Failures for one name from one network, and from one network, after which nobody is let in from there. */
export const LOGIN_BY_NAME: Limit = { name: 'login', max: 10, seconds: QUARTER };
export const LOGIN_BY_NETWORK: Limit = { name: 'login-network', max: 50, seconds: QUARTER };

/** Failures for one name from everywhere: they refuse nobody, so that nobody can lock another out. */
export const LOGIN_FROM_ANYWHERE: Limit = { name: 'login-name', max: Infinity, seconds: QUARTER };

/** How often one may be wrong about one's own password. */
export const PROOFS: Limit = { name: 'proof', max: 10, seconds: QUARTER };

/** Right passwords, which cost a hash each, of one account and of one network: of logins and of proofs. */
export const RIGHT_BY_NAME: Limit = { name: 'right', max: 100, seconds: QUARTER };
export const RIGHT_BY_NETWORK: Limit = { name: 'right-network', max: 1000, seconds: QUARTER };

/** Tokens of mails that were none, from one network. */
export const TOKENS: Limit = { name: 'token', max: 30, seconds: QUARTER };

/** How often one may change one's own address, and an address may become somebody's: each change is a mail to it. */
export const ADDRESS_CHANGES: Limit = { name: 'address', max: 10, seconds: HOUR };

/** How often one may try another user name: whether it is taken is told. */
export const USERNAME_CHANGES: Limit = { name: 'username', max: 10, seconds: HOUR };

/** How many the operator allows; 0 is no limit. */
export interface Allowed {
  /** Per network and hour. */
  readonly registrations: number;
  readonly reports: number;
  /** To one address, per hour. */
  readonly mails: number;
  /** Per session, or per network without one, and minute. */
  readonly reads: number;
}

/** How many photographs a report has: so many uploads without an account may come for each. */
const UPLOADS_OF_REPORT = 4;

/** What a call counts as, where the routes tell; what its body tells is counted by its controller. */
export class Limits {
  private readonly reads = new Map<string, { count: number; endsAt: number }>();

  constructor(
    private readonly database: Database,
    private readonly throttle: Throttle,
    private readonly allowed: Allowed,
    private readonly report: (error: unknown) => void,
  ) {}

  /** @throws ApiError TOO_MANY_REQUESTS */
  check({ method, route, caller }: ApiRequest): void | Promise<void> {
    if (!caller || !route) return;
    if (method === 'GET' || method === 'HEAD') return this.countRead(caller);
    const { kind, type } = route.config.operation as { kind: string; type?: string };
    if (kind !== 'create' || caller.role === 'administrator') return;
    if (type === 'user') return this.count('registrations', caller);
    if (caller.role !== 'anonymous') return;
    return this.count(type === 'asset' ? 'uploads' : 'reports', caller);
  }

  /** Mails to an address, whether anybody has it or not. @throws ApiError TOO_MANY_REQUESTS */
  async countMail(email: string, network: string): Promise<void> {
    const { mails } = this.allowed;
    if (mails === 0) return;
    const byNetwork = { name: 'mails-network', max: mails * 10, seconds: HOUR };
    await this.throttle.count(
      [
        [{ name: 'mails', max: mails, seconds: HOUR }, email],
        [byNetwork, network],
      ],
      { id: null, actor: { kind: 'user', name: null }, network },
    );
  }

  private async count(
    name: 'registrations' | 'reports' | 'uploads',
    caller: Caller,
  ): Promise<void> {
    const { reports, registrations } = this.allowed;
    const max = { registrations, reports, uploads: reports * UPLOADS_OF_REPORT }[name];
    if (max === 0) return;
    await this.throttle.count([[{ name, max, seconds: HOUR }, caller.network ?? '']], caller);
  }

  /** In memory, by each server for itself: a read may not cost a write. */
  private countRead(caller: Caller): void {
    const max = this.allowed.reads;
    if (max === 0) return;
    const key = caller.session ?? caller.network ?? '';
    const now = Date.now();
    let window = this.reads.get(key);
    if (!window || window.endsAt <= now) {
      if (this.reads.size >= MAX_KEPT) this.reads.clear();
      window = { count: 0, endsAt: now + MINUTE };
      this.reads.set(key, window);
    }
    window.count += 1;
    if (window.count <= max) return;
    if (window.count === max + 1) this.recordReads(key, caller);
    const seconds = Math.max(1, Math.ceil((window.endsAt - now) / 1000));
    throw fail('TOO_MANY_REQUESTS', {}, { 'Retry-After': String(seconds) });
  }

  /** Nobody waits for it. */
  private recordReads(key: string, caller: Caller): void {
    const limit: Limit = { name: 'reads', max: this.allowed.reads, seconds: MINUTE / 1000 };
    const now = Date.now();
    this.database
      .write(() => recordLimit(limit, bucketOf(limit, key), caller, now))
      .catch(this.report);
  }
}

const MINUTE = 60_000;
const MAX_KEPT = 100_000;
