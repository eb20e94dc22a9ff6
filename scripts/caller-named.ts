/** The callers that scripts act as. */
import type { Service } from '../src/boot/boot';
import { anonymous, local, type Caller, type Role } from '../src/core/caller';
import { isUuid } from '../src/core/formats';
import { StartError } from '../src/core/start-error';
import { findById, findByName } from '../src/plugins/accounts/server/users/account';
import { databaseOf } from '../src/plugins/objects/server';

const ROLES: readonly Role[] = ['anonymous', 'moderator'];

/**
 * @param name `anonymous`, `moderator`, or an account: an address, a user name or an ID
 * @throws StartError when there is no such account
 */
export async function callerNamed({ strapi }: Service, name: string): Promise<Caller> {
  const role = ROLES.find((one) => one === name);
  if (role) return local(anonymous(role));
  const database = databaseOf(strapi);
  const account = isUuid(name)
    ? await findById(database, name.toLowerCase())
    : await findByName(database, name);
  if (!account) throw new StartError(`There is no account ${JSON.stringify(name)} (--as).`);
  return local({ ...anonymous(account.role), id: account.id });
}
