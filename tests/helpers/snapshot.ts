import { registryOf } from '#app/plugins/objects/server';
import { parseChanges, type FieldChange } from '#app/plugins/objects/server/history/record';
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

/**
 * All rows of all types, and the length of the history: if two snapshots are equal, nothing was written between them.
 * Rows of the history are never changed, so that counting them is enough.
 */
export async function snapshot({ strapi }: TestService): Promise<Record<string, readonly Row[]>> {
  const { resources } = registryOf(strapi).model();
  const knex = strapi.db.connection;
  const entries: [string, Row[]][] = [];
  for (const { table } of resources.values())
    entries.push([table, await knex<Row>(table).select('*').orderBy('id')]);
  entries.push(['oms_sessions', await knex<Row>('oms_sessions').select('id').orderBy('id')]);
  entries.push([
    HISTORY,
    await knex(HISTORY).count('*', { as: 'rows' }).max('seq', { as: 'last' }),
  ]);
  return Object.fromEntries(entries);
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
