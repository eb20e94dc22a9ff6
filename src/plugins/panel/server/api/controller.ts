/**
 * Calls of /api/v0 for the panel's own pages: its session is Strapi's, which the interface does not know. Each passes through
 * the stages of the interface after the login, as the account of the panel's user.
 */
import type { Core } from '@strapi/strapi';
import { wireOf } from '../../../wire/server';
import { panelCaller } from '../accounts/panel-caller';
import { roleOf } from '../routes/who';
import type { PanelContext } from '../strapi-internals';

/** In place of the interface's own. */
const PREFIX = '/panel/api/';

export const apiController = ({ strapi }: { strapi: Core.Strapi }) => ({
  /** Answers in the interface's envelope, a refusal too. */
  async pass(ctx: PanelContext): Promise<void> {
    const caller = await panelCaller(strapi);
    // What answers here writes to the response itself.
    ctx.respond = false;
    await wireOf(strapi).answerFor(ctx.req, ctx.res, {
      path: `/api/v0/${ctx.path.slice(PREFIX.length)}`,
      search: ctx.querystring,
      body: ctx.request.body ?? {},
      caller,
    });
  },
});

/** The role that Strapi gives its first user, who may do everything. */
const SUPER_ADMIN = 'strapi-super-admin';

/**
 * A policy of Strapi: the user has an account of the service, or all rights. What operators with roles of their own may do
 * is said by Strapi's permissions, which the interface does not ask for.
 */
export const mayUseApi = ({ state: { user } }: PanelContext): boolean =>
  user !== undefined &&
  (roleOf(user) !== 'operator' || user.roles?.some(({ code }) => code === SUPER_ADMIN) === true);

/** The calls that the pages make; `routes/allowed.ts` says who may make each. */
const CALLS = [
  ['GET', 'search/:type'],
  ['GET', 'asset/:id/file'],
  ['GET', ':type/:id'],
  ['GET', ':type/:id/history'],
  ['GET', 'site_settings'],
  ['POST', 'batch'],
] as const;

const config = { policies: ['admin::isAuthenticatedAdmin', 'plugin::panel.mayUseApi'] };

export const apiRoutes = CALLS.map(([method, path]) => ({
  method,
  path: `/api/${path}`,
  handler: 'api.pass',
  config,
}));
