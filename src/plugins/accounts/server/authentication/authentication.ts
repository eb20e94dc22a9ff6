/** The calls of the contract's section 9: sessions, passwords and the verification of addresses. */
import { onBehalfOf, type Caller } from '../../../../core/caller';
import type { Clock } from '../../../../core/clock';
import { fail, passwordWrong } from '../../../../core/errors';
import { addressKey } from '../../../../core/formats';
import type { Database } from '../../../objects/server/database/database';
import { sql } from '../../../objects/server/database/sql';
import { askOne, type Work } from '../../../objects/server/database/work';
import type { SiteSettings } from '../../../objects/server/site/settings';
import type { Body } from '../../../objects/server/declare/objects';
import type { Objects } from '../../../objects/server/types';
import { post } from '../mail/outbox';
import type { Hasher } from '../passwords/hasher';
import type { Sessions } from '../sessions/sessions';
import {
  endSession,
  endSessions,
  entryOf,
  sessionsOf,
  startSession,
  type SessionEntry,
} from '../sessions/store';
import { TOKENS } from '../throttle/limits';
import type { Throttle } from '../throttle/throttle';
import { redeemToken, tokenOf, tokenWith, type Token, type TokenKind } from '../tokens/tokens';
import { accountOf, accountWithId, findById, findByName, type Account } from '../users/account';
import { notifyOthers } from '../users/consequences';
import type { Credentials } from '../users/credentials';
import type { Logins, Proof } from './login';

export interface AuthenticationPorts {
  readonly database: Database;
  readonly objects: Objects;
  readonly sessions: Sessions;
  readonly logins: Logins;
  readonly credentials: Credentials;
  readonly hasher: Hasher;
  readonly throttle: Throttle;
  readonly site: () => SiteSettings;
  readonly clock: Clock;
  /** Wakes the courier. */
  readonly wake: () => void;
}

export class Authentication {
  constructor(private readonly ports: AuthenticationPorts) {}

  /**
   * Begins a session, and ends the caller's present one.
   *
   * @returns its secret
   * @throws ApiError LOGIN_FAILED, EMAIL_NOT_VERIFIED, TOO_MANY_REQUESTS
   */
  async login(
    proof: Proof,
    userAgent: string,
    caller: Caller,
  ): Promise<{ secret: string; account: Account }> {
    const { database, logins, sessions, site, clock } = this.ports;
    const account = await logins.authenticate(proof, site(), caller);
    const secret = await database.write(() => begin(database, account, userAgent, caller, clock()));
    sessions.invalidate(account.id);
    if (caller.id !== null) sessions.invalidate(caller.id);
    return { secret, account };
  }

  /**
   * Ends the caller's session, or all sessions of another user.
   *
   * @returns whether it was the caller's session
   * @throws ApiError NOT_PERMITTED
   */
  async logout(caller: Caller, username: string | null): Promise<boolean> {
    if (caller.id === null) return true;
    const named = username === null ? null : await findByName(this.ports.database, username);
    if (username !== null && named?.id !== caller.id) {
      if (caller.role !== 'administrator') throw fail('NOT_PERMITTED', {});
      if (named) await this.changeSessions(named.id, () => endSessions(named.id));
      return false;
    }
    const { id, session } = caller;
    // A session that has ended in the meantime is no error.
    await this.changeSessions(id, () => endSession(id, session ?? ''));
    return true;
  }

  /** Ends one of the caller's own sessions. @throws ApiError ENTITY_NOT_FOUND */
  async end({ id }: Caller, session: string): Promise<void> {
    if (id === null) throw fail('LOGIN_REQUIRED', {});
    const hadIt = await this.changeSessions(id, () => endSession(id, session));
    if (!hadIt) throw fail('ENTITY_NOT_FOUND', { type: 'session', id: session });
  }

  async list({ id }: Caller): Promise<SessionEntry[]> {
    if (id === null) throw fail('LOGIN_REQUIRED', {});
    return (await this.ports.database.read(sessionsOf(id, this.ports.clock()))).map(entryOf);
  }

  /** Sends a link to an address if it belongs to an account; the work is the same if it does not. */
  async send(kind: 'reset' | 'verify', email: string): Promise<void> {
    await this.ports.database.write(() =>
      post({ kind, to: { emailKey: addressKey(email) } }, this.ports.clock()),
    );
    this.ports.wake();
  }

  /** Sets the password of the account of a token. @throws ApiError TOKEN_INVALID, TOO_MANY_REQUESTS */
  async setByToken(secret: string, password: string, caller: Caller): Promise<void> {
    const { token, account } = await this.tokenFor(secret, ['reset', 'invite'], caller);
    const hash = await this.ports.hasher.hash(password, caller);
    await this.redeem(secret, token, account, { password: hash });
  }

  /** Sets the caller's password. @throws ApiError LOGIN_REQUIRED, PASSWORD_WRONG, TOO_MANY_REQUESTS */
  async setByPassword(caller: Caller, current: string, password: string): Promise<void> {
    if (caller.id === null) throw fail('LOGIN_REQUIRED', {});
    const proven = await this.ports.credentials.prove(caller, current);
    await this.setProven(caller, proven, await this.ports.hasher.hash(password, caller));
  }

  /**
   * Sets the hash of a caller's password if the proven one is still current: a reset in the meantime invalidates the
   * proof.
   *
   * @throws ApiError PASSWORD_WRONG
   */
  private async setProven(caller: Caller, proven: string, hash: string): Promise<void> {
    const { id, session, actor } = caller;
    if (id === null) throw fail('LOGIN_REQUIRED', {});
    const { objects, database } = this.ports;
    await objects.transact({ ...onBehalfOf(caller, actor.name), session }, function* (apply) {
      const account = yield* locked(database, id);
      if (account?.password !== proven) throw passwordWrong();
      yield* apply({ op: 'update', type: 'user', id, body: {}, set: { password: hash } });
    });
  }

  /** Marks the address of a token's account as verified. @throws ApiError TOKEN_INVALID, TOO_MANY_REQUESTS */
  async verify(secret: string, caller: Caller): Promise<void> {
    const { token, account } = await this.tokenFor(secret, ['verify'], caller);
    await this.redeem(secret, token, account, {});
  }

  /** Checks a token without using it up. @throws ApiError TOKEN_INVALID, TOO_MANY_REQUESTS */
  async checkToken(secret: string, kinds: readonly TokenKind[], caller: Caller): Promise<void> {
    await this.tokenFor(secret, kinds, caller);
  }

  /** Finds an unused token and its account. An invalid token counts against the network. */
  private async tokenFor(
    secret: string,
    kinds: readonly TokenKind[],
    caller: Caller,
  ): Promise<{ token: Token; account: Account }> {
    const { database, throttle, clock } = this.ports;
    const [row] = await database.read(tokenWith(secret, kinds, clock()));
    const token = row ? tokenOf(row) : null;
    const account = token ? await findById(database, token.account) : null;
    if (token && account) return { token, account };
    const network = caller.network ?? '';
    // Checked before the write, so that a network over its limit does not occupy the writer.
    await throttle.check([TOKENS, network]);
    await throttle.count([[TOKENS, network]], caller);
    throw fail('TOKEN_INVALID', {});
  }

  /** Uses a token up. It proves the address that it was sent to, which must still be the account's. */
  private async redeem(
    secret: string,
    { kind, account: id, email }: Token,
    proven: Account,
    values: Body,
  ): Promise<void> {
    const { objects, database, clock } = this.ports;
    await objects.transact(onBehalfOf(proven, proven.name), function* (apply) {
      const account = yield* locked(database, id);
      const token = yield* redeemToken(secret, [kind], clock());
      if (!token || !account || addressKey(email) !== addressKey(account.email))
        throw fail('TOKEN_INVALID', {});
      const set = { ...values, email_verified: true };
      yield* apply({ op: 'update', type: 'user', id, body: {}, set });
    });
  }

  /** Changes the sessions of an account and invalidates the caches. */
  private async changeSessions<T>(account: string, work: () => Work<T>): Promise<T> {
    const { database, sessions } = this.ports;
    const result = await database.write(function* (): Work<T> {
      const done = yield* work();
      yield* notifyOthers(database.dialect, account);
      return done;
    });
    sessions.invalidate(account);
    return result;
  }
}

/** Loads an account and locks it until the transaction ends. */
function* locked({ dialect }: Database, id: string): Work<Account | null> {
  const row = yield* askOne(sql`${accountWithId(id)}${dialect.forUpdate('up_users')}`);
  return row ? accountOf(row) : null;
}

function* begin(
  database: Database,
  { id, password }: Account,
  userAgent: string,
  caller: Caller,
  now: number,
): Work<string> {
  // If all sessions were ended while the password was checked, this session must not begin.
  const account = yield* locked(database, id);
  if (account?.password !== password || account.isBlocked) throw fail('LOGIN_FAILED', {});
  if (caller.id !== null && caller.session !== null) yield* endSession(caller.id, caller.session);
  return yield* startSession(id, userAgent, now);
}
