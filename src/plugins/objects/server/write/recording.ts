/** The history of what the writer changes. That of a bulk is collected and written in sets. */
import type { SqlValue } from '../database/sql';
import type { Row, Work } from '../database/work';
import type { Resource } from '../declare/completed';
import {
  fieldChanges,
  mentionsIn,
  recordAll,
  type FieldChange,
  type HistoryAction,
  type Recorded,
} from './history-entries';
import type { TypeModel } from '../read/model';
import type { Body, Written } from '../declare/objects';
import type { WriteContext } from './context';

/** The number of entries that are written together. */
const TOGETHER = 500;

/** Adds the change of one object to the history. */
export function* recordChange(
  context: WriteContext,
  { resource, mentioning }: TypeModel,
  action: HistoryAction,
  { id: object, version }: Written,
  before: Body | null,
  after: Body | null,
): Work<void> {
  const { caller, now, newId, model, recorded } = context;
  const changes = fieldChanges(before, after, resource.fields.values());
  const head = { type: resource.type, at: now, action, caller };
  const mentions = mentionsIn(changes, mentioning, caller);
  const entry = { id: newId(), object, version, changes, mentions };
  if (!recorded) return yield* recordAll([[head, entry]], model.database.dialect);
  recorded.push([head, entry]);
  if (recorded.length >= TOGETHER) yield* writeRecorded(context);
}

/** Writes what a bulk has collected, in its order. */
export function* writeRecorded({ recorded, model }: WriteContext): Work<void> {
  yield* recordAll(recorded?.splice(0) ?? [], model.database.dialect);
}

/** Adds the change of one field to the history of each of these objects. @param rows their IDs and versions */
export function* recordRows(
  context: WriteContext,
  { type }: Resource,
  rows: readonly Row[],
  changeOf: (id: SqlValue) => FieldChange | undefined,
): Work<void> {
  // An object of these may have been changed before in the same bulk.
  yield* writeRecorded(context);
  const { caller, now, newId, model } = context;
  const { mentioning } = model.type(type);
  const head = { type, at: now, action: 'update', caller } as const;
  const entries = rows.flatMap(([id = null, version]): Recorded[] => {
    const change = changeOf(id);
    if (!change) return [];
    const changes = [change];
    const mentions = mentionsIn(changes, mentioning, caller);
    const object = String(id);
    return [[head, { id: newId(), object, version: Number(version), changes, mentions }]];
  });
  yield* recordAll(entries, model.database.dialect);
}
