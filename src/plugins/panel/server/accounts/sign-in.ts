/** Sign-in to the panel, with an account or with a user that the operator created through Strapi. */
import type { Core } from '@strapi/strapi';
import { databaseOf, siteOf } from '../../../objects/server';
import { fail, ApiError } from '../../../../core/errors';
import { accountsOf } from '../../../accounts/server';
import { local, anonymous, type Caller } from '../../../../core/caller';
import { MAX_PASSWORD } from '../../../../core/formats';
import { isMalformedText, isOversized } from '../../../../core/text';
import { refuseUnverified, type Proof } from '../../../accounts/server/authentication/login';
import type { Account } from '../../../accounts/server/users/account';
import {
  replaceService,
  requestOf,
  type AuthService,
  type PassportResult,
  type PanelUser,
} from '../strapi-internals';
import { wireOf } from '../../../wire/server';
import { panelUserOf } from './panel-user';
import { asStrapiError, setHeaders } from '../strapi-errors';
import { isLinked, PANEL_ROLES } from './panel-users';

/** Strapi's own messages, which the panel translates. */
const WRONG = { message: 'Invalid credentials' };
const CLOSED = { message: 'User not active' };

/** The maximum length of an address or a user name, in characters. */
const MAX_NAME = 254;

/** A bcrypt hash that fits no password, with Strapi's number of rounds: checked where there is no user. */
const NOBODY = `$2a$10$${'.'.repeat(53)}`;

/** The user with these credentials: that of an account, or one that the operator created through Strapi. */
type Found = { readonly account: Account } | { readonly operator: PanelUser };

/** Replaces Strapi's own check of credentials. To be called in `register`. */
export function replaceSignIn(strapi: Core.Strapi): void {
  replaceService<AuthService>(strapi, 'admin::auth', () => ({
    async checkCredentials({ email, password }) {
      try {
        return await check(strapi, email, password);
      } catch (error) {
        return refused(strapi, error);
      }
    },
  }));
}

async function check(
  strapi: Core.Strapi,
  name: unknown,
  password: unknown,
): Promise<PassportResult> {
  // Checked before anything is folded, counted or hashed; no valid name or password is too long.
  if (!isText(name, MAX_NAME) || !isText(password, MAX_PASSWORD)) throw fail('LOGIN_FAILED', {});
  const request = requestOf(strapi);
  const network = request ? wireOf(strapi).networks.networkOf(request.req) : null;
  const caller = { ...local(anonymous()), network };
  const logins = accountsOf(strapi).logins();
  const found = await logins.underLimits(name, caller, () =>
    find(strapi, { name, password }, caller),
  );
  if ('operator' in found)
    return found.operator.isActive === true ? [null, found.operator] : [null, false, CLOSED];
  refuseUnverified(found.account, siteOf(strapi).current());
  const id = await panelUserOf(strapi, found.account.id);
  if (id === null) throw fail('LOGIN_FAILED', {});
  return [null, (await strapi.db.query('admin::user').findOne({ where: { id } })) as PanelUser];
}

const isText = (value: unknown, max: number): value is string =>
  typeof value === 'string' && !isOversized(value, max) && !isMalformedText(value);

/** Takes as long for every refused sign-in. */
async function find(strapi: Core.Strapi, proof: Proof, caller: Caller): Promise<Found | null> {
  const account = await accountsOf(strapi).logins().find(proof, caller);
  if (account && PANEL_ROLES[account.role] !== null) return { account };
  const operator = await operatorOf(strapi, proof.name);
  // Not with Strapi's own check, which blocks the main thread for 90 ms.
  const kept = operator?.password ?? NOBODY;
  const isRight = await accountsOf(strapi).hasher().verify(proof.password, kept, caller);
  return operator?.password && isRight ? { operator } : null;
}

/** The panel user with this address that belongs to no account of the service. */
export async function operatorOf(strapi: Core.Strapi, email: string): Promise<PanelUser | null> {
  const users = (await strapi.db
    .query('admin::user')
    .findMany({ where: { email }, orderBy: { id: 'asc' } })) as PanelUser[];
  for (const user of users) if (!(await isLinked(databaseOf(strapi), user.id))) return user;
  return null;
}

/** Strapi shows its own errors and `ApplicationError`; any other error would be answered with 501. */
function refused(strapi: Core.Strapi, error: unknown): PassportResult {
  if (error instanceof ApiError && error.key === 'LOGIN_FAILED') return [null, false, WRONG];
  const request = requestOf(strapi);
  if (request) setHeaders(request, error);
  const shown = asStrapiError(error);
  return [Object.assign(shown as object, { details: { code: 'LOGIN_NOT_ALLOWED' } })];
}
