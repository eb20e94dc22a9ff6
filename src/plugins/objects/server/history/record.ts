/** The history: a row for each change, written in the transaction of the change. */
import { isDeepStrictEqual } from 'node:util';
import type { Core } from '@strapi/strapi';
import { ensureTable } from '../database/own-tables';
import type { Caller } from '../../../accounts/server/caller';
import { ask, type Work } from '../database/work';
import type { Field } from '../define/resource';
import type { Body } from '../types';

/** The last one of a limit, which is no object: somebody met it. */
export type HistoryAction = 'create' | 'update' | 'delete' | 'exceed';

export interface FieldChange {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

export interface HistoryEntry {
  /** The ID of the entry. */
  readonly id: string;
  readonly type: string;
  readonly object: string;
  readonly version: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly action: HistoryAction;
  readonly changes: readonly FieldChange[];
}

const TABLE = 'oms_history';

/** Makes the table where it is missing. */
export const ensureHistoryTable = (strapi: Core.Strapi): Promise<void> =>
  ensureTable(strapi, TABLE, (table) => {
    table.bigIncrements('seq');
    table.string('id', 36).notNullable(); // made at random, and looked up by nobody
    table.string('type', 40).notNullable();
    table.string('object', 36).notNullable();
    table.integer('version').notNullable();
    table.bigInteger('at').notNullable();
    table.string('action', 20).notNullable();
    table.string('actor_kind', 10).notNullable();
    table.string('actor_id', 36);
    table.string('actor_name', 255);
    table.text('changes').notNullable();
    table.index(['object', 'seq'], `${TABLE}_object_ix`);
    table.index(['actor_id', 'seq'], `${TABLE}_actor_ix`);
    table.index(['at'], `${TABLE}_at_ix`);
  });

const INSERT = `insert into ${TABLE} (id, type, object, version, at, action, actor_kind, actor_id, actor_name, changes)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** How changes are stored. The names of their three parts would be a third of the whole database. */
type StoredChange = readonly [path: string, before: unknown, after: unknown];

const stored = (changes: readonly FieldChange[]): string =>
  JSON.stringify(changes.map(({ path, before, after }): StoredChange => [path, before, after]));

/** The changes of an entry as it is stored. */
export const changesOf = (text: string): FieldChange[] =>
  (JSON.parse(text) as StoredChange[]).map(([path, before, after]) => ({ path, before, after }));

/** Writes one entry, in the name of the caller. */
export function* record(entry: HistoryEntry, { id, actor }: Caller): Work<void> {
  yield* ask(INSERT, [
    entry.id,
    entry.type,
    entry.object,
    entry.version,
    entry.at,
    entry.action,
    actor.kind,
    id,
    actor.name,
    stored(entry.changes),
  ]);
}

/** What differs between two states of an object; null for one that is not there, whose fields are empty. */
export function differences(
  before: Body | null,
  after: Body | null,
  fields: Iterable<Field>,
): FieldChange[] {
  const changes: FieldChange[] = [];
  for (const field of fields) {
    const { name: path, empty } = field;
    const change = { path, before: before?.[path] ?? empty, after: after?.[path] ?? empty };
    // Most are equal at a glance, which saves a bulk of writes the long look.
    if (change.before === change.after || isDeepStrictEqual(change.before, change.after)) continue;
    // That it has changed is told, and nothing of what it was or is.
    changes.push(field.kind === 'secret' ? { path, before: null, after: null } : change);
  }
  return changes;
}

/** Removes what is known of an object that was a person, and the person from what is known of others. */
export function* forget(id: string): Work<void> {
  yield* ask(`delete from ${TABLE} where object = ?`, [id]);
  yield* ask(`update ${TABLE} set actor_id = null, actor_name = null where actor_id = ?`, [id]);
}
