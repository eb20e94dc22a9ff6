/** Creates accounts for the operator, beside those of the API. */
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
 * Creates an account with a verified address, because the operator has given it.
 *
 * @param first runs before, in the same transaction
 * @returns its ID
 * @throws ApiError with all issues
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
