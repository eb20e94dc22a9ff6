/** Prepares a change of an account before its transaction, because hashing takes too long to keep one open. */
import type { Caller } from '../../../../core/caller';
import { passwordWrong } from '../../../../core/errors';
import { isOversized, isSame } from '../../../../core/text';
import { MAX_PASSWORD } from '../../../../core/formats';
import type { Database } from '../../../objects/server/database/database';
import type { Body, Change, Preparation } from '../../../objects/server/declare/objects';
import type { Hasher } from '../passwords/hasher';
import {
  ADDRESS_CHANGES,
  PROOFS,
  RIGHT_BY_NAME,
  RIGHT_BY_NETWORK,
  USERNAME_CHANGES,
} from '../throttle/limits';
import type { Counted, Throttle } from '../throttle/throttle';
import { findById, type Account } from './account';

/** The findings of the preparation, for the rules of the type. */
export interface AccountFindings {
  /** The hash of the password that the caller has proven again. */
  readonly proven?: string;
}

export interface CredentialPorts {
  readonly database: Database;
  readonly hasher: Hasher;
  readonly throttle: Throttle;
  /** Whether this caller may create an account; otherwise nothing is hashed. */
  readonly mayCreate: (caller: Caller) => boolean;
}

export class Credentials {
  constructor(private readonly ports: CredentialPorts) {}

  /** @throws ApiError PASSWORD_WRONG, TOO_MANY_REQUESTS */
  readonly prepare: Preparation = async (change, caller) => {
    if (change.op === 'delete') return change;
    const body = asBody(change.body);
    if (change.op === 'create')
      return this.ports.mayCreate(caller) ? this.withHash(change, body, caller) : change;
    if (caller.id !== change.id.toLowerCase())
      return caller.role === 'administrator' ? this.withHash(change, body, caller) : change;
    const proven = await this.provenBy(body, caller);
    return proven === null ? change : { ...change, findings: { proven } };
  };

  /**
   * Checks the caller's own password.
   *
   * @returns its hash
   * @throws ApiError PASSWORD_WRONG, TOO_MANY_REQUESTS after too many wrong or right passwords
   */
  async prove(caller: Caller, password: string): Promise<string> {
    const id = caller.id ?? '';
    const attempt = await this.ports.throttle.begin(
      [
        [PROOFS, id],
        [RIGHT_BY_NAME, id],
        [RIGHT_BY_NETWORK, caller.network ?? ''],
      ],
      caller,
    );
    let counts: Parameters<typeof attempt.settle>[0] = [];
    try {
      const hash = (await findById(this.ports.database, id))?.password ?? null;
      const isRight = await this.ports.hasher.verify(password, hash, caller);
      counts = isRight ? [RIGHT_BY_NAME, RIGHT_BY_NETWORK] : [PROOFS];
      if (hash === null || !isRight) throw passwordWrong();
      return hash;
    } finally {
      await attempt.settle(counts);
    }
  }

  /** A password that is too long is malformed, and not hashed. */
  private async withHash<C extends Change>(change: C, body: Body, caller: Caller): Promise<C> {
    const { password } = body;
    if (typeof password !== 'string' || isOversized(password, MAX_PASSWORD)) return change;
    const hash = await this.ports.hasher.hash(password, caller);
    return { ...change, set: { ...change.set, password: hash } };
  }

  /** The hash of the own password if it was given, else null. */
  private async provenBy(body: Body, caller: Caller): Promise<string | null> {
    const { current_password: current } = body;
    if (typeof current !== 'string' || isOversized(current, MAX_PASSWORD)) return null;
    const proven = await this.prove(caller, current);
    const account = await findById(this.ports.database, caller.id ?? '');
    const counted = account ? countedChanges(account, body) : [];
    if (counted.length > 0) await this.ports.throttle.count(counted, caller);
    return proven;
  }
}

const asBody = (body: unknown): Body =>
  typeof body === 'object' && body !== null ? (body as Body) : {};

/** The limits of a change of one's own address or user name. */
function countedChanges(account: Account, { email, username }: Body): Counted[] {
  const counted: Counted[] = [];
  if (typeof email === 'string' && !isOversized(email, MAX_NAME) && !isSame(email, account.email))
    counted.push([ADDRESS_CHANGES, account.id], [ADDRESS_CHANGES, email]);
  if (typeof username === 'string' && username !== account.username)
    counted.push([USERNAME_CHANGES, account.id]);
  return counted;
}

/** The maximum length of an address, in characters. */
const MAX_NAME = 254;
