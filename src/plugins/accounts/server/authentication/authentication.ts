/** Sessions begin and end, passwords and addresses are proven: what the calls of section 9 do. */
import { fail } from '../../../wire/server/errors';
import type { Database } from '../../../objects/server/database/database';
import { askOne, type Work } from '../../../objects/server/database/work';
import type { SiteSettings } from '../../../objects/server/site';
import type { Body, Objects } from '../../../objects/server/types';
import { onBehalfOf, type Caller } from '../caller';
import { fold } from '../fold';
import { post } from '../mail/outbox';
import { hashPassword } from '../passwords/hash';
import type { Sessions } from '../sessions/sessions';
import {
  ABSOLUTE,
  endSession,
  endSessions,
  entryOf,
  IDLE,
  LIST,
  startSession,
  type SessionEntry,
} from '../sessions/store';
import { peekToken, redeemToken, type Token, type TokenKind } from '../tokens/tokens';
import { accountOf, BY_ID, findById, findByName, USERS, type Account } from '../users/account';
import { prove } from '../users/beforehand';
import { tellOthers } from '../users/follow';
import { authenticate } from './login';

/** What the authentication rests on. */
export interface Grounds {
  readonly database: Database;
  readonly objects: Objects;
  readonly sessions: Sessions;
  readonly site: () => SiteSettings;
  /** Tells the courier that there are letters. */
  readonly wake: () => void;
}

export interface Login {
  readonly name: string;
  readonly password: string;
  readonly network: string;
  readonly userAgent: string;
}

export class Authentication {
  constructor(private readonly on: Grounds) {}

  /**
   * Begins a session; the one that the caller came with ends.
   *
   * @returns its secret
   * @throws WireError LOGIN_FAILED, EMAIL_NOT_VERIFIED, TOO_MANY_REQUESTS
   */
  async login(login: Login, caller: Caller): Promise<{ secret: string; account: Account }> {
    const { database, site } = this.on;
    const account = await authenticate(database, site(), login);
    const secret = await database.write(() => begin(database, account, login.userAgent, caller));
    this.on.sessions.forget(account.id);
    if (caller.id !== null) this.on.sessions.forget(caller.id);
    return { secret, account };
  }

  /**
   * Ends the session that calls, or all of another user's.
   *
   * @returns whether it was the one that calls
   * @throws WireError NOT_PERMITTED
   */
  async logout(caller: Caller, username: string | null): Promise<boolean> {
    if (caller.id === null) return true;
    const named = username === null ? null : await findByName(this.on.database, username);
    if (username !== null && named?.id !== caller.id) {
      if (caller.role !== 'administrator') throw fail('NOT_PERMITTED', {});
      if (named) await this.change(named.id, () => endSessions(named.id));
      return false;
    }
    await this.end(caller, caller.session ?? '');
    return true;
  }

  /** Ends one of the caller's own sessions. @throws WireError ENTITY_NOT_FOUND */
  async end({ id }: Caller, session: string): Promise<void> {
    if (id === null) throw fail('LOGIN_REQUIRED', {});
    const hadIt = await this.change(id, () => endSession(id, session));
    if (!hadIt) throw fail('ENTITY_NOT_FOUND', { type: 'session', id: session });
  }

  async list({ id }: Caller): Promise<SessionEntry[]> {
    if (id === null) throw fail('LOGIN_REQUIRED', {});
    const now = Date.now();
    const rows = await this.on.database.read(LIST, [id, now - IDLE, now - ABSOLUTE]);
    return rows.map(entryOf);
  }

  /** Has a link sent to an address, if anybody has it: the work is the same if nobody does. */
  async send(kind: 'reset' | 'verify', email: string): Promise<void> {
    await this.on.database.write(() => post({ kind, to: { emailKey: fold(email) } }, Date.now()));
    this.on.wake();
  }

  /** Sets the password of whom a token was sent to. @throws WireError TOKEN_INVALID */
  async setByToken(secret: string, password: string): Promise<void> {
    const { token, account } = await this.stands(secret, ['reset', 'invite']);
    const hash = await hashPassword(password);
    await this.redeem(secret, token, account, { password: hash });
  }

  /** Sets the caller's password. @throws WireError LOGIN_REQUIRED, PASSWORD_WRONG, TOO_MANY_REQUESTS */
  async setByPassword(caller: Caller, current: string, password: string): Promise<void> {
    if (caller.id === null) throw fail('LOGIN_REQUIRED', {});
    const { id, session, actor } = caller;
    const proven = await prove(this.on.database, caller, current);
    const hash = await hashPassword(password);
    const set = (before: Body): Body => {
      // A reset meanwhile has made the password that was proven worthless.
      if (before['password'] !== proven) throw fail('PASSWORD_WRONG', {});
      return { password: hash };
    };
    const change = { op: 'update', type: 'user', id, body: {}, set } as const;
    await this.on.objects.write(change, { ...onBehalfOf(id, actor.name), session });
  }

  /** Notes that whom a token was sent to has the address. @throws WireError TOKEN_INVALID */
  async verify(secret: string): Promise<void> {
    const { token, account } = await this.stands(secret, ['verify']);
    await this.redeem(secret, token, account, {});
  }

  /** A token, still unused, and the account that it is for. */
  private async stands(
    secret: string,
    kinds: readonly TokenKind[],
  ): Promise<{ token: Token; account: Account }> {
    const token = await this.on.database.write(() => peekToken(secret, kinds, Date.now()));
    const account = token ? await findById(this.on.database, token.account) : null;
    if (!token || !account) throw fail('TOKEN_INVALID', {});
    return { token, account };
  }

  /** Uses a token up: it proves the address that it was sent to, which has to be the account's still. */
  private async redeem(
    secret: string,
    { kind, account: id, email }: Token,
    { name }: Account,
    values: Body,
  ): Promise<void> {
    const first = function* (): Work<void> {
      if (!(yield* redeemToken(secret, [kind], Date.now()))) throw fail('TOKEN_INVALID', {});
    };
    const set = (before: Body): Body => {
      if (fold(email) !== fold(String(before['email']))) throw fail('TOKEN_INVALID', {});
      return { ...values, email_verified: true };
    };
    const change = { op: 'update', type: 'user', id, body: {}, first, set } as const;
    await this.on.objects.write(change, onBehalfOf(id, name));
  }

  /** A change of somebody's sessions, told to whoever keeps them in memory. */
  private async change<T>(account: string, work: () => Work<T>): Promise<T> {
    const { database } = this.on;
    const result = await database.write(function* (): Work<T> {
      const done = yield* work();
      yield* tellOthers(database, account);
      return done;
    });
    this.on.sessions.forget(account);
    return result;
  }
}

function* begin(
  { dialect }: Database,
  { id, password }: Account,
  userAgent: string,
  caller: Caller,
): Work<string> {
  // What has ended all sessions while the password was checked must not be outlived by this one.
  const row = yield* askOne(`${BY_ID}${dialect.forUpdate(USERS)}`, [id]);
  const account = row ? accountOf(row) : null;
  if (account?.password !== password || account.isBlocked) throw fail('LOGIN_FAILED', {});
  if (caller.id !== null && caller.session !== null) yield* endSession(caller.id, caller.session);
  return yield* startSession(id, userAgent, Date.now());
}
