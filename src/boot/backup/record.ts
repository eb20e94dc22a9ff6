/** What the database knows of backups: when the last one was made. */
import { sql } from '../../plugins/objects/server/database/sql';
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

/** Selects when the last whole backup was made: milliseconds since 1970, 0 for none. */
export const lastBackup = sql`select made_at from oms_backups where id = 1`;
