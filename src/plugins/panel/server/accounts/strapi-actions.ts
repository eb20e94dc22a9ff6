/** Restricts Strapi's own actions: none of them may create an administrator or change the user of an account. */
import type { Core } from '@strapi/strapi';
import { errors } from '@strapi/utils';
import { databaseOf } from '../../../objects/server';
import { isEmail } from '../../../../core/formats';
import { wireOf } from '../../../wire/server';
import { accountsOf } from '../../../accounts/server';
import {
  replaceController,
  replaceService,
  type AuthService,
  type Controller,
  type PanelContext,
  type RoleService,
  type UserService,
} from '../strapi-internals';
import { asStrapiError, setHeaders } from '../strapi-errors';
import { operatorOf } from './sign-in';
import { isLinked } from './panel-users';

const ELSEWHERE =
  'This is the account of a person: change it in the list of users (Content Manager, User).';

/**
 * Closes the registration of a first administrator, and redirects other actions to the accounts. To be called in
 * `register`.
 */
export function replaceStrapiActions(strapi: Core.Strapi): void {
  replaceController<Controller<'registerAdmin' | 'forgotPassword'>>(
    strapi,
    'admin::authentication',
    () => ({
      // The same answer whether there is an administrator or not.
      registerAdmin: (ctx) => Promise.resolve(ctx.notFound()),
      forgotPassword: (ctx) => sendReset(strapi, ctx),
    }),
  );
  replaceController<Controller<'init'>>(strapi, 'admin::admin', ({ init }) => ({
    async init(ctx) {
      const { data } = (await init(ctx)) as { data: object };
      return { data: { ...data, hasAdmin: true } };
    },
  }));
  replaceController<Controller<'check'>>(strapi, 'admin::permission', ({ check }) => ({
    // Strapi checks the items of the list, but not whether it is a list.
    check: (ctx) => (hasPermissions(ctx.request.body) ? check(ctx) : refuseCheck()),
  }));
  // Licensed features of Strapi, which the panel requests on every page: answered with 404.
  replaceController<Controller<'getAiFeatureConfig'>>(strapi, 'admin::ai', () => ({
    getAiFeatureConfig: () => Promise.resolve({ data: {} }),
  }));
  replaceController<Controller<'getJobForCollectionType' | 'getJobForSingleType'>>(
    strapi,
    'plugin::i18n.ai-localization-jobs',
    () => ({
      getJobForCollectionType: () => Promise.resolve({ data: null }),
      getJobForSingleType: () => Promise.resolve({ data: null }),
    }),
  );
  guardUsers(strapi);
  // Super Admin is the role of no account, so it often has no users.
  replaceService<RoleService>(strapi, 'admin::role', () => ({
    displayWarningIfNoSuperAdmin: () => Promise.resolve(),
  }));
}

const hasPermissions = (body: unknown): boolean =>
  typeof body === 'object' &&
  body !== null &&
  'permissions' in body &&
  Array.isArray(body.permissions);

const refuseCheck = (): Promise<never> =>
  Promise.reject(new errors.ValidationError('permissions is a required field'));

/** Strapi's own changes of its users: settings, tokens by mail, invitations. */
function guardUsers(strapi: Core.Strapi): void {
  const refuse = async (ids: readonly unknown[]): Promise<void> => {
    for (const id of ids)
      if (await isLinked(databaseOf(strapi), Number(id)))
        throw new errors.ValidationError(ELSEWHERE);
  };
  replaceService<UserService>(strapi, 'admin::user', (users: UserService) => ({
    async updateById(id, attributes) {
      await refuse([id]);
      return users.updateById(id, attributes);
    },
    async deleteById(id) {
      await refuse([id]);
      return users.deleteById(id);
    },
    async deleteByIds(ids) {
      await refuse(ids);
      return users.deleteByIds(ids);
    },
  }));
}

/** The same answer in the same time, whether the address belongs to an account, an operator or nobody. */
async function sendReset(strapi: Core.Strapi, ctx: PanelContext): Promise<void> {
  const email = emailOf(ctx.request.body);
  const accounts = accountsOf(strapi);
  try {
    await accounts.limits().countMail(email, wireOf(strapi).networks.networkOf(ctx.req));
    await accounts.authentication().send('reset', email);
  } catch (error) {
    setHeaders(ctx, error);
    throw asStrapiError(error);
  }
  void sendOperators(strapi, email).catch((error: unknown) =>
    strapi.log.error(`the panel's reset: ${error instanceof Error ? error.message : 'a failure'}`),
  );
  ctx.status = 204;
}

/** Strapi's own mail to a user that the operator created through Strapi. */
async function sendOperators(strapi: Core.Strapi, email: string): Promise<void> {
  const auth = strapi.service('admin::auth') as unknown as AuthService;
  const operator = await operatorOf(strapi, email);
  if (operator) await auth.forgotPassword({ email });
}

/** The maximum length of an address, in characters. */
const MAX_ADDRESS = 254;

function emailOf(body: unknown): string {
  const email: unknown =
    typeof body === 'object' && body !== null && 'email' in body ? body.email : undefined;
  if (typeof email === 'string' && email.length <= MAX_ADDRESS && isEmail(email))
    return email.toLowerCase();
  throw new errors.ValidationError('email must be a valid email');
}
