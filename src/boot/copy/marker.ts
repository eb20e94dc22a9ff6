/** The table that is there from the beginning of a copy to its end: no service starts on such a database. */
import type { Core } from '@strapi/strapi';
import { StartError } from '../../core/start-error';

export const COPY_MARKER = 'oms_copy';

/** @throws StartError while a copy into the database is under way, or after one that was killed */
export async function refuseUnfinishedCopy(knex: Core.Strapi['db']['connection']): Promise<void> {
  if (await knex.schema.hasTable(COPY_MARKER)) throw unfinishedCopy();
}

/** What is said to who starts a service on such a database. */
export const unfinishedCopy = (): StartError =>
  new StartError(
    'A copy into this database is under way, or was killed: wait for its end, or run it again (npm run copy).',
  );
