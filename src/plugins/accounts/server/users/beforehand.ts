/** What is found out for a change of an account before its transaction: hashing takes too long to hold one open. */
import { fail, issue } from '../../../wire/server/errors';
import type { Beforehand } from '../../../objects/server/define/declaration';
import type { Model } from '../../../objects/server/model';
import type { SiteSettings } from '../../../objects/server/site';
import type { Body, Change } from '../../../objects/server/types';
import type { Caller } from '../caller';
import { isSame } from '../fold';
import { hashPassword, isPassword } from '../passwords/hash';
import { begin, guard } from '../throttle/guard';
import { ADDRESS_CHANGES, PROOFS } from '../throttle/limits';
import { findById } from './account';

/** Whether an account may be made, by whom the permission table lets make one. */
export const mayRegister = (
  { role }: Pick<Caller, 'role'>,
  { registrationOpen }: Pick<SiteSettings, 'registrationOpen'>,
): boolean => role === 'administrator' || registrationOpen;

/**
 * The hash of a password that is set, and whether the caller has proven by the current one who it is.
 *
 * @throws WireError REGISTRATION_CLOSED, PASSWORD_WRONG, TOO_MANY_REQUESTS
 */
export async function examineAccount(
  change: Change,
  caller: Caller,
  model: Model,
): Promise<Beforehand> {
  if (change.op === 'delete') return {};
  const { body } = change;
  const given = typeof body === 'object' && body !== null ? body : {};
  if (change.op === 'create') return examineNew(given, caller, model);
  if (caller.id !== change.id.toLowerCase())
    return caller.role === 'administrator' ? { secrets: await secretsOf(given) } : {};
  const proven = await provenBy(given, caller, model);
  return {
    proven,
    forbidden: given['password'] === undefined ? [] : [issue('password', 'NOT_PERMITTED', {})],
  };
}

async function examineNew(given: Body, caller: Caller, model: Model): Promise<Beforehand> {
  if (!mayRegister(caller, model.site())) throw fail('REGISTRATION_CLOSED', {});
  return { secrets: await secretsOf(given) };
}

/** What is too long is malformed, and not hashed. */
async function secretsOf({ password }: Body): Promise<Readonly<Record<string, string>>> {
  if (typeof password !== 'string' || password.length > MAX_LENGTH) return {};
  return { password: await hashPassword(password) };
}

/** Code units: twice the characters that a password may have. */
const MAX_LENGTH = 256;

/** The hash of the own password that was given, null when none was. */
async function provenBy(given: Body, caller: Caller, { database }: Model): Promise<string | null> {
  const { current_password: current, email } = given;
  if (typeof current !== 'string' || caller.id === null) return null;
  const proven = await prove(database, caller, current);
  const account = typeof email === 'string' ? await findById(database, caller.id) : null;
  if (account && typeof email === 'string' && !isSame(email, account.email)) {
    const tried = { caller, network: null };
    await guard(
      database,
      [
        [ADDRESS_CHANGES, caller.id],
        [ADDRESS_CHANGES, email],
      ],
      tried,
    );
  }
  return proven;
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
  const attempt = await begin(database, [[PROOFS, id]], { caller, network: null });
  try {
    const hash = (await findById(database, id))?.password ?? null;
    const isRight = await isPassword(password, hash);
    if (hash === null || !isRight) throw fail('PASSWORD_WRONG', {});
    await attempt.giveBack();
    return hash;
  } finally {
    attempt.end();
  }
}
