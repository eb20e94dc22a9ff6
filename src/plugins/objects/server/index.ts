/** The plugin `objects`: data, and nothing of HTTP. */
import type { Core } from '@strapi/strapi';
import type { Database } from './database/database';
import { dropDocumentIndexes } from './database/document-indexes';
import type { Resource } from './define/completed';
import { createRegistry, type Registry } from './registry';
import { createObjects } from './service';
import type { Site } from './site-store';
import type { Objects } from './types';

type Context = { strapi: Core.Strapi };

/** Runs after Strapi's schema sync. */
interface SyncHook {
  register(handler: () => Promise<void>): void;
}

export const registryOf = (strapi: Core.Strapi): Registry =>
  strapi.plugin('objects').service('registry');

/** The objects service of a running Strapi. */
export const objectsOf = (strapi: Core.Strapi): Objects =>
  strapi.plugin('objects').service('objects');

/** The site settings of a running Strapi. */
export const siteOf = (strapi: Core.Strapi): Site => registryOf(strapi).site();

/** The database of a running Strapi. */
export const databaseOf = (strapi: Core.Strapi): Database => registryOf(strapi).model().database;

/** The type with this UID, undefined if it is not one of ours. */
export function resourceOf(strapi: Core.Strapi, uid: string | undefined): Resource | undefined {
  const { resources } = registryOf(strapi).model();
  return [...resources.values()].find((resource) => resource.uid === uid);
}

export default {
  register({ strapi }: Context) {
    const sync = strapi.hook('strapi::content-types.afterSync') as unknown as SyncHook;
    sync.register(() => dropDocumentIndexes(strapi, registryOf(strapi).uids()));
  },
  async bootstrap({ strapi }: Context) {
    await registryOf(strapi).open();
  },
  async destroy({ strapi }: Context) {
    await registryOf(strapi).close();
  },
  services: {
    registry: ({ strapi }: Context): Registry => createRegistry(strapi),
    objects: ({ strapi }: Context): Objects => {
      const registry = registryOf(strapi);
      let objects: Objects | null = null;
      const opened = (): Objects => (objects ??= createObjects(registry.model()));
      return {
        read: (...args) => opened().read(...args),
        inspect: (...args) => opened().inspect(...args),
        write: (...args) => opened().write(...args),
        check: (...args) => opened().check(...args),
        writeAll: (...args) => opened().writeAll(...args),
        transact: (...args) => opened().transact(...args),
        find: (...args) => opened().find(...args),
        onWritten: (...args) => opened().onWritten(...args),
        prepare: (...args) => opened().prepare(...args),
        findUnique: (...args) => opened().findUnique(...args),
      };
    },
  },
};
