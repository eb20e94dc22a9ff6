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

/** The state of a running service: the same object at each call. That of `strapi develop` is made here. */
export function lifecycleOf({ config }: Core.Strapi): Lifecycle {
  if (!config.has('oms.lifecycle')) config.set('oms.lifecycle', newLifecycle());
  return config.get<Lifecycle>('oms.lifecycle');
}
