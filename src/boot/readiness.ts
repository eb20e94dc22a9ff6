import type { Core } from '@strapi/strapi';
import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { databaseOf } from '../plugins/objects/server';
import { sql } from '../plugins/objects/server/database/sql';
import type { Checks } from '../plugins/wire/server/health';
import type { Lifecycle } from './boot';

/** What `/_health/ready` asks: whether database and storage answer, and whether the service stays. */
export const readiness = (strapi: Core.Strapi): Checks => ({
  async database() {
    await databaseOf(strapi).read(sql`select 1`);
    return true;
  },
  async storage() {
    await access(join(strapi.dirs.static.public, 'uploads'), constants.W_OK);
    return true;
  },
  draining: () => strapi.config.get<Lifecycle>('oms.lifecycle', { draining: false }).draining,
});
