/** The stored sessions. Only the SHA-256 of a secret is stored. */
import { randomUUID } from 'node:crypto';
import type { Role } from '../../../../core/caller';
import { newSecret } from '../../../../core/secret';
import type { Dialect } from '../../../objects/server/database/database';
import { raw, slot, sql, type Sql } from '../../../objects/server/database/sql';
import { ask, type Row, type Work } from '../../../objects/server/database/work';
import { USERS } from '../users/account';

const DAY = 24 * 60 * 60 * 1000;

/** Milliseconds after which a session ends: since its last use, and since the login. */
export const IDLE = 14 * DAY;
export const ABSOLUTE = 90 * DAY;

/** The maximum number of sessions per account; the oldest end first. */
export const MAX_SESSIONS = 50;

const MAX_USER_AGENT = 255;

/** Begins a session. @returns its secret, which cannot be recovered later */
export function* startSession(account: string, userAgent: string, now: number): Work<string> {
  const { text, hash } = newSecret();
  const agent = userAgent.slice(0, MAX_USER_AGENT);
  yield* ask(
    sql`insert into oms_sessions (hash, id, account, created_at, last_used_at, user_agent)
      values (${hash}, ${randomUUID()}, ${account}, ${now}, ${now}, ${agent})`,
  );
  const newest = sql`select hash from oms_sessions where account = ${account}
    order by created_at desc, id limit ${raw(String(MAX_SESSIONS))}`;
  yield* ask(sql`delete from oms_sessions where account = ${account} and hash not in (${newest})`);
  return text;
}

/** Ends one session of an account. @returns whether there was one */
export function* endSession(account: string, id: string): Work<boolean> {
  const ended = yield* ask(
    sql`delete from oms_sessions where account = ${account} and id = ${id} returning id`,
  );
  return ended.length > 0;
}

/** Ends the sessions of an account, except one. */
export function* endSessions(account: string, except: string | null = null): Work<void> {
  yield* ask(sql`delete from oms_sessions where account = ${account} and id <> ${except ?? ''}`);
}

/** Deletes expired sessions. Called by a timer; expired sessions are refused anyway. */
export function* sweepSessions(now: number): Work<void> {
  yield* ask(
    sql`delete from oms_sessions where last_used_at <= ${now - IDLE} or created_at <= ${now - ABSOLUTE}`,
  );
}

/** Updates the time of last use of sessions. */
export function* touchSessions(
  hashes: readonly string[],
  now: number,
  dialect: Dialect,
): Work<void> {
  const items = dialect.jsonItems(sql`${JSON.stringify(hashes)}`);
  yield* ask(
    sql`update oms_sessions set last_used_at = ${now} where hash in (select j.value from ${items})`,
  );
}

/** A session with its account. */
export interface StoredSession {
  readonly hash: string;
  readonly id: string;
  readonly createdAt: number;
  readonly lastUsedAt: number;
  readonly account: string;
  /** The ID of the account's row. */
  readonly rowId: number;
  readonly role: Role;
  readonly name: string;
  /** The version of the account's object. */
  readonly version: number;
}

/** The sessions of a JSON list of hashes, the slot `hashes`, whose accounts are not blocked. */
export const sessionsWith = (dialect: Dialect): Sql =>
  sql`select s.hash, s.id, s.created_at, s.last_used_at, u.document_id, u.account_role, u.name, u.version, u.id
   from oms_sessions s join ${USERS} u on u.document_id = s.account
   where s.hash in (select j.value from ${dialect.jsonItems(sql`${slot('hashes')}`)}) and u.blocked is not true`;

/** A row of `sessionsWith`. */
export const sessionOf = (row: Row): StoredSession => ({
  hash: String(row[0]),
  id: String(row[1]),
  createdAt: Number(row[2]),
  lastUsedAt: Number(row[3]),
  account: String(row[4]),
  role: row[5] as Role,
  name: String(row[6]),
  version: Number(row[7]),
  rowId: Number(row[8]),
});

/** A session as its owner sees it, with times in milliseconds since 1970. */
export interface SessionEntry {
  readonly id: string;
  readonly createdAt: number;
  readonly lastUsedAt: number;
  readonly userAgent: string;
}

/** The valid sessions of an account, the last used first. */
export const sessionsOf = (account: string, now: number): Sql =>
  sql`select id, created_at, last_used_at, user_agent from oms_sessions
    where account = ${account} and last_used_at > ${now - IDLE} and created_at > ${now - ABSOLUTE}
    order by last_used_at desc, id`;

/** A row of `sessionsOf`. */
export const entryOf = ([id, createdAt, lastUsedAt, userAgent]: Row): SessionEntry => ({
  id: String(id),
  createdAt: Number(createdAt),
  lastUsedAt: Number(lastUsedAt),
  userAgent: String(userAgent),
});
