/**
 * Finds the account of a session's secret. Sessions are cached, so that a request needs no query. Within one process
 * the cache is never stale: each change of an account calls `invalidate`. Where several processes share a database, an
 * entry is valid for `STALE` milliseconds: a poll renews entries in use, and notifications of changes (`LISTEN`)
 * invalidate them earlier.
 */
import type { Database } from '../../../objects/server/database/database';
import { bind, type Sql } from '../../../objects/server/database/sql';
import type { Identity, Role } from '../../../../core/caller';
import { hashOfSecret } from '../../../../core/secret';
import {
  ABSOLUTE,
  IDLE,
  sessionOf,
  sessionsWith,
  touchSessions,
  type StoredSession,
} from './store';

/** Milliseconds after which another process's change is noticed at the latest (contract, section 9: two seconds). */
const STALE = 2000;
const POLL = 800;

/** Milliseconds between two updates of the time of last use, in total and per session. */
const NOTE = 60_000;
const NOTED = 5 * NOTE;

/** The number of sessions that one statement updates, which takes a few milliseconds. */
const MAX_NOTED = 500;

/** The size of the cache; a session takes about 400 bytes. */
const MAX_KEPT = 200_000;

/** The number of sessions that one statement renews. */
const MAX_RENEWED = 5000;

/** The account of cached sessions; a new object after each change. */
interface Known {
  readonly id: string;
  readonly rowId: number;
  readonly role: Role;
  readonly actor: Identity['actor'];
  readonly version: number;
}

/** Times in seconds: milliseconds would exceed V8's small integers and take a heap object each. */
interface Kept {
  readonly id: string;
  readonly account: Known;
  readonly createdAt: number;
  usedAt: number;
  notedAt: number;
  /** When the entry was last read from the database, in milliseconds; 0 if no other process writes to it. */
  checkedAt: number;
}

export class Sessions {
  private readonly kept = new Map<string, Kept>();
  private readonly accounts = new Map<string, Known>();
  /** The hashes of sessions whose time of last use has to be updated, and of sessions used since the last renewal. */
  private readonly used = new Set<string>();
  private wanted = new Set<string>();
  /** The number of invalidations: the result of a query that was sent before one is not cached after it. */
  private changes = 0;
  private timers: NodeJS.Timeout[] = [];
  private readonly find: Sql;

  constructor(
    private readonly database: Database,
    private readonly report: (error: unknown) => void,
    private readonly clock: () => number = Date.now,
  ) {
    this.find = sessionsWith(database.dialect);
  }

  /** The account of a secret; null if it belongs to no valid session. @throws ApiError UNAVAILABLE */
  callerOf(secret: string): Identity | null | Promise<Identity | null> {
    const hash = hashOfSecret(secret);
    if (hash === null) return null;
    const now = this.clock();
    const kept = this.kept.get(hash);
    if (kept && this.holds(kept, now)) return this.use(hash, kept, now);
    return this.look(hash, now);
  }

  /** Invalidates an account and its sessions: the next request reads them from the database. */
  invalidate(account: string): void {
    this.changes += 1;
    this.accounts.delete(account);
  }

  /** No jobs: each process writes down, and reads again, what it keeps itself. */
  start(): void {
    const every = (milliseconds: number, work: () => Promise<void>): void => {
      const timer = setInterval(() => void work().catch(this.report), milliseconds);
      this.timers.push(timer.unref());
    };
    every(NOTE, () => this.note());
    if (this.database.isShared) every(POLL, () => this.renew());
  }

  async stop(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    this.timers = [];
    await this.note().catch(this.report);
  }

  private holds(kept: Kept, now: number): boolean {
    if (this.accounts.get(kept.account.id) !== kept.account) return false;
    if (this.database.isShared && now - kept.checkedAt >= STALE) return false;
    return isAlive(kept.createdAt * 1000, kept.usedAt * 1000, now);
  }

  private use(hash: string, kept: Kept, now: number): Identity {
    kept.usedAt = seconds(now);
    if (now - kept.notedAt * 1000 >= NOTED) this.used.add(hash);
    if (this.database.isShared) this.wanted.add(hash);
    const { id, rowId, role, actor } = kept.account;
    return { role, id, rowId, session: kept.id, actor };
  }

  private async look(hash: string, now: number): Promise<Identity | null> {
    const { changes } = this;
    const [stored] = await this.read([hash]);
    this.kept.delete(hash);
    if (!stored) return null;
    if (!isAlive(stored.createdAt, stored.lastUsedAt, now)) return null;
    const account = this.known(stored, changes === this.changes);
    const kept = keptOf(stored, account, now, this.database.isShared ? now : 0);
    if (changes === this.changes) this.keep(hash, kept);
    return this.use(hash, kept, now);
  }

  private async read(hashes: readonly string[]): Promise<StoredSession[]> {
    const rows = await this.database.read(bind(this.find, { hashes: JSON.stringify(hashes) }));
    return rows.map(sessionOf);
  }

  /** Shares one object between all sessions of an account, until it changes. */
  private known(stored: StoredSession, isKept: boolean): Known {
    const known = this.accounts.get(stored.account);
    if (known?.version === stored.version) return known;
    const { account: id, rowId, role, name, version } = stored;
    const fresh: Known = { id, rowId, role, actor: { kind: 'user', name }, version };
    if (isKept) this.accounts.set(id, fresh);
    return fresh;
  }

  private keep(hash: string, kept: Kept): void {
    this.kept.set(hash, kept);
    if (this.kept.size <= MAX_KEPT) return;
    const [oldest] = this.kept.keys();
    if (oldest !== undefined) this.kept.delete(oldest);
  }

  /** Updates the time of last use of sessions, in batches. */
  private async note(): Promise<void> {
    const used = [...this.used];
    for (let at = 0; at < used.length; at += MAX_NOTED) {
      const hashes = used.slice(at, at + MAX_NOTED);
      const now = this.clock();
      await this.database.write(() => touchSessions(hashes, now, this.database.dialect));
      for (const hash of hashes) {
        this.used.delete(hash);
        const kept = this.kept.get(hash);
        if (kept) kept.notedAt = seconds(now);
      }
    }
  }

  /** Reads the sessions again that were used since the last renewal. */
  private async renew(): Promise<void> {
    const wanted = [...this.wanted].slice(0, MAX_RENEWED);
    this.wanted = new Set();
    if (wanted.length === 0) return;
    const [now, { changes }] = [this.clock(), this];
    const stored = await this.read(wanted);
    if (changes !== this.changes) return;
    const living = new Map(stored.map((session) => [session.hash, session]));
    for (const hash of wanted) {
      const kept = this.kept.get(hash);
      if (kept && living.get(hash)?.version === kept.account.version) kept.checkedAt = now;
      else this.kept.delete(hash);
    }
  }
}

const isAlive = (createdAt: number, usedAt: number, now: number): boolean =>
  now - usedAt < IDLE && now - createdAt < ABSOLUTE;

const seconds = (milliseconds: number): number => Math.floor(milliseconds / 1000);

const keptOf = (stored: StoredSession, account: Known, now: number, checkedAt: number): Kept => ({
  id: stored.id,
  account,
  createdAt: seconds(stored.createdAt),
  usedAt: seconds(now),
  notedAt: seconds(stored.lastUsedAt),
  checkedAt,
});
