/** What strangers are not told of records, in numbers: beside the settings of the site that decide over it. */
import type { Core } from '@strapi/strapi';
import type { HiddenNow } from '../../shared/hidden-now';
import type { PanelContext } from '../strapi-internals';

/** @param signal ends the count */
export type CountHidden = (signal: AbortSignal) => Promise<HiddenNow>;

/** Counts as the app says: records are none of the panel's. */
export interface HiddenCounter {
  provide(count: CountHidden): void;
  readonly count: CountHidden;
}

export const hiddenCounter = (): HiddenCounter => {
  let provided: CountHidden = () => Promise.reject(new Error('nothing counts what is hidden'));
  return {
    provide(count) {
      provided = count;
    },
    count: (signal) => provided(signal),
  };
};

export const hiddenCounterOf = (strapi: Core.Strapi): HiddenCounter =>
  strapi.plugin('panel').service('hidden');

export const hiddenController = ({ strapi }: { strapi: Core.Strapi }) => ({
  /** Ends with the connection: it looks at all records. */
  async count(ctx: PanelContext): Promise<void> {
    const gone = new AbortController();
    ctx.res.once('close', () => gone.abort());
    ctx.body = { data: await hiddenCounterOf(strapi).count(gone.signal) };
  },
});

/** `routes/allowed.ts` opens it. */
export const hiddenRoute = {
  method: 'GET',
  path: '/hidden',
  handler: 'hidden.count',
  config: { policies: ['admin::isAuthenticatedAdmin'] },
};
