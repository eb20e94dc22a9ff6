import { fold } from '#app/core/text';
import { USER_UID } from '#app/plugins/accounts/server/users/account';
import { makeAccount } from '#app/plugins/accounts/server/users/make';
import { onBehalfOf, service as itself, type Caller, type Role } from '#app/core/caller';
import { objectsOf } from '#app/plugins/objects/server';
import { send } from './http';
import { at, parsed, type Json } from './json';
import type { Credentials } from './panel';
import type { TestService } from './service';

/** An account of the service, and what it signs in with. */
export interface TestAccount extends Credentials {
  readonly id: string;
  readonly name: string;
}

/** An account as it is stored. */
export interface StoredAccount {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly role: Exclude<Role, 'anonymous'>;
  readonly username?: string | null;
  /** The hash; null for one that nobody can log in with. */
  readonly password?: string | null;
  readonly isVerified?: boolean;
  readonly isBlocked?: boolean;
}

/**
 * Stores an account directly in the database: without the mail of a registration, and without counting towards limits.
 */
export async function storeAccount(
  { strapi }: Pick<TestService, 'strapi'>,
  { id, name, email, role, username = null, password = null, ...is }: StoredAccount,
): Promise<void> {
  const now = new Date();
  await strapi.db.connection('up_users').insert({
    document_id: id,
    name,
    email,
    email_key: fold(email),
    email_verified: is.isVerified ?? true,
    username,
    username_key: username === null ? null : fold(username),
    password,
    account_role: role,
    blocked: is.isBlocked ?? false,
    language: 'en',
    version: 1,
    created_at: now,
    updated_at: now,
    published_at: now,
  });
}

/** The service on behalf of a person with an account, whom the history names. */
export async function actingFor(
  { strapi }: Pick<TestService, 'strapi'>,
  id: string,
  name: string | null = null,
): Promise<Caller> {
  const query = { where: { documentId: id }, select: ['id'] };
  const row = (await strapi.db.query(USER_UID).findOne(query)) as { id: number };
  return onBehalfOf({ id, rowId: row.id }, name);
}

let made = 0;

/** Has the service make an account, with an address and a name of its own. */
export async function newAccount(
  { strapi }: TestService,
  role: Role,
  given: Partial<Omit<TestAccount, 'id'>> = {},
): Promise<TestAccount> {
  made += 1;
  const account = {
    name: `Person ${made}`,
    email: `person-${made}@example.org`,
    password: `Correct horse ${made} battery`,
    ...given,
  };
  return { ...account, id: await makeAccount(objectsOf(strapi), { ...account, role }) };
}

/** Changes an account as an administrator would. @throws ApiError */
export const changeAccount = async (
  { strapi }: TestService,
  id: string,
  body: Json,
): Promise<void> => {
  await objectsOf(strapi).write({ op: 'update', type: 'user', id, body }, itself);
};

/** Deletes an account as an administrator would. @throws ApiError */
export const deleteAccount = async ({ strapi }: TestService, id: string): Promise<void> => {
  await objectsOf(strapi).write({ op: 'delete', type: 'user', id }, itself);
};

/** Logs in to the API. @returns the secret of the session, null when it is refused */
export async function logIn(
  { url }: TestService,
  { email, password }: Credentials,
): Promise<string | null> {
  const body = { username: email, password };
  const { text } = await send(url, { method: 'POST', url: '/api/v0/login', body });
  const secret = at(parsed(text), 'response', 'cookie');
  return typeof secret === 'string' ? secret : null;
}

/** The status of a call that needs a login. */
export async function askWith({ url }: TestService, secret: string | null): Promise<number> {
  const headers = { Authorization: `Bearer ${secret}` };
  return (await send(url, { method: 'GET', url: '/api/v0/session', headers })).status;
}
