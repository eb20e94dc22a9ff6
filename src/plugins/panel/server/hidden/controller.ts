/** What strangers are not told of records, in numbers: beside the settings of the site that decide over it. */
import type { Core } from '@strapi/strapi';
import { panelSourcesOf, untilClosed } from '../sources';
import type { PanelContext } from '../strapi-internals';

export const hiddenController = ({ strapi }: { strapi: Core.Strapi }) => ({
  /** Ends with the connection: it looks at all records. */
  async count(ctx: PanelContext): Promise<void> {
    ctx.body = { data: await panelSourcesOf(strapi).get().hiddenNow(untilClosed(ctx)) };
  },
});

/** `routes/allowed.ts` opens it. */
export const hiddenRoute = {
  method: 'GET',
  path: '/hidden',
  handler: 'hidden.count',
  config: { policies: ['admin::isAuthenticatedAdmin'] },
};
