/**
 * The mails that are to be sent. A row says what to send and to whom, and nothing else: its text is
 * made when it is sent, with the token that goes into it, so that no secret is ever kept.
 */
import { randomUUID } from 'node:crypto';
import type { Core } from '@strapi/strapi';
import { ensureTable } from '../../../objects/server/database/own-tables';
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

const TABLE = 'oms_mails';

/**
 * Milliseconds for which a letter belongs to who has claimed it: longer than all timeouts of the
 * transport together. When that courier dies meanwhile, another takes the letter then.
 */
const CLAIM = 5 * 60 * 1000;

/** Makes the table where it is missing. */
export const ensureMailTable = (strapi: Core.Strapi): Promise<void> =>
  ensureTable(strapi, TABLE, (table) => {
    table.string('id', 36).primary();
    table.string('kind', 20).notNullable();
    table.string('account', 36);
    table.string('email_key', 255);
    table.string('address', 255);
    table.bigInteger('created_at').notNullable();
    table.integer('attempts').notNullable();
    table.bigInteger('next_at').notNullable();
    table.index(['next_at'], `${TABLE}_next_at_ix`);
    table.index(['account'], `${TABLE}_account_ix`);
  });

const POST = `insert into ${TABLE} (id, kind, account, email_key, address, created_at, attempts, next_at)
  values (?, ?, ?, ?, ?, ?, 0, ?)`;

/** Puts a letter into the outbox, as a part of the change that it tells of. Then wake the courier. */
export function* post({ kind, to }: Letter, now: number): Work<void> {
  const [account, emailKey] = 'account' in to ? [to.account, null] : [null, to.emailKey];
  const address = 'address' in to ? to.address : null;
  yield* ask(POST, [randomUUID(), kind, account, emailKey, address, now, now]);
}

const DROP_ALL = `delete from ${TABLE} where account = ?`;

/** Takes back all letters to an account, which is deleted. */
export function* dropLetters(account: string): Work<void> {
  yield* ask(DROP_ALL, [account]);
}

/** Asks whether any letter is due, with the time in milliseconds as its value. */
export const ANY_DUE = `select 1 from ${TABLE} where next_at <= ? limit 1`;

const NEXT = `select id from ${TABLE} where next_at <= ? order by next_at, id limit 1`;

// Its own look at next_at: who waited here for another courier's claim must not get the letter too.
const CLAIM_ONE = `update ${TABLE} set next_at = ?, attempts = attempts + 1 where id = ? and next_at <= ?
  returning kind, account, email_key, address, created_at, attempts`;

type ClaimedRow = readonly [
  MailKind,
  string | null,
  string | null,
  string | null,
  string | number,
  number,
];

/** Takes a letter that is due; null when there is none. No other courier has it before the claim ends. */
export function* claim(now: number): Work<Posted | null> {
  for (;;) {
    const next = yield* askOne(NEXT, [now]);
    if (!next) return null;
    const id = String(next[0]);
    const row = yield* askOne(CLAIM_ONE, [now + CLAIM, id, now]);
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

const REMOVE = `delete from ${TABLE} where id = ?`;

/** Takes a letter out: it was sent, or never will be. */
export function* remove(id: string): Work<void> {
  yield* ask(REMOVE, [id]);
}

const POSTPONE = `update ${TABLE} set next_at = ? where id = ?`;

/** Lets a letter be tried again, not before `at`. */
export function* postpone(id: string, at: number): Work<void> {
  yield* ask(POSTPONE, [at, id]);
}
