/** The first administrator: from the environment, or with a link that works once, while there is no administrator. */
import type { Core } from '@strapi/strapi';
import { databaseOf, objectsOf } from '../../../objects/server';
import { raw, sql } from '../../../objects/server/database/sql';
import { ask, askOne, type Work } from '../../../objects/server/database/work';
import { fail } from '../../../../core/errors';
import { hashOfSecret, newSecret } from '../../../../core/secret';
import { makeAccount, type NewAccount } from '../../../accounts/server/users/make';
import { ANY_ADMINISTRATOR } from '../../../accounts/server/users/consequences';
import { panelUserOf } from '../accounts/panel-user';

/** The table with the hash of the secret. */
const FIRST = raw('oms_first_administrator');

/** The path of the page. The secret is in its query, which the service never logs, and in the body of its form. */
export const FIRST_PATH = '/first-administrator';

export async function hasAdministrator(strapi: Core.Strapi): Promise<boolean> {
  return (await databaseOf(strapi).read(ANY_ADMINISTRATOR)).length > 0;
}

/** Replaces the secret. @returns the secret, which cannot be recovered later */
export async function issueFirstSecret(strapi: Core.Strapi): Promise<string> {
  const { text, hash } = newSecret();
  await databaseOf(strapi).write(function* (): Work<void> {
    yield* ask(sql`delete from ${FIRST}`);
    yield* ask(sql`insert into ${FIRST} (hash) values (${hash})`);
  });
  return text;
}

/** Whether this secret is valid, without using it up. */
export async function isFirstSecret(strapi: Core.Strapi, secret: string): Promise<boolean> {
  const rows = await databaseOf(strapi).read(
    sql`select 1 from ${FIRST} where hash = ${hashOfSecret(secret)}`,
  );
  return rows.length > 0 && !(await hasAdministrator(strapi));
}

/**
 * Creates the first administrator, with the panel user.
 *
 * @param secret of the link; absent for the administrator of the environment
 * @throws ApiError TOKEN_INVALID when there is one already or the secret has been used; MALFORMED with all issues of
 *   the account
 */
export async function makeFirstAdministrator(
  strapi: Core.Strapi,
  account: Omit<NewAccount, 'role'>,
  secret?: string,
): Promise<void> {
  const { dialect } = databaseOf(strapi);
  const first = function* (): Work<void> {
    const locked = dialect.lock('administrators');
    if (locked !== null) yield* ask(locked);
    if (yield* askOne(ANY_ADMINISTRATOR)) throw fail('TOKEN_INVALID', {});
    const ended = yield* ask(sql`delete from ${FIRST} returning hash`);
    const isRight = secret === undefined || ended.some(([kept]) => kept === hashOfSecret(secret));
    if (!isRight) throw fail('TOKEN_INVALID', {});
  };
  const id = await makeAccount(objectsOf(strapi), { ...account, role: 'administrator' }, first);
  await panelUserOf(strapi, id);
}
