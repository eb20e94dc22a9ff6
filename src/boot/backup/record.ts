/** What the database knows of backups: when the last one was made, and which server makes the next one. */
import type { Database } from '../../plugins/objects/server/database/database';
import { sql } from '../../plugins/objects/server/database/sql';
import { ask } from '../../plugins/objects/server/database/work';
import { errorText } from '../../core/start-error';
import { runBeside } from '../database';
import type { DatabaseEnvironment } from '../environment';

/** Notes a backup that is whole, beside a service. @param at milliseconds since 1970 */
export async function noteBackup(
  database: DatabaseEnvironment,
  at: number,
  bytes: number,
): Promise<void> {
  try {
    await runBeside(
      database,
      `update oms_backups set made_at = ${at}, bytes = ${bytes} where id = 1`,
    );
  } catch (error) {
    // The database of an older release has no place for it.
    if (!errorText(error).includes('oms_backups')) throw error;
  }
}

/**
 * Claims the making of a backup, if there is none since a time and no server is making one.
 *
 * @param until when the claim ends by itself, in milliseconds since 1970
 * @returns whether it is this server's to make
 */
export const claimBackup = (
  database: Pick<Database, 'write'>,
  { since, now, until }: { readonly since: number; readonly now: number; readonly until: number },
): Promise<boolean> =>
  database.write(function* () {
    const rows = yield* ask(sql`update oms_backups set claimed_until = ${until}
      where id = 1 and made_at < ${since} and claimed_until <= ${now} returning id`);
    return rows.length > 0;
  });

/** Sets the end of this server's claim. */
export const extendClaim = (database: Pick<Database, 'write'>, until: number): Promise<void> =>
  database.write(function* () {
    yield* ask(sql`update oms_backups set claimed_until = ${until} where id = 1`);
  });
