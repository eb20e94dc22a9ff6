/** The panel user that an account comes in with. */
import type { Core } from '@strapi/strapi';
import { randomBytes } from 'node:crypto';
import { databaseOf } from '../../../objects/server';
import type { AuthService } from '../strapi-internals';
import { syncPanelUser, type LinkedUser } from './panel-users';

/** The hash of a password that nobody knows: Strapi fails on a row without one. */
async function nobodysPassword(strapi: Core.Strapi): Promise<string> {
  const auth = strapi.service('admin::auth') as unknown as AuthService;
  return auth.hashPassword(randomBytes(48).toString('base64url'));
}

/**
 * The panel user of an account, made where it has none.
 *
 * @returns its number; null for an account that does not come in, or not any more
 */
export async function panelUserOf(strapi: Core.Strapi, account: string): Promise<number | null> {
  const database = databaseOf(strapi);
  const look = (): Promise<LinkedUser | null> =>
    database.write(() => syncPanelUser(database.dialect, account));
  let linked = await look();
  if (linked === null) {
    await make(strapi, account);
    // What has changed while it was made is seen now: the account is locked for this.
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
      // Inactive until it follows its account, and without a word of it.
      const data = { email: `${account}@account.invalid`, password, isActive: false };
      const user = (await strapi.db.query('admin::user').create({ data })) as { id: number };
      await trx<LinkRow>(LINKS).insert({ account, panel_user: user.id });
    });
  } catch (error) {
    // Of two sign-ins at once, one makes it.
    const link = await strapi.db.connection<LinkRow>(LINKS).where('account', account).first();
    if (!link) throw error;
  }
}
