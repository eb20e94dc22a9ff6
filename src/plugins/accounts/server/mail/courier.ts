/**
 * Sends what is in the outbox, in the background: a mail that cannot be sent fails no request, is
 * tried again, and survives a restart. Each is sent at least once; twice only when the process or
 * the database goes away between a mail server's yes and our note of it.
 */
import { AsyncResource } from 'node:async_hooks';
import type { Database } from '../../../objects/server/database/database';
import type { Work } from '../../../objects/server/database/work';
import { endToken, issueToken, TOKEN_KINDS, type TokenKind } from '../tokens/tokens';
import { compose, type MailSettings, type Recipient } from './compose';
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
  /** Who gets a mail of this kind; nobody (null) makes it vanish. */
  readonly recipient: (to: Addressee, kind: MailKind) => Work<Recipient | null>;
  readonly transport: Transport;
  readonly settings: () => MailSettings;
  /** Is told of no address, no token and no text. */
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Milliseconds between `wake` and the first look. */
  readonly delay: () => number;
}

export interface Log {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

export interface Courier {
  /**
   * Looks whether a letter is due, after the transaction that posted it and a random while: what is done for an address
   * that somebody has must not be seen in how long the next requests take.
   */
  wake(): void;
  /** Begins to look, now and every few seconds. */
  start(): void;
  /** Takes no further letter; waits for the one under way. */
  stop(): Promise<void>;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** How often to look for what is due: what another server posted, or what is to be tried again. */
const POLL = 5 * SECOND;

/** How long to wait after the first attempts; after all later ones, as after the last of these. */
const DELAYS = [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 6 * HOUR, 12 * HOUR] as const;

/** When a letter is no longer tried. */
const MAX_AGE = 72 * HOUR;

export function createCourier(options: CourierOptions): Courier {
  const { log } = options;
  let isStopped = true;
  let isWoken = false;
  let hasFailed = false;
  let underWay: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let waking: NodeJS.Timeout | undefined;

  const deliverAll = async (): Promise<void> => {
    while (isWoken && !isStopped) {
      isWoken = false;
      try {
        while (!isStopped && (await deliverNext(options)));
        hasFailed = false;
      } catch (error) {
        // One line for a database that is away, not one every few seconds.
        if (!hasFailed) log.warn(`mail: the outbox cannot be worked on (${reasonOf(error)})`);
        hasFailed = true;
      }
    }
    underWay = null;
  };
  // Whoever wakes it may be inside a transaction, of which this must not become a part.
  const begin = AsyncResource.bind(deliverAll);

  const look = (): void => {
    isWoken = true;
    if (isStopped || underWay) return;
    underWay = begin();
  };

  return {
    wake() {
      if (isStopped || waking) return;
      waking = setTimeout(() => {
        waking = undefined;
        look();
      }, options.delay()).unref();
    },
    start() {
      isStopped = false;
      timer ??= setInterval(look, POLL).unref();
      look();
    },
    async stop() {
      isStopped = true;
      clearInterval(timer);
      clearTimeout(waking);
      timer = waking = undefined;
      await underWay;
    },
  };
}

/** A letter that can be sent. */
interface Ready {
  readonly letter: Posted;
  readonly recipient: Recipient;
  readonly token: MailToken | null;
}

/** @returns whether there was a letter that was due */
async function deliverNext(options: CourierOptions): Promise<boolean> {
  const { database, transport, settings, clock } = options;
  const now = clock();
  if ((await database.read(anyDue(now))).length === 0) return false;
  const ready = await database.write(() => prepare(options, now));
  if (ready === 'none') return false;
  if (ready === 'nobody') return true;
  const { letter, recipient, token } = ready;
  try {
    await transport.send(compose(letter.kind, recipient, token, settings()));
  } catch (error) {
    await giveBack(options, ready, error);
    return true;
  }
  await database.write(() => remove(letter.id));
  return true;
}

/** Takes a letter, finds out whom it is for, and makes its token. */
function* prepare({ recipient }: CourierOptions, now: number): Work<Ready | 'none' | 'nobody'> {
  const letter = yield* claim(now);
  if (!letter) return 'none';
  const person = yield* recipient(letter.to, letter.kind);
  if (!person) {
    yield* remove(letter.id);
    return 'nobody';
  }
  const email = 'address' in letter.to && letter.to.address ? letter.to.address : person.email;
  const token = yield* tokenFor(letter.kind, person.id, email, now);
  return { letter, recipient: { ...person, email }, token };
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

/** Puts a letter back that was not sent, or drops it when it is too old. Nobody has its token. */
async function giveBack(
  { database, log, clock }: CourierOptions,
  { letter, token }: Ready,
  error: unknown,
): Promise<void> {
  const { id, kind, attempt, postedAt } = letter;
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

/** Never the message: a mail server's answer names the address. */
function reasonOf(error: unknown): string {
  // Not `instanceof`: a library's errors need not be of this realm.
  if (typeof error !== 'object' || error === null) return 'unknown';
  const { code, responseCode, name } = error as Readonly<Record<string, unknown>>;
  const told = [code, responseCode].filter(
    (part) => typeof part === 'string' || typeof part === 'number',
  );
  return told.length > 0 ? told.join(' ') : String(name);
}
