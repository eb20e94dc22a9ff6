import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Service } from '../../src/boot/boot';
import type { Caller, Role } from '../../src/core/caller';
import { isPassword } from '../../src/plugins/accounts/server/passwords/hash';
import {
  callerAs,
  findByName,
  type Account,
} from '../../src/plugins/accounts/server/users/account';
import { makeAccount } from '../../src/plugins/accounts/server/users/make';
import { databaseOf, objectsOf } from '../../src/plugins/objects/server';

/** The accounts and their roles: one of each, and a second user to share with. */
const ROLES = {
  administrator: 'administrator',
  moderator: 'moderator',
  user: 'user',
  colleague: 'user',
} as const satisfies Readonly<Record<string, Role>>;

export type DemoName = keyof typeof ROLES;

/** An account of the demo. */
export interface DemoAccount {
  readonly id: string;
  readonly email: string;
  /** Null if it has been changed. */
  readonly password: string | null;
  /** With the rights of the account. */
  readonly caller: Caller;
}

export type DemoAccounts = Readonly<Record<DemoName, DemoAccount>>;

/** Makes the accounts that do not exist. @param file stores the passwords for the next start */
export async function makeAccounts({ strapi }: Service, file: string): Promise<DemoAccounts> {
  const kept = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>)
    : {};
  const find = (email: string): Promise<Account | null> => findByName(databaseOf(strapi), email);
  const make = async (name: DemoName): Promise<DemoAccount> => {
    const email = `${name}@example.org`;
    if (!(await find(email))) {
      const password = (kept[email] ??= randomBytes(12).toString('base64url'));
      writeFileSync(file, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600 });
      const account = { name: `Demo ${name}`, email, password, role: ROLES[name] };
      await makeAccount(objectsOf(strapi), account);
    }
    const account = await find(email);
    if (!account) throw new Error(`the account ${email} is missing`);
    const password = kept[email] ?? '';
    const isRight = await isPassword(password, account.password);
    return {
      id: account.id,
      email,
      password: isRight ? password : null,
      caller: callerAs(account),
    };
  };
  return {
    administrator: await make('administrator'),
    moderator: await make('moderator'),
    user: await make('user'),
    colleague: await make('colleague'),
  };
}
