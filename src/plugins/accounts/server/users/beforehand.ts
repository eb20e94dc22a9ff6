/** What is found out for a change of an account before its transaction: hashing takes too long to hold one open. */
import { fail, issue, WireError } from '../../../wire/server/errors';
import type { Beforehand } from '../../../objects/server/define/declaration';
import type { Model } from '../../../objects/server/model';
import type { Change, CreateChange, UpdateChange } from '../../../objects/server/types';
import type { Caller } from '../caller';
import { hashPassword, isPassword } from '../passwords/hash';
import { guard } from '../throttle/guard';
import { findById } from './account';

/** How often one may be wrong about one's own password. */
export const PROOFS = { name: 'proof', max: 10, seconds: 15 * 60 } as const;

/**
 * The hash of a password that is set, and whether the caller has proven by the current one who it is.
 *
 * @throws WireError REGISTRATION_CLOSED, FIELD_NOT_PERMITTED, PASSWORD_WRONG, TOO_MANY_REQUESTS
 */
export async function examineAccount(
  change: Change,
  caller: Caller,
  model: Model,
): Promise<Beforehand> {
  if (change.op === 'delete') return {};
  if (change.op === 'create' && caller.role !== 'administrator' && !model.site().registrationOpen)
    throw fail('REGISTRATION_CLOSED', {});
  const isSelf = change.op === 'update' && caller.id === change.id.toLowerCase();
  return {
    secrets: await secretsOf(change, caller, isSelf),
    proven: isSelf ? await isProven(change, caller, model) : null,
  };
}

async function secretsOf(
  { op, body }: CreateChange | UpdateChange,
  { role }: Caller,
  isSelf: boolean,
): Promise<Readonly<Record<string, string>>> {
  const password = typeof body === 'object' && body !== null ? body['password'] : undefined;
  if (isSelf && password !== undefined) {
    const forbidden = [issue('password', 'NOT_PERMITTED', {})];
    throw new WireError('FIELD_NOT_PERMITTED', {}, forbidden);
  }
  // Whoever may not set it is refused later; what is too long is malformed.
  const isTaken = op === 'create' || role === 'administrator';
  if (!isTaken || typeof password !== 'string' || password.length > MAX_LENGTH) return {};
  return { password: await hashPassword(password) };
}

/** Code units: twice the characters that a password may have. */
const MAX_LENGTH = 256;

/** Null when the caller has not tried. */
async function isProven(
  { body }: CreateChange | UpdateChange,
  caller: Caller,
  { database }: Model,
): Promise<boolean | null> {
  const current = typeof body === 'object' && body !== null ? body['current_password'] : undefined;
  if (typeof current !== 'string' || caller.id === null) return null;
  await prove(database, caller, current);
  return true;
}

/**
 * Whether this is the caller's own password.
 *
 * @returns its hash
 * @throws WireError PASSWORD_WRONG, TOO_MANY_REQUESTS when this was wrong too often
 */
export async function prove(
  database: Model['database'],
  caller: Caller,
  password: string,
): Promise<string> {
  const id = caller.id ?? '';
  const attempt = await guard(database, [[PROOFS, id]], { caller, network: null });
  const hash = (await findById(database, id))?.password ?? null;
  const isRight = await isPassword(password, hash);
  if (hash === null || !isRight) throw fail('PASSWORD_WRONG', {});
  await attempt.giveBack();
  return hash;
}
