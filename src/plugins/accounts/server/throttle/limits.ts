/** What may be done how often, and by whom it is counted (contract, section 9). */
import type { IncomingMessage } from 'node:http';
import { fail } from '../../../wire/server/errors';
import type { Exchange } from '../../../wire/server/exchange';
import type { Database } from '../../../objects/server/database/database';
import { anonymous, type Caller } from '../caller';
import { networkOf, type AddressReader } from './address';
import { guard, type Counted } from './guard';
import { tellMet, type Tried } from './met';
import { bucketOf, type Limit } from './throttle';

const QUARTER = 15 * 60;
const HOUR = 60 * 60;

/** Failures for one name from one network, and from one network, after which nobody is let in from there. */
export const LOGIN_BY_NAME: Limit = { name: 'login', max: 10, seconds: QUARTER };
export const LOGIN_BY_NETWORK: Limit = { name: 'login-network', max: 50, seconds: QUARTER };

/** Failures for one name from everywhere: they refuse nobody, so that nobody can lock another out. */
export const LOGIN_FROM_ANYWHERE: Limit = { name: 'login-name', max: Infinity, seconds: QUARTER };

/** How often one may be wrong about one's own password. */
export const PROOFS: Limit = { name: 'proof', max: 10, seconds: QUARTER };

/** How often one may change one's own address, and an address may become somebody's: each change is a mail to it. */
export const ADDRESS_CHANGES: Limit = { name: 'address', max: 10, seconds: HOUR };

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

/** What a call counts as, where the routes tell; what its body tells is counted by its controller. */
export class Limits {
  private readonly reads = new Map<string, { count: number; endsAt: number }>();
  private readonly networks = new Map<string, string>();

  constructor(
    private readonly database: Database,
    private readonly allowed: Allowed,
    private readonly addressOf: AddressReader,
    private readonly report: (error: unknown) => void,
  ) {}

  /** @throws WireError TOO_MANY_REQUESTS */
  check({ req, method, route, caller }: Exchange): void | Promise<void> {
    if (!caller || !route) return;
    if (method === 'GET' || method === 'HEAD') return this.countRead(req, caller);
    const { kind, type } = route.config.operation as { kind: string; type?: string };
    if (kind !== 'create' || caller.role === 'administrator') return;
    if (type === 'user') return this.count('registrations', req, caller);
    if (caller.role === 'anonymous') return this.count('reports', req, caller);
  }

  /** Mails to an address, whether anybody has it or not. @throws WireError TOO_MANY_REQUESTS */
  async countMail(email: string, req: IncomingMessage): Promise<void> {
    const { mails } = this.allowed;
    if (mails === 0) return;
    const byNetwork = { name: 'mails-network', max: mails * 10, seconds: HOUR };
    const network = this.networkOf(req);
    await guard(
      this.database,
      [
        [{ name: 'mails', max: mails, seconds: HOUR }, email],
        [byNetwork, network],
      ],
      { caller: anonymous(), network },
    );
  }

  /** The network that a request comes from. */
  networkOf(req: IncomingMessage): string {
    const address = this.addressOf(req);
    let network = this.networks.get(address);
    if (network === undefined) {
      network = networkOf(address);
      if (this.networks.size >= MAX_KEPT) this.networks.clear();
      this.networks.set(address, network);
    }
    return network;
  }

  private async count(
    name: 'registrations' | 'reports',
    req: IncomingMessage,
    caller: Caller,
  ): Promise<void> {
    const max = this.allowed[name];
    if (max === 0) return;
    const network = this.networkOf(req);
    const counted: Counted = [{ name, max, seconds: HOUR }, network];
    await guard(this.database, [counted], { caller, network });
  }

  /** In memory, by each server for itself: a read may not cost a write. */
  private countRead(req: IncomingMessage, caller: Caller): void {
    const max = this.allowed.reads;
    if (max === 0) return;
    const key = caller.session ?? this.networkOf(req);
    const now = Date.now();
    let window = this.reads.get(key);
    if (!window || window.endsAt <= now) {
      if (this.reads.size >= MAX_KEPT) this.reads.clear();
      window = { count: 0, endsAt: now + MINUTE };
      this.reads.set(key, window);
    }
    window.count += 1;
    if (window.count <= max) return;
    if (window.count === max + 1) this.tellReads(key, { caller, network: this.networkOf(req) });
    const seconds = Math.max(1, Math.ceil((window.endsAt - now) / 1000));
    throw fail('TOO_MANY_REQUESTS', {}, { 'Retry-After': String(seconds) });
  }

  /** Nobody waits for it. */
  private tellReads(key: string, tried: Tried): void {
    const limit: Limit = { name: 'reads', max: this.allowed.reads, seconds: MINUTE / 1000 };
    const now = Date.now();
    this.database.write(() => tellMet(limit, bucketOf(limit, key), tried, now)).catch(this.report);
  }
}

const MINUTE = 60_000;
const MAX_KEPT = 100_000;
