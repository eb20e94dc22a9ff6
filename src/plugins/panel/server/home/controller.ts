/** The calls of the panel's first page. Which role may make each is in `routes/allowed.ts`. */
import type { Core } from '@strapi/strapi';
import { errors } from '@strapi/utils';
import { accountsOf } from '../../../accounts/server';
import type { TestMailAnswer } from '../../shared/home';
import { panelCaller } from '../accounts/panel-caller';
import { panelSourcesOf, untilClosed } from '../sources';
import type { PanelContext } from '../strapi-internals';

export const homeController = ({ strapi }: { strapi: Core.Strapi }) => ({
  async waiting(ctx: PanelContext): Promise<void> {
    const caller = await panelCaller(strapi);
    ctx.body = { data: await panelSourcesOf(strapi).get().waitingNow(caller, untilClosed(ctx)) };
  },

  async changes(ctx: PanelContext): Promise<void> {
    const { since } = ctx.query;
    const at = typeof since === 'string' && /^\d{1,15}$/.test(since) ? Number(since) : null;
    if (at === null) throw new errors.ValidationError('since is invalid.');
    const caller = await panelCaller(strapi);
    ctx.body = {
      data: await panelSourcesOf(strapi).get().changedLately(at, caller, untilClosed(ctx)),
    };
  },

  async installation(ctx: PanelContext): Promise<void> {
    ctx.body = { data: await panelSourcesOf(strapi).get().installationNow() };
  },

  /** Sends a mail to the administrator who asks, at once, and says what has come of it. */
  async testMail(ctx: PanelContext): Promise<void> {
    const { id } = await panelCaller(strapi);
    const sent: TestMailAnswer | null = id === null ? null : await accountsOf(strapi).testMail(id);
    if (!sent) throw new errors.ForbiddenError();
    ctx.body = { data: sent };
  },
});

const config = { policies: ['admin::isAuthenticatedAdmin', 'plugin::panel.mayUseApi'] };

export const homeRoutes = [
  { method: 'GET', path: '/home/waiting', handler: 'home.waiting', config },
  { method: 'GET', path: '/home/changes', handler: 'home.changes', config },
  { method: 'GET', path: '/home/installation', handler: 'home.installation', config },
  { method: 'POST', path: '/home/test-mail', handler: 'home.testMail', config },
];
