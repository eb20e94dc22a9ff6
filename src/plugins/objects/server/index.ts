/** The plugin `objects`: data, and nothing of HTTP. */
import type { Core } from '@strapi/strapi';
import type { Database } from './database/database';
import { dropDocumentIndexes } from './database/document-indexes';
import { afterSync } from './database/own-tables';
import type { Resource } from './define/resource';
import { answerDocuments } from './documents/middleware';
import { checkSiteSettings } from './documents/site-settings';
import { ensureHistoryTable } from './history/record';
import { createRegistry, type Registry } from './registry';
import { createObjects } from './service';
import type { Site } from './site';
import type { Objects } from './types';

type Context = { strapi: Core.Strapi };

export const registryOf = (strapi: Core.Strapi): Registry =>
  strapi.plugin('objects').service('registry');

/** The objects service of a running Strapi. */
export const objectsOf = (strapi: Core.Strapi): Objects =>
  strapi.plugin('objects').service('objects');

/** The settings of a running Strapi. */
export const siteOf = (strapi: Core.Strapi): Site => registryOf(strapi).site();

/** The database of a running Strapi. */
export const databaseOf = (strapi: Core.Strapi): Database => registryOf(strapi).model().database;

/** The type that Strapi knows by this name, where it is one of ours. */
export function resourceOf(strapi: Core.Strapi, uid: string | undefined): Resource | undefined {
  const { resources } = registryOf(strapi).model();
  return [...resources.values()].find((resource) => resource.uid === uid);
}

export default {
  register({ strapi }: Context) {
    afterSync(strapi, () => ensureHistoryTable(strapi));
    afterSync(strapi, () => dropDocumentIndexes(strapi, registryOf(strapi).uids()));
  },
  async bootstrap({ strapi }: Context) {
    await registryOf(strapi).open();
    answerDocuments(strapi);
    checkSiteSettings(strapi);
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
        write: (...args) => opened().write(...args),
        writeAll: (...args) => opened().writeAll(...args),
        find: (...args) => opened().find(...args),
        onWritten: (...args) => opened().onWritten(...args),
        findUnique: (...args) => opened().findUnique(...args),
      };
    },
  },
};
