/** Single-use tokens that are sent by mail. Only their hashes are stored. */
import { hashOfSecret, newSecret } from '../../../../core/secret';
import { raw, sql, type Sql } from '../../../objects/server/database/sql';
import { ask, askOne, type Row, type Work } from '../../../objects/server/database/work';

export const TOKEN_KINDS = ['verify', 'reset', 'invite'] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];

const HOUR = 60 * 60 * 1000;

/** Lifetimes in milliseconds: an hour for tokens that give access to an account, a week for others. */
export const LIFETIMES: Record<TokenKind, number> = {
  verify: 7 * 24 * HOUR,
  reset: HOUR,
  invite: 7 * 24 * HOUR,
};

/** The content of a token. */
export interface Token {
  readonly kind: TokenKind;
  /** The ID of the account. */
  readonly account: string;
  /** The address to which it is sent, and which it proves. */
  readonly email: string;
}

/** The number of expired tokens that one sweep deletes. */
export const TOKENS_SWEPT = 1000;

/** Makes a token. @returns its secret, which cannot be recovered later */
export function* issueToken({ kind, account, email }: Token, now: number): Work<string> {
  const { text, hash } = newSecret();
  yield* ask(
    sql`insert into oms_tokens (hash, kind, account, email, expires_at)
      values (${hash}, ${kind}, ${account}, ${email}, ${now + LIFETIMES[kind]})`,
  );
  return text;
}

/** One parameter per kind, so that the statement has the same text for any kinds. */
function ofKinds(kinds: readonly TokenKind[]): Sql {
  const [first = null, second = null, third = null] = kinds;
  return sql`kind in (${first}, ${second}, ${third})`;
}

/**
 * Uses a token up: of two concurrent calls, one gets it. A rollback of the transaction restores it.
 *
 * @param secret as it was sent, unchecked
 * @returns null when no valid token of these kinds has this secret
 */
export function* redeemToken(
  secret: string,
  kinds: readonly TokenKind[],
  now: number,
): Work<Token | null> {
  const row = yield* askOne(
    sql`delete from oms_tokens where hash = ${hashOfSecret(secret)} and ${ofKinds(kinds)}
      and expires_at > ${now} returning kind, account, email`,
  );
  return row ? tokenOf(row) : null;
}

/** Selects a token for `tokenOf` without using it up. */
export const tokenWith = (secret: string, kinds: readonly TokenKind[], now: number): Sql =>
  sql`select kind, account, email from oms_tokens where hash = ${hashOfSecret(secret)}
    and ${ofKinds(kinds)} and expires_at > ${now}`;

export function tokenOf(row: Row): Token {
  const [kind, account, email] = row as [TokenKind, string, string];
  return { kind, account, email };
}

/** Deletes the tokens of an account: those of these kinds, or all. */
export function* endTokens(account: string, kinds: readonly TokenKind[] = TOKEN_KINDS): Work<void> {
  yield* ask(sql`delete from oms_tokens where account = ${account} and ${ofKinds(kinds)}`);
}

/** Deletes the token with this secret. */
export function* endToken(secret: string): Work<void> {
  yield* ask(sql`delete from oms_tokens where hash = ${hashOfSecret(secret)}`);
}

/**
 * Deletes expired tokens, at most `SWEEP_SIZE`. Called by a timer; expired tokens are refused anyway.
 *
 * @returns their number; `SWEEP_SIZE` if there may be more
 */
export function* sweepTokens(now: number): Work<number> {
  const expired = sql`select hash from oms_tokens where expires_at <= ${now} order by expires_at limit ${raw(String(TOKENS_SWEPT))}`;
  return (yield* ask(sql`delete from oms_tokens where hash in (${expired}) returning hash`)).length;
}
