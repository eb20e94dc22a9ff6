/**
 * The mails to be sent. A row contains only the kind and the addressee. Text and token are made when the mail is sent,
 * so that no secret is stored.
 */
import { randomUUID } from 'node:crypto';
import { sql, type Sql } from '../../../objects/server/database/sql';
import { ask, askOne, type Work } from '../../../objects/server/database/work';
import type { TokenKind } from '../tokens/tokens';

/** Mails with a token in a link, notices of changes, decisions over reports, and what tries the mail server. */
export type MailKind = TokenKind | 'address_changed' | 'password_changed' | 'decision' | 'test';

/**
 * The addressee of a mail: an account by its ID, or by its folded e-mail address, which may belong to no account.
 * `address` is the former address of an account.
 */
export type Addressee =
  { readonly account: string; readonly address?: string } | { readonly emailKey: string };

/** An addressee without a former address. */
type Correspondent = { readonly account: string } | { readonly emailKey: string };

/** A mail to be sent. */
export type Letter =
  | { readonly kind: TokenKind | 'password_changed'; readonly to: Correspondent }
  | {
      readonly kind: 'address_changed';
      readonly to: { readonly account: string; readonly address: string };
    };

/** A mail that a courier has claimed. */
export interface Posted {
  readonly id: string;
  readonly kind: MailKind;
  readonly to: Addressee;
  /** Milliseconds since 1970. */
  readonly postedAt: number;
  /** The number of this attempt, from 1. */
  readonly attempt: number;
}

/**
 * Milliseconds of a claim: longer than all timeouts of the transport together. If the courier dies, another one claims
 * the mail afterwards.
 */
const CLAIM = 5 * 60 * 1000;

/** Puts a mail into the outbox, in the transaction of the change that it is about. Wake the courier afterwards. */
export function* post(letter: Letter, now: number): Work<void> {
  yield* insert(letter, { now, next: now });
}

/** @param next when it is due @returns its ID */
function* insert(
  { kind, to }: Pick<Posted, 'kind' | 'to'>,
  { now, next }: { readonly now: number; readonly next: number },
): Work<string> {
  const id = randomUUID();
  const [account, emailKey] = 'account' in to ? [to.account, null] : [null, to.emailKey];
  const address = ('address' in to && to.address) || null;
  yield* ask(
    sql`insert into oms_mails (id, kind, account, email_key, address, created_at, attempts, next_at)
      values (${id}, ${kind}, ${account}, ${emailKey}, ${address}, ${now}, 0, ${next})`,
  );
  return id;
}

/** Milliseconds for which a mail waits for further decisions, and in which any of them can be taken back. */
const GATHERING = 60 * 1000;

/**
 * Adds a decision over an object to the mail that waits for the same person, or puts a new mail into the outbox: who has a
 * hundred reports approved gets one. Of several decisions over an object the last one is told.
 */
export function* postDecision(object: string, to: Correspondent, now: number): Work<void> {
  yield* takeBackDecision(object);
  const person =
    'account' in to
      ? sql`account = ${to.account}`
      : sql`account is null and email_key = ${to.emailKey}`;
  // Locks the mail, so that no courier claims it without this object; one that is being sent takes no more.
  const waiting = yield* askOne(
    sql`update oms_mails set attempts = 0 where attempts = 0 and id in
      (select id from oms_mails where kind = 'decision' and attempts = 0 and ${person} order by id limit 1)
      returning id`,
  );
  const mail = waiting
    ? String(waiting[0])
    : yield* insert({ kind: 'decision', to }, { now, next: now + GATHERING });
  yield* ask(sql`insert into oms_mail_subjects (subject, mail) values (${object}, ${mail})`);
}

/** Drops what has not been sent of a decision over an object. A mail that is left with none is not sent. */
export function* takeBackDecision(object: string): Work<void> {
  yield* ask(sql`delete from oms_mail_subjects where subject = ${object}`);
}

/** Deletes all mails to a deleted account. */
export function* dropMails(account: string): Work<void> {
  yield* ask(sql`delete from oms_mail_subjects where mail in
    (select id from oms_mails where account = ${account})`);
  yield* ask(sql`delete from oms_mails where account = ${account}`);
}

/** Selects whether a mail is due. */
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

/** Claims a due mail; null when there is none. No other courier can claim it before the claim ends. */
export function* claim(now: number): Work<Posted | null> {
  for (;;) {
    const next = yield* askOne(
      sql`select id from oms_mails where next_at <= ${now} order by next_at, id limit 1`,
    );
    if (!next) return null;
    const id = String(next[0]);
    // Checks next_at again: a courier that waited for another one's claim must not get the mail too.
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

/** Deletes a mail that was sent or dropped. */
export function* remove(id: string): Work<void> {
  yield* ask(sql`delete from oms_mail_subjects where mail = ${id}`);
  yield* ask(sql`delete from oms_mails where id = ${id}`);
}

/** Schedules a retry at `at`. */
export function* postpone(id: string, at: number): Work<void> {
  yield* ask(sql`update oms_mails set next_at = ${at} where id = ${id}`);
}
