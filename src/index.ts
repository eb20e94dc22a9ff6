import type { Core } from '@strapi/strapi';
import { join } from 'node:path';
import { readEnvironment } from './boot/environment';
import { createFirstAdministrator } from './boot/first-administrator';
import { readiness } from './boot/readiness';
import { lockDatabase } from './boot/writer-lock';
import { loadResources } from './endpoints/load-resources';
import { accountsOf } from './plugins/accounts/server';
import { registryOf } from './plugins/objects/server';
import { wireOf } from './plugins/wire/server';

type Context = { strapi: Core.Strapi };

export default {
  /** Before the database opens. */
  async register({ strapi }: Context): Promise<void> {
    lockDatabase(strapi);
    registryOf(strapi).declare(await loadResources(join(strapi.dirs.dist.src, 'api')));
  },

  /** Before the port opens. */
  async bootstrap({ strapi }: Context): Promise<void> {
    const { administrator } = readEnvironment();
    if (administrator)
      await createFirstAdministrator(strapi, { ...administrator, firstname: 'Administrator' });
    wireOf(strapi).open({ identify: accountsOf(strapi).identify, checks: readiness(strapi) });
  },
};
