/** The database into which another one is copied: empty before, and marked while it is not whole. */
import type { Client } from 'pg';
import { StartError } from '../../core/start-error';
import { COPY_MARKER } from './marker';

const TABLES = `select tablename as name from pg_tables where schemaname = 'public'`;

/**
 * Marks an empty database, and one that a copy has left.
 *
 * @param option the one that names it
 * @throws StartError when there is anything but an unfinished copy
 */
export async function prepareTarget(target: Client, option: '--to' | '--in'): Promise<void> {
  const { rows } = await target.query<{ name: string }>(TABLES);
  if (rows.some(({ name }) => name === COPY_MARKER)) await emptyTarget(target);
  else if (rows.length > 0)
    throw new StartError(
      `The database of ${option} is not empty: it has ${rows.length} tables, such as ${rows[0]?.name}. Give one without tables.`,
    );
  await target.query(`create table ${COPY_MARKER} (started_at timestamptz not null default now())`);
}

/** Drops what a copy has made. */
export async function emptyTarget(target: Client): Promise<void> {
  await target.query('rollback');
  const { rows } = await target.query<{ name: string }>(TABLES);
  // The marker last: a copy that is killed here is still known as one.
  const names = rows.map(({ name }) => name).filter((name) => name !== COPY_MARKER);
  for (const name of [...names, COPY_MARKER])
    await target.query(`drop table if exists "${name}" cascade`);
}
