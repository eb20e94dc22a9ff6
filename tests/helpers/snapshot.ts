import { isDeepStrictEqual } from 'node:util';
import { registryOf } from '#app/plugins/objects/server';
import { parseChanges, type FieldChange } from '#app/plugins/objects/server/write/history-entries';
import { testDatabase } from './database';
import type { TestService } from './service';

export const HISTORY = 'oms_history';

/** A row of the history, as it is stored. */
export interface HistoryRow {
  readonly type: string;
  readonly object: string;
  readonly version: number;
  readonly action: string;
  readonly actor_kind: string;
  readonly actor_id: string | null;
  readonly actor_name: string | null;
  readonly changes: readonly FieldChange[];
}

type Row = Readonly<Record<string, unknown>>;
type Snapshot = Readonly<Record<string, readonly Row[]>>;

/** The last snapshot of a service, by what SQLite says has been written until then, by its connection and by others. */
const last = new WeakMap<object, { readonly written: string; readonly taken: Snapshot }>();

/**
 * All rows of all types, and the length of the history: if two snapshots are equal, nothing was written between them.
 * Rows of the history are never changed, so that counting them is enough.
 */
export async function snapshot({ strapi }: TestService): Promise<Snapshot> {
  const { resources } = registryOf(strapi).model();
  const knex = strapi.db.connection;
  const written =
    testDatabase === 'sqlite'
      ? JSON.stringify(await knex.raw('select total_changes(), v.* from pragma_data_version v'))
      : null;
  const known = last.get(strapi);
  if (known && known.written === written) return known.taken;
  const entries: [string, Row[]][] = [];
  for (const { table } of resources.values())
    entries.push([table, await knex<Row>(table).select('*').orderBy('id')]);
  entries.push(['oms_sessions', await knex<Row>('oms_sessions').select('id').orderBy('id')]);
  entries.push([
    HISTORY,
    await knex(HISTORY).count('*', { as: 'rows' }).max('seq', { as: 'last' }),
  ]);
  const taken = Object.fromEntries(entries);
  if (written !== null) last.set(strapi, { written, taken });
  return taken;
}

/** Expects that nothing has been written since. Jest's own comparison takes longer than most requests. */
export async function expectUnchanged(service: TestService, before: Snapshot): Promise<void> {
  const now = await snapshot(service);
  if (!isDeepStrictEqual(now, before)) expect(now).toEqual(before);
}

/** What the history says of one object, the oldest first. */
export async function historyOf({ strapi }: TestService, object: string): Promise<HistoryRow[]> {
  const rows = await strapi.db
    .connection<Omit<HistoryRow, 'changes'> & { readonly changes: string }>(HISTORY)
    .where({ object })
    .orderBy('seq')
    .select();
  return rows.map((row) => ({ ...row, changes: parseChanges(row.changes) }));
}
