/** Accounts that the operator has made, beside those that come by the API. */
import type { Core } from '@strapi/strapi';
import { objectsOf } from '../../../objects/server';
import type { Work } from '../../../objects/server/database/work';
import { service, type Role } from '../caller';

export interface NewAccount {
  readonly name: string;
  readonly email: string;
  readonly password: string;
  readonly role: Role;
}

/**
 * Makes an account whose address need not be proven: the operator has given it.
 *
 * @param first carried out before, in the same transaction
 * @returns its ID
 * @throws WireError with all that is wrong
 */
export async function makeAccount(
  strapi: Core.Strapi,
  account: NewAccount,
  first?: () => Work<void>,
): Promise<string> {
  const objects = objectsOf(strapi);
  const body = { ...account };
  const create = { op: 'create', type: 'user', body } as const;
  const { id } = await objects.write(first ? { ...create, first } : create, service);
  const set = (): { email_verified: true } => ({ email_verified: true });
  await objects.write({ op: 'update', type: 'user', id, body: {}, set }, service);
  return id;
}
