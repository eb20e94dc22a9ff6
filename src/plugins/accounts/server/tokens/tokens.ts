/** Secrets that are sent by mail and work once. Only their hashes are kept. */
import { hash, randomBytes } from 'node:crypto';
import type { Core } from '@strapi/strapi';
import { ensureTable } from '../../../objects/server/database/own-tables';
import { ask, askOne, type Row, type Work } from '../../../objects/server/database/work';

export const TOKEN_KINDS = ['verify', 'reset', 'invite'] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];

const HOUR = 60 * 60 * 1000;

/** How long a token lives, in milliseconds: an hour for who takes over an account, a week for who waits for an answer. */
export const LIFETIMES: Record<TokenKind, number> = {
  verify: 7 * 24 * HOUR,
  reset: HOUR,
  invite: 7 * 24 * HOUR,
};

/** What a token stands for. */
export interface Token {
  readonly kind: TokenKind;
  /** The ID of the account. */
  readonly account: string;
  /** The address that it is sent to, and that it proves. */
  readonly email: string;
}

const TABLE = 'oms_tokens';

/** A place for each kind, so that a statement has one text whichever are asked for. */
const OF_KINDS = `kind in (${TOKEN_KINDS.map(() => '?').join(', ')})`;

/** How many expired tokens one sweep deletes. */
export const SWEEP_SIZE = 1000;

/** Makes the table where it is missing. */
export const ensureTokenTable = (strapi: Core.Strapi): Promise<void> =>
  ensureTable(strapi, TABLE, (table) => {
    table.string('hash', 64).primary();
    table.string('kind', 10).notNullable();
    table.string('account', 36).notNullable();
    table.string('email', 255).notNullable();
    table.bigInteger('expires_at').notNullable();
    table.index(['account'], `${TABLE}_account_ix`);
    table.index(['expires_at'], `${TABLE}_expires_at_ix`);
  });

const ISSUE = `insert into ${TABLE} (hash, kind, account, email, expires_at) values (?, ?, ?, ?, ?)`;

/** Makes a token. @returns its secret: 256 random bits in base64url, which nobody can be given again */
export function* issueToken({ kind, account, email }: Token, now: number): Work<string> {
  const secret = randomBytes(32).toString('base64url');
  yield* ask(ISSUE, [hashOf(secret), kind, account, email, now + LIFETIMES[kind]]);
  return secret;
}

const REDEEM = `delete from ${TABLE}
  where hash = ? and ${OF_KINDS} and expires_at > ? returning kind, account, email`;

/**
 * Uses a token up: of two who come with it at the same time, one gets it. Within a transaction that
 * fails, it stays.
 *
 * @param secret as it was sent, whatever that is
 * @returns null when no living token of these kinds has this secret
 */
export function* redeemToken(
  secret: string,
  kinds: readonly TokenKind[],
  now: number,
): Work<Token | null> {
  return tokenOf(yield* askOne(REDEEM, [hashOf(secret), ...places(kinds), now]));
}

function tokenOf(row: Row | undefined): Token | null {
  if (!row) return null;
  const [kind, account, email] = row as [TokenKind, string, string];
  return { kind, account, email };
}

const PEEK = `select kind, account, email from ${TABLE}
  where hash = ? and ${OF_KINDS} and expires_at > ?`;

/** What a token stands for, without using it up: for what has to be prepared before it is. */
export function* peekToken(
  secret: string,
  kinds: readonly TokenKind[],
  now: number,
): Work<Token | null> {
  return tokenOf(yield* askOne(PEEK, [hashOf(secret), ...places(kinds), now]));
}

const END_ALL = `delete from ${TABLE} where account = ? and ${OF_KINDS}`;

/** Ends the tokens of an account: those of these kinds, or all. */
export function* endTokens(account: string, kinds: readonly TokenKind[] = TOKEN_KINDS): Work<void> {
  yield* ask(END_ALL, [account, ...places(kinds)]);
}

const END = `delete from ${TABLE} where hash = ?`;

/** Ends the one token that has this secret. */
export function* endToken(secret: string): Work<void> {
  yield* ask(END, [hashOf(secret)]);
}

const SWEEP = `delete from ${TABLE} where hash in
  (select hash from ${TABLE} where expires_at <= ? order by expires_at limit ${SWEEP_SIZE})
  returning hash`;

/**
 * Deletes tokens that have expired, at most `SWEEP_SIZE`. For a timer: an expired one is worth
 * nothing without it.
 *
 * @returns how many; as many as `SWEEP_SIZE` when there may be more
 */
export function* sweepTokens(now: number): Work<number> {
  return (yield* ask(SWEEP, [now])).length;
}

const hashOf = (secret: string): string => hash('sha256', secret, 'hex');

const places = (kinds: readonly TokenKind[]): readonly (TokenKind | null)[] =>
  TOKEN_KINDS.map((_, index) => kinds[index] ?? null);
