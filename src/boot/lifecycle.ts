import type { Core } from '@strapi/strapi';

/** The state in `strapi.config.get('oms.lifecycle')`: a service that shuts down or is outdated is not ready. */
export interface Lifecycle {
  /** It still accepts connections, and tells load balancers to send none. */
  isLeaving: boolean;
  /** It accepts no connections, and ends what may take long. */
  draining: boolean;
  /** A later release has migrated the database. */
  isOutdated: boolean;
}

export const newLifecycle = (): Lifecycle => ({
  isLeaving: false,
  draining: false,
  isOutdated: false,
});

/** The state of a running service; that of `strapi develop` does not change. */
export const lifecycleOf = (strapi: Core.Strapi): Lifecycle =>
  strapi.config.get<Lifecycle>('oms.lifecycle', newLifecycle());
