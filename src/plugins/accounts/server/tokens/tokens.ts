/** Secrets that are sent by mail and work once. Only their hashes are kept. */
import { hash, randomBytes } from 'node:crypto';
import { raw, sql, type Sql } from '../../../objects/server/database/sql';
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

/** How many expired tokens one sweep deletes. */
export const SWEEP_SIZE = 1000;

/** Makes a token. @returns its secret: 256 random bits in base64url, which nobody can be given again */
export function* issueToken({ kind, account, email }: Token, now: number): Work<string> {
  const secret = randomBytes(32).toString('base64url');
  yield* ask(
    sql`insert into oms_tokens (hash, kind, account, email, expires_at)
      values (${hashOf(secret)}, ${kind}, ${account}, ${email}, ${now + LIFETIMES[kind]})`,
  );
  return secret;
}

/** A place for each kind, so that a statement has one text whichever are asked for. */
function ofKinds(kinds: readonly TokenKind[]): Sql {
  const [first = null, second = null, third = null] = kinds;
  return sql`kind in (${first}, ${second}, ${third})`;
}

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
  const row = yield* askOne(
    sql`delete from oms_tokens where hash = ${hashOf(secret)} and ${ofKinds(kinds)}
      and expires_at > ${now} returning kind, account, email`,
  );
  return row ? tokenOf(row) : null;
}

/** What a token stands for, without using it up: a row for `tokenOf`, none when there is no such token. */
export const tokenWith = (secret: string, kinds: readonly TokenKind[], now: number): Sql =>
  sql`select kind, account, email from oms_tokens where hash = ${hashOf(secret)}
    and ${ofKinds(kinds)} and expires_at > ${now}`;

export function tokenOf(row: Row): Token {
  const [kind, account, email] = row as [TokenKind, string, string];
  return { kind, account, email };
}

/** Ends the tokens of an account: those of these kinds, or all. */
export function* endTokens(account: string, kinds: readonly TokenKind[] = TOKEN_KINDS): Work<void> {
  yield* ask(sql`delete from oms_tokens where account = ${account} and ${ofKinds(kinds)}`);
}

/** Ends the one token that has this secret. */
export function* endToken(secret: string): Work<void> {
  yield* ask(sql`delete from oms_tokens where hash = ${hashOf(secret)}`);
}

/**
 * Deletes tokens that have expired, at most `SWEEP_SIZE`. For a timer: an expired one is worth
 * nothing without it.
 *
 * @returns how many; as many as `SWEEP_SIZE` when there may be more
 */
export function* sweepTokens(now: number): Work<number> {
  const expired = sql`select hash from oms_tokens where expires_at <= ${now} order by expires_at limit ${raw(String(SWEEP_SIZE))}`;
  return (yield* ask(sql`delete from oms_tokens where hash in (${expired}) returning hash`)).length;
}

const hashOf = (secret: string): string => hash('sha256', secret, 'hex');
