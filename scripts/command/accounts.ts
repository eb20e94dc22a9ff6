/** The accounts that arguments of scripts name. */
import type { Service } from '../../src/boot/boot';
import { anonymous, local, type Caller, type Role } from '../../src/core/caller';
import { isUuid } from '../../src/core/formats';
import { StartError } from '../../src/core/start-error';
import {
  findById,
  findByName,
  type Account,
} from '../../src/plugins/accounts/server/users/account';
import { databaseOf } from '../../src/plugins/objects/server';

const ROLES: readonly Role[] = ['anonymous', 'moderator'];

/**
 * @param name an address, a user name or an ID
 * @param option the one that names it
 * @throws StartError when there is no such account
 */
export async function accountNamed(
  { strapi }: Service,
  name: string,
  option: '--as' | '--owner',
): Promise<Account> {
  const database = databaseOf(strapi);
  const account = isUuid(name)
    ? await findById(database, name.toLowerCase())
    : await findByName(database, name);
  if (!account) throw new StartError(`There is no account ${JSON.stringify(name)} (${option}).`);
  return account;
}

/**
 * The caller that a script acts as (`--as`).
 *
 * @param name `anonymous`, `moderator`, or an account
 * @throws StartError when there is no such account
 */
export async function callerNamed(service: Service, name: string): Promise<Caller> {
  const role = ROLES.find((one) => one === name);
  if (role) return local(anonymous(role));
  const { id, rowId, role: own } = await accountNamed(service, name, '--as');
  return local({ ...anonymous(own), id, rowId });
}
