import type { Core } from '@strapi/strapi';
import { hiddenLines, hiddenNow } from '../api/encounter/hidden-now';
import { errorText } from '../core/start-error';
import { backgroundOf, databaseOf } from '../plugins/objects/server';
import { sql } from '../plugins/objects/server/database/sql';

/**
 * Logs what strangers are not told, as soon as it has been computed anew: after an upgrade that changes by which rules
 * records are hidden. Does not wait for it.
 */
export async function tellHiddenWhenComputed(strapi: Core.Strapi): Promise<void> {
  const [job] = await databaseOf(strapi).read(
    sql`select 1 from oms_privacy_jobs where kind = 'all'`,
  );
  if (!job) return;
  const tell = async (): Promise<void> => {
    await backgroundOf(strapi).workOff();
    const counted = await hiddenNow(strapi, new AbortController().signal);
    for (const line of hiddenLines(counted)) strapi.log.info(line);
  };
  tell().catch((error: unknown) => strapi.log.debug(`not counted: ${errorText(error)}`));
}
