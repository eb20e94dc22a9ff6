import type { Core } from '@strapi/strapi';
import { join } from 'node:path';
import { assetsOf } from '../plugins/assets/server';
import { databaseOf } from '../plugins/objects/server';
import { sql } from '../plugins/objects/server/database/sql';
import type { Checks } from '../plugins/wire/server/health';
import type { Environment } from './environment';
import type { StorageCheck } from './installation';
import { lifecycleOf } from './lifecycle';
import { createPhotographSample } from './photograph-sample';
import { createWriteProbe, heldAnswer } from './write-probe';

/**
 * The checks of `/_health/ready`: whether database and storage can be written, whether photographs are there, whether the
 * service is shutting down, and whether its release is that of the database.
 */
export function readiness(
  strapi: Core.Strapi,
  { database, dataDir }: Pick<Environment, 'database' | 'dataDir'>,
  stored: StorageCheck,
): Checks {
  // Looked up once: requests ask for it.
  const lifecycle = lifecycleOf(strapi);
  const now = (): number => Date.now();
  // The folder of the SQLite file; PostgreSQL's storage is monitored by its operator.
  const growth = createWriteProbe(dataDir, now);
  const uploads = createWriteProbe(join(strapi.dirs.static.public, 'uploads'), now);
  const bucket = heldAnswer(
    async () => (await assetsOf(strapi).storage.answers()) && stored.isSame(),
    now,
  );
  const photographs = createPhotographSample({
    database: databaseOf(strapi),
    storage: assetsOf(strapi).storage,
    clock: () => performance.now(),
    random: Math.random,
  });
  return {
    photographs,
    async database() {
      await databaseOf(strapi).read(sql`select 1`);
      return database.client === 'postgres' || growth();
    },
    storage: async () => (await uploads()) && (await bucket()),
    draining: () => lifecycle.isLeaving || lifecycle.draining,
    release: () => !lifecycle.isOutdated,
  };
}
