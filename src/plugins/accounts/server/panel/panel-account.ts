/** The panel account that an account comes in with. */
import type { Core } from '@strapi/strapi';
import { randomBytes } from 'node:crypto';
import { databaseOf } from '../../../objects/server';
import type { AuthService } from './internals';
import { follow, type Tied } from './ties';
import { TIES } from './tables';

/** The hash of a password that nobody knows: Strapi fails on a row without one. */
async function nobodysPassword(strapi: Core.Strapi): Promise<string> {
  const auth = strapi.service('admin::auth') as unknown as AuthService;
  return auth.hashPassword(randomBytes(48).toString('base64url'));
}

/**
 * The panel account of an account, made where it has none.
 *
 * @returns its number; null for an account that does not come in, or not any more
 */
export async function panelAccountOf(strapi: Core.Strapi, account: string): Promise<number | null> {
  const database = databaseOf(strapi);
  const look = (): Promise<Tied | null> => database.write(() => follow(database.dialect, account));
  let tied = await look();
  if (tied === null) {
    await make(strapi, account);
    // What has changed while it was made is seen now: the account is locked for this.
    tied = await look();
  }
  return tied?.isOpen ? tied.panelUser : null;
}

type Connection = Core.Strapi['db']['connection'];

interface Tie {
  readonly account: string;
  readonly panel_user: number;
}

async function make(strapi: Core.Strapi, account: string): Promise<void> {
  const password = await nobodysPassword(strapi);
  try {
    await strapi.db.transaction(async ({ trx }: { trx: Connection }) => {
      // Closed until it follows its account, and without a word of it.
      const data = { email: `${account}@account.invalid`, password, isActive: false };
      const user = (await strapi.db.query('admin::user').create({ data })) as { id: number };
      await trx<Tie>(TIES).insert({ account, panel_user: user.id });
    });
  } catch (error) {
    // Of two sign-ins at once, one makes it.
    const tie = await strapi.db.connection<Tie>(TIES).where('account', account).first();
    if (!tie) throw error;
  }
}
