/** Creates the panel user of an account at its first sign-in. */
import type { Core } from '@strapi/strapi';
import { randomBytes } from 'node:crypto';
import { databaseOf } from '../../../objects/server';
import type { AuthService } from '../strapi-internals';
import { syncPanelUser, type LinkedUser } from './panel-users';

/** The hash of a password that nobody knows: Strapi fails on a row without a hash. */
async function nobodysPassword(strapi: Core.Strapi): Promise<string> {
  const auth = strapi.service('admin::auth') as unknown as AuthService;
  return auth.hashPassword(randomBytes(48).toString('base64url'));
}

/**
 * Finds or creates the panel user of an account.
 *
 * @returns its numeric ID; null for an account that may not sign in
 */
export async function panelUserOf(strapi: Core.Strapi, account: string): Promise<number | null> {
  const database = databaseOf(strapi);
  const look = (): Promise<LinkedUser | null> =>
    database.write(() => syncPanelUser(database.dialect, account));
  let linked = await look();
  if (linked === null) {
    await make(strapi, account);
    // The account is locked here, so that a change since then is noticed.
    linked = await look();
  }
  return linked?.isActive ? linked.panelUser : null;
}

type Connection = Core.Strapi['db']['connection'];

interface LinkRow {
  readonly account: string;
  readonly panel_user: number;
}

const LINKS = 'oms_panel_accounts';

async function make(strapi: Core.Strapi, account: string): Promise<void> {
  const password = await nobodysPassword(strapi);
  try {
    await strapi.db.transaction(async ({ trx }: { trx: Connection }) => {
      // Inactive and without data of the account, until it is updated from it.
      const data = { email: `${account}@account.invalid`, password, isActive: false };
      const user = (await strapi.db.query('admin::user').create({ data })) as { id: number };
      await trx<LinkRow>(LINKS).insert({ account, panel_user: user.id });
    });
  } catch (error) {
    // Of two concurrent sign-ins, one creates it.
    const link = await strapi.db.connection<LinkRow>(LINKS).where('account', account).first();
    if (!link) throw error;
  }
}
