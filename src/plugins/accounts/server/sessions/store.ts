/** The sessions as they are stored: of each secret its SHA-256 alone. */
import { hash, randomBytes, randomUUID } from 'node:crypto';
import type { Core } from '@strapi/strapi';
import { ensureTable } from '../../../objects/server/database/own-tables';
import { ask, type Row, type Work } from '../../../objects/server/database/work';
import type { Role } from '../caller';
import { USERS } from '../users/account';

const DAY = 24 * 60 * 60 * 1000;

/** Milliseconds after its last use, and after the login, at which a session ends. */
export const IDLE = 14 * DAY;
export const ABSOLUTE = 90 * DAY;

/** How many an account has at most; the oldest end. */
export const MAX_SESSIONS = 50;

const MAX_USER_AGENT = 255;

const TABLE = 'oms_sessions';

/** Makes the table where it is missing. */
export const ensureSessionTable = (strapi: Core.Strapi): Promise<void> =>
  ensureTable(strapi, TABLE, (table) => {
    table.string('hash', 64).primary();
    table.string('id', 36).notNullable().unique();
    table.string('account', 36).notNullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('last_used_at').notNullable();
    table.string('user_agent', MAX_USER_AGENT).notNullable();
    table.index(['account', 'created_at'], `${TABLE}_account_ix`);
    table.index(['last_used_at'], `${TABLE}_last_used_at_ix`);
  });

/** 256 random bits in base64url: 43 characters. */
const SECRET = /^[\w-]{43}$/;

/** The key under which a session is kept, null for what can be no secret. */
export const hashOf = (secret: string): string | null =>
  SECRET.test(secret) ? hash('sha256', secret, 'hex') : null;

const START = `insert into ${TABLE} (hash, id, account, created_at, last_used_at, user_agent)
  values (?, ?, ?, ?, ?, ?)`;

const END_OLDEST = `delete from ${TABLE} where account = ? and hash not in
  (select hash from ${TABLE} where account = ? order by created_at desc, id limit ${MAX_SESSIONS})`;

/** Begins a session. @returns its secret, which nobody can be given again */
export function* startSession(account: string, userAgent: string, now: number): Work<string> {
  const secret = randomBytes(32).toString('base64url');
  const agent = userAgent.slice(0, MAX_USER_AGENT);
  yield* ask(START, [hashOf(secret), randomUUID(), account, now, now, agent]);
  yield* ask(END_OLDEST, [account, account]);
  return secret;
}

/** Ends one session of an account. @returns whether it had it */
export function* endSession(account: string, id: string): Work<boolean> {
  const sql = `delete from ${TABLE} where account = ? and id = ? returning id`;
  return (yield* ask(sql, [account, id])).length > 0;
}

/** Ends the sessions of an account, but for one. */
export function* endSessions(account: string, except: string | null = null): Work<void> {
  yield* ask(`delete from ${TABLE} where account = ? and id <> ?`, [account, except ?? '']);
}

/** Ends what has not been used for too long, or lives too long. For a timer: nobody is let in by it anyway. */
export function* sweepSessions(now: number): Work<void> {
  yield* ask(`delete from ${TABLE} where last_used_at <= ? or created_at <= ?`, [
    now - IDLE,
    now - ABSOLUTE,
  ]);
}

/** Notes that sessions have been used. @param hashes a JSON list, one parameter of `jsonItems` */
export const touched = (jsonItems: string): string =>
  `update ${TABLE} set last_used_at = ? where hash in (select j.value from ${jsonItems})`;

/** A session with the account behind it. */
export interface StoredSession {
  readonly hash: string;
  readonly id: string;
  readonly createdAt: number;
  readonly lastUsedAt: number;
  readonly account: string;
  readonly role: Role;
  readonly name: string;
  /** The version of the account's object. */
  readonly version: number;
}

/** The sessions of a JSON list of hashes whose accounts are not blocked. One parameter. */
export const findSessions = (jsonItems: string): string =>
  `select s.hash, s.id, s.created_at, s.last_used_at, u.document_id, u.account_role, u.name, u.version
   from ${TABLE} s join ${USERS} u on u.document_id = s.account
   where s.hash in (select j.value from ${jsonItems}) and u.blocked is not true`;

/** A row of `findSessions`. */
export const sessionOf = (row: Row): StoredSession => ({
  hash: String(row[0]),
  id: String(row[1]),
  createdAt: Number(row[2]),
  lastUsedAt: Number(row[3]),
  account: String(row[4]),
  role: row[5] as Role,
  name: String(row[6]),
  version: Number(row[7]),
});

/** A session as its owner sees it: times in milliseconds since 1970. */
export interface SessionEntry {
  readonly id: string;
  readonly createdAt: number;
  readonly lastUsedAt: number;
  readonly userAgent: string;
}

/** The living sessions of an account, the last used first. Parameters: account, now - IDLE, now - ABSOLUTE. */
export const LIST = `select id, created_at, last_used_at, user_agent from ${TABLE}
  where account = ? and last_used_at > ? and created_at > ? order by last_used_at desc, id`;

/** A row of `LIST`. */
export const entryOf = ([id, createdAt, lastUsedAt, userAgent]: Row): SessionEntry => ({
  id: String(id),
  createdAt: Number(createdAt),
  lastUsedAt: Number(lastUsedAt),
  userAgent: String(userAgent),
});
