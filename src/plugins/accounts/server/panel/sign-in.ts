/** Signing in to the panel: with the account, or with one that the operator has made through Strapi. */
import type { Core } from '@strapi/strapi';
import { databaseOf, siteOf } from '../../../objects/server';
import { fail, WireError } from '../../../wire/server/errors';
import { inspectJson } from '../../../wire/server/text';
import { accountsOf } from '..';
import { refuseUnverified, rightful, underLimits } from '../authentication/login';
import type { Account } from '../users/account';
import {
  replaceService,
  requestOf,
  type AuthService,
  type Checked,
  type PanelUser,
} from './internals';
import { panelAccountOf } from './panel-account';
import { asStrapiError, setHeaders } from './refusals';
import { isTied, PANEL_ROLES } from './ties';

/** Strapi's own words: the panel translates them. */
const WRONG = { message: 'Invalid credentials' };
const CLOSED = { message: 'User not active' };

/** Code units; twice the characters that a password may have. */
const MAX_PASSWORD = 256;

/** A hash of bcrypt's that no password has, with Strapi's number of rounds. */
const NOBODY = `$2a$10$${'.'.repeat(53)}`;

/** Whose name and password these are: an account's, or an operator's through Strapi. */
type Found = { readonly account: Account } | { readonly operator: PanelUser };

/** Puts the accounts in front of Strapi's own check. In `register`. */
export function replaceSignIn(strapi: Core.Strapi): void {
  replaceService<AuthService>(strapi, 'admin::auth', (auth) => ({
    async checkCredentials({ email, password }) {
      try {
        return await check(strapi, auth, String(email), password);
      } catch (error) {
        return refused(strapi, error);
      }
    },
  }));
}

async function check(
  strapi: Core.Strapi,
  auth: AuthService,
  name: string,
  password: unknown,
): Promise<Checked> {
  const database = databaseOf(strapi);
  const request = requestOf(strapi);
  const network = request ? accountsOf(strapi).limits().networkOf(request.req) : '';
  const found = await underLimits(database, { name, network }, () =>
    find(strapi, auth, name, password),
  );
  if ('operator' in found)
    return found.operator.isActive === true ? [null, found.operator] : [null, false, CLOSED];
  refuseUnverified(found.account, siteOf(strapi).current());
  const id = await panelAccountOf(strapi, found.account.id);
  if (id === null) throw fail('LOGIN_FAILED', {});
  return [null, (await strapi.db.query('admin::user').findOne({ where: { id } })) as PanelUser];
}

/** Takes as long for everybody who does not come in. */
async function find(
  strapi: Core.Strapi,
  auth: AuthService,
  name: string,
  given: unknown,
): Promise<Found | null> {
  const isText = typeof given === 'string' && inspectJson(name).length === 0;
  if (!isText || given.length > MAX_PASSWORD) return null;
  const account = await rightful(databaseOf(strapi), { name, password: given });
  if (account && PANEL_ROLES[account.role] !== null) return { account };
  const operator = await operatorOf(strapi, name);
  const isRight = await auth.validatePassword(given, operator?.password ?? NOBODY);
  return operator?.password && isRight ? { operator } : null;
}

/** The panel account with this address that belongs to no account of the service. */
export async function operatorOf(strapi: Core.Strapi, email: string): Promise<PanelUser | null> {
  const users = (await strapi.db
    .query('admin::user')
    .findMany({ where: { email }, orderBy: { id: 'asc' } })) as PanelUser[];
  for (const user of users) if (!(await isTied(databaseOf(strapi), user.id))) return user;
  return null;
}

/** Strapi shows a reason of its own, and what it is told to show; all else would be a 501. */
function refused(strapi: Core.Strapi, error: unknown): Checked {
  if (error instanceof WireError && error.key === 'LOGIN_FAILED') return [null, false, WRONG];
  const request = requestOf(strapi);
  if (request) setHeaders(request, error);
  const shown = asStrapiError(error);
  return [Object.assign(shown as object, { details: { code: 'LOGIN_NOT_ALLOWED' } })];
}
