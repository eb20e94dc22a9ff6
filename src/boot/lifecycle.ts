import type { Core } from '@strapi/strapi';

/** The state in `strapi.config.get('oms.lifecycle')`: a service that shuts down or is outdated is not ready. */
export interface Lifecycle {
  draining: boolean;
  /** A later release has migrated the database. */
  isOutdated: boolean;
}

/** The state of a running service; that of `strapi develop` does not change. */
export const lifecycleOf = (strapi: Core.Strapi): Lifecycle =>
  strapi.config.get<Lifecycle>('oms.lifecycle', { draining: false, isOutdated: false });
