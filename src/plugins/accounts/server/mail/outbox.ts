/**
 * The mails that are to be sent. A row says what to send and to whom, and nothing else: its text is
 * made when it is sent, with the token that goes into it, so that no secret is ever kept.
 */
import { randomUUID } from 'node:crypto';
import { sql, type Sql } from '../../../objects/server/database/sql';
import { ask, askOne, type Work } from '../../../objects/server/database/work';
import type { TokenKind } from '../tokens/tokens';

/** Mails with a token in a link, and notices that something was changed. */
export type MailKind = TokenKind | 'address_changed' | 'password_changed';

/**
 * Whom a mail is for: an account by its ID, or whoever has an e-mail address, in the folded form in
 * which accounts keep it, which may be nobody. `address` is the one that an account had before.
 */
export type Addressee =
  { readonly account: string; readonly address?: string } | { readonly emailKey: string };

/** What to send, and to whom. */
export type Letter =
  | {
      readonly kind: TokenKind | 'password_changed';
      readonly to: { readonly account: string } | { readonly emailKey: string };
    }
  | {
      readonly kind: 'address_changed';
      readonly to: { readonly account: string; readonly address: string };
    };

/** A letter that one courier has taken. */
export interface Posted {
  readonly id: string;
  readonly kind: MailKind;
  readonly to: Addressee;
  /** Milliseconds since 1970. */
  readonly postedAt: number;
  /** Which attempt to send it this is, from 1. */
  readonly attempt: number;
}

/**
 * Milliseconds for which a letter belongs to who has claimed it: longer than all timeouts of the
 * transport together. When that courier dies meanwhile, another takes the letter then.
 */
const CLAIM = 5 * 60 * 1000;

/** Puts a mail into the outbox, as a part of the change that it tells of. Then wake the courier. */
export function* post({ kind, to }: Letter, now: number): Work<void> {
  const [account, emailKey] = 'account' in to ? [to.account, null] : [null, to.emailKey];
  const address = 'address' in to ? to.address : null;
  yield* ask(
    sql`insert into oms_mails (id, kind, account, email_key, address, created_at, attempts, next_at)
      values (${randomUUID()}, ${kind}, ${account}, ${emailKey}, ${address}, ${now}, 0, ${now})`,
  );
}

/** Takes back all mails to an account, which is deleted. */
export function* dropMails(account: string): Work<void> {
  yield* ask(sql`delete from oms_mails where account = ${account}`);
}

/** Asks whether any mail is due. */
export const anyDue = (now: number): Sql =>
  sql`select 1 from oms_mails where next_at <= ${now} limit 1`;

type ClaimedRow = readonly [
  MailKind,
  string | null,
  string | null,
  string | null,
  string | number,
  number,
];

/** Takes a mail that is due; null when there is none. No other courier has it before the claim ends. */
export function* claim(now: number): Work<Posted | null> {
  for (;;) {
    const next = yield* askOne(
      sql`select id from oms_mails where next_at <= ${now} order by next_at, id limit 1`,
    );
    if (!next) return null;
    const id = String(next[0]);
    // Its own look at next_at: who waited here for another courier's claim must not get the mail too.
    const row = yield* askOne(
      sql`update oms_mails set next_at = ${now + CLAIM}, attempts = attempts + 1
        where id = ${id} and next_at <= ${now}
        returning kind, account, email_key, address, created_at, attempts`,
    );
    if (row) return postedOf(id, row as unknown as ClaimedRow);
  }
}

function postedOf(id: string, row: ClaimedRow): Posted {
  const [kind, account, emailKey, address, createdAt, attempt] = row;
  const to =
    account === null
      ? { emailKey: emailKey ?? '' }
      : { account, ...(address === null ? {} : { address }) };
  return { id, kind, to, postedAt: Number(createdAt), attempt };
}

/** Takes a mail out: it was sent, or never will be. */
export function* remove(id: string): Work<void> {
  yield* ask(sql`delete from oms_mails where id = ${id}`);
}

/** Lets a mail be tried again, not before `at`. */
export function* postpone(id: string, at: number): Work<void> {
  yield* ask(sql`update oms_mails set next_at = ${at} where id = ${id}`);
}
