/**
 * Sends the mails of the outbox in the background: a mail that cannot be sent fails no request, is retried, and
 * survives a restart. Each is sent at least once; twice only when the process or the database fails after the mail
 * server accepted it and before it is deleted from the outbox.
 */
import type { Database, Dialect } from '../../../objects/server/database/database';
import type { Work } from '../../../objects/server/database/work';
import type { JobRun } from '../../../objects/server/jobs/job';
import { endToken, issueToken, TOKEN_KINDS, type TokenKind } from '../tokens/tokens';
import { compose, type MailSettings, type Paragraph, type Recipient } from './compose';
import type { MailToken } from './link';
import {
  anyDue,
  claim,
  postpone,
  remove,
  type Addressee,
  type MailKind,
  type Posted,
} from './outbox';
import type { Transport } from './transport';

export interface CourierOptions {
  readonly database: Database;
  /**
   * The recipient of a mail of this kind; null drops the mail. Holds the account as it is until the transaction ends: who
   * deletes it, or ends its tokens, does so after the token of this mail is made, or before it is asked for.
   */
  readonly recipient: (to: Addressee, kind: MailKind, dialect: Dialect) => Work<Recipient | null>;
  /** What a mail of decisions tells, when it is sent; null drops the mail. */
  readonly decisions: (mail: string) => Work<Decisions | null>;
  readonly transport: Transport;
  readonly settings: () => MailSettings;
  /** The log. It receives no address, no token and no text. */
  readonly log: CourierLog;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** The decisions over the reports of one person. */
export interface Decisions {
  /** The address of a person without an account, as it was given with a report. */
  readonly email: string | null;
  readonly paragraphs: readonly Paragraph[];
}

export interface CourierLog {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

export interface Courier {
  /** Sends the mails that are due, one after the other. @throws Error when the outbox cannot be worked on */
  deliver(run: JobRun): Promise<void>;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The delays after the first attempts; the last one is repeated. */
const DELAYS = [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 6 * HOUR, 12 * HOUR] as const;

/** The age at which a mail is dropped. */
const MAX_AGE = 72 * HOUR;

export const createCourier = (options: CourierOptions): Courier => ({
  async deliver({ signal, progress }) {
    try {
      for (let done = 0; !signal.aborted && (await deliverNext(options)); progress(done)) done += 1;
    } catch (error) {
      throw new Error(`the outbox cannot be worked on: ${reasonOf(error)}`);
    }
  },
});

/** A mail that is ready to be sent. */
interface Ready {
  readonly recipient: Recipient;
  readonly token: MailToken | null;
  readonly paragraphs: readonly Paragraph[];
}

/** @returns whether a mail was due */
async function deliverNext(options: CourierOptions): Promise<boolean> {
  const { database, transport, settings, clock } = options;
  const now = clock();
  if ((await database.read(anyDue(now))).length === 0) return false;
  const letter = await database.write(() => claim(now));
  if (!letter) return false;
  // After the claim is committed: a change of an account locks the account first, and its mails then.
  const ready = await database.write(() => prepare(options, letter, now));
  if (!ready) return true;
  const { recipient, ...content } = ready;
  try {
    await transport.send(compose(letter.kind, recipient, content, settings()));
  } catch (error) {
    await giveBack(options, letter, ready.token, error);
    return true;
  }
  await database.write(() => remove(letter.id));
  return true;
}

/** Finds the recipient of a mail and makes its token; null when there is none, and the mail is dropped. */
function* prepare(options: CourierOptions, letter: Posted, now: number): Work<Ready | null> {
  const isDecision = letter.kind === 'decision';
  const decisions = isDecision ? yield* options.decisions(letter.id) : null;
  const person =
    isDecision && decisions === null ? null : yield* addressee(options, letter, decisions);
  if (!person) {
    yield* remove(letter.id);
    return null;
  }
  const email = 'address' in letter.to && letter.to.address ? letter.to.address : person.email;
  const token = yield* tokenFor(letter.kind, person.id, email, now);
  const paragraphs = decisions?.paragraphs ?? [];
  return { recipient: { ...person, email }, token, paragraphs };
}

function* addressee(
  { recipient, database }: CourierOptions,
  { to, kind }: Posted,
  decisions: Decisions | null,
): Work<Recipient | null> {
  const person = yield* recipient(to, kind, database.dialect);
  const email = 'account' in to ? null : (decisions?.email ?? null);
  if (person || email === null) return person;
  return { id: '', email, language: null, name: '' };
}

function* tokenFor(
  kind: MailKind,
  account: string,
  email: string,
  now: number,
): Work<MailToken | null> {
  if (!hasToken(kind)) return null;
  return { kind, secret: yield* issueToken({ kind, account, email }, now) };
}

const hasToken = (kind: MailKind): kind is TokenKind =>
  (TOKEN_KINDS as readonly MailKind[]).includes(kind);

/** Schedules a retry of a mail that was not sent, or drops it when it is too old. Its token is deleted. */
async function giveBack(
  { database, log, clock }: CourierOptions,
  { id, kind, attempt, postedAt }: Posted,
  token: MailToken | null,
  error: unknown,
): Promise<void> {
  const delay = DELAYS[Math.min(attempt, DELAYS.length) - 1] ?? MINUTE;
  const at = clock() + delay;
  const isOver = at > postedAt + MAX_AGE;
  await database.write(function* () {
    if (token) yield* endToken(token.secret);
    yield* isOver ? remove(id) : postpone(id, at);
  });
  const what = `mail: "${kind}" could not be sent (${reasonOf(error)})`;
  if (isOver) log.error(`${what} in ${attempt} attempts, and is given up`);
  else log.warn(`${what}; attempt ${attempt}, again in ${delay / MINUTE} minutes`);
}

/** Without the message: a mail server's answer contains the address. */
export function reasonOf(error: unknown): string {
  // Not `instanceof`: a library's errors may be of another realm.
  if (typeof error !== 'object' || error === null) return 'unknown';
  const { code, responseCode, name } = error as Readonly<Record<string, unknown>>;
  const told = [code, responseCode].filter(
    (part) => typeof part === 'string' || typeof part === 'number',
  );
  return told.length > 0 ? told.join(' ') : String(name);
}
