/** The limits, and by what each is counted (contract, section 9). */
import type { Caller } from '../../../../core/caller';
import type { Clock } from '../../../../core/clock';
import { fail } from '../../../../core/errors';
import type { Database } from '../../../objects/server/database/database';
import type { ApiRequest } from '../../../wire/server/request';
import { bucketOf, type Limit } from './counters';
import { recordLimit } from './limit-history';
import type { Throttle } from './throttle';

const QUARTER = 15 * 60;
const HOUR = 60 * 60;

/** Failures per name and network, and per network, after which logins from there are refused. */
export const LOGIN_BY_NAME: Limit = { name: 'login', max: 10, seconds: QUARTER };
export const LOGIN_BY_NETWORK: Limit = { name: 'login-network', max: 50, seconds: QUARTER };

/** Failures per name from all networks: they only delay answers, so that nobody can lock another user out. */
export const LOGIN_FROM_ANYWHERE: Limit = { name: 'login-name', max: Infinity, seconds: QUARTER };

/** Wrong proofs of one's own password. */
export const PROOFS: Limit = { name: 'proof', max: 10, seconds: QUARTER };

/** Right passwords in logins and proofs, per account and per network, because each costs a hash. */
export const RIGHT_BY_NAME: Limit = { name: 'right', max: 100, seconds: QUARTER };
export const RIGHT_BY_NETWORK: Limit = { name: 'right-network', max: 1000, seconds: QUARTER };

/** Invalid tokens of mails, per network. */
export const TOKENS: Limit = { name: 'token', max: 30, seconds: QUARTER };

/** Changes of one's own address, per account and per new address, because each sends a mail to it. */
export const ADDRESS_CHANGES: Limit = { name: 'address', max: 10, seconds: HOUR };

/** Changes of one's user name, because they reveal whether a name is taken. */
export const USERNAME_CHANGES: Limit = { name: 'username', max: 10, seconds: HOUR };

/** The limits that the operator sets; 0 is no limit. */
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

/** How often one may try for each report or upload that is stored: forms are corrected and sent again. */
const TRIES = 10;

/**
 * The limit that a call counts towards, where its route determines it; the controller counts what depends on the body.
 */
export class Limits {
  private readonly reads = new Map<string, { count: number; endsAt: number }>();

  constructor(
    private readonly database: Database,
    private readonly throttle: Throttle,
    private readonly allowed: Allowed,
    private readonly report: (error: unknown) => void,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError TOO_MANY_REQUESTS */
  check(request: ApiRequest): void | Promise<void> {
    const { method, route, caller } = request;
    if (!caller || !route) return;
    if (method === 'GET' || method === 'HEAD') return this.countRead(caller);
    const { kind, type } = route.config.operation as { kind: string; type?: string };
    if (kind !== 'create' || caller.role === 'administrator') return;
    if (type === 'user') return this.countRegistration(caller);
    if (caller.role !== 'anonymous') return;
    return this.countReport(type === 'asset' ? 'uploads' : 'reports', caller, request);
  }

  /** Counts a mail to an address, whether it belongs to an account or not. @throws ApiError TOO_MANY_REQUESTS */
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

  private async countRegistration(caller: Caller): Promise<void> {
    const max = this.allowed.registrations;
    if (max === 0) return;
    const limit: Limit = { name: 'registrations', max, seconds: HOUR };
    await this.throttle.count([[limit, caller.network ?? '']], caller);
  }

  /** Counts a report or an upload without an account; one that is refused counts as a try alone. */
  private async countReport(
    name: 'reports' | 'uploads',
    caller: Caller,
    { res }: ApiRequest,
  ): Promise<void> {
    const max = this.allowed.reports * (name === 'uploads' ? UPLOADS_OF_REPORT : 1);
    if (max === 0) return;
    const stored: Limit = { name, max, seconds: HOUR };
    const tries: Limit = { name: `${name}-tries`, max: max * TRIES, seconds: HOUR };
    const network = caller.network ?? '';
    const counted = [
      [stored, network],
      [tries, network],
    ] as const;
    const attempt = await this.throttle.begin(counted, caller);
    const settle = (): void => {
      // What was stored has been answered, or the client did not wait for the answer.
      const isRefused = res.headersSent && res.statusCode !== 200;
      attempt.settle(isRefused ? [tries] : [stored, tries]).catch(this.report);
    };
    if (res.destroyed) settle();
    else res.once('close', settle);
  }

  /** Counted in memory, per server, so that a read costs no write. */
  private countRead(caller: Caller): void {
    const max = this.allowed.reads;
    if (max === 0) return;
    const key = caller.session ?? caller.network ?? '';
    const now = this.clock();
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

  /** Not awaited. */
  private recordReads(key: string, caller: Caller): void {
    const limit: Limit = { name: 'reads', max: this.allowed.reads, seconds: MINUTE / 1000 };
    const now = this.clock();
    this.database
      .write(() => recordLimit(limit, bucketOf(limit, key), caller, now))
      .catch(this.report);
  }
}

const MINUTE = 60_000;
const MAX_KEPT = 100_000;
