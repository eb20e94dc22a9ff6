/** Accounts that the operator has made, beside those that come by the API. */
import { service, type Role } from '../../../../core/caller';
import type { Work } from '../../../objects/server/database/work';
import type { Objects } from '../../../objects/server/types';
import { hashPassword } from '../passwords/hash';

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
 * @throws ApiError with all that is wrong
 */
export async function makeAccount(
  objects: Objects,
  account: NewAccount,
  first?: () => Work<void>,
): Promise<string> {
  const password = await hashPassword(account.password);
  const { id } = await objects.transact(service, function* (apply) {
    if (first) yield* first();
    return yield* apply({
      op: 'create',
      type: 'user',
      body: { ...account },
      set: { password, email_verified: true },
    });
  });
  return id;
}
