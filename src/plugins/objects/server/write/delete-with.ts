/**
 * Deletes all objects that refer to a deleted object and go with it, in sets, as `ripple` does. Nothing refers to them:
 * the start makes sure of that.
 */
import { amongRows } from '../database/row-ids';
import { join, raw, sql, statementOf, type MadeChange } from '../database/sql';
import { ask, type Row, type Work } from '../database/work';
import type { ChangeMade } from '../declare/behavior';
import { keepAllFromReuse } from './deleted-ids';
import {
  deletion,
  eraseAll,
  fieldChanges,
  mentionsIn,
  recordAll,
  type Recorded,
} from './history-entries';
import type { TypeModel } from '../read/model';
import { jsonOf } from '../read/columns';
import type { Body } from '../declare/objects';
import { retireClaimsOf } from './claims';
import type { WriteContext } from './context';
import { updateKept } from './kept';
import type { DeleteWithStep } from './plan';

/** The number of objects in a set. */
const CHUNK = 500;

/** Deletes them with their history, or with an entry in it. */
export function* deleteWith(
  context: WriteContext,
  { referrer: { resource, field }, to }: DeleteWithStep,
): Work<void> {
  const { model } = context;
  const { dialect } = model.database;
  const type = model.type(resource.type);
  const fields = [...resource.fields.values()].filter(
    ({ input, computed }) => input === null && computed === null,
  );
  const object = jsonOf(fields, {
    resources: model.resources,
    dialect,
    role: 'administrator',
    access: null,
    site: context.site,
  });
  const columns = [
    raw('o.id'),
    raw('o.document_id'),
    raw('o.version'),
    sql`cast(${object} as text)`,
  ];
  const referring = sql`select ${join(columns)} from ${raw(resource.table)} o
    where ${raw(`o.${field.columns[0]}`)} = ${to.rowId}
    order by o.id limit ${raw(String(CHUNK))}${dialect.forUpdate('o')}`;
  for (;;) {
    const rows = yield* ask(referring);
    if (rows.length > 0) yield* removeSet(context, type, rows);
    if (rows.length < CHUNK) return;
  }
}

function* removeSet(context: WriteContext, type: TypeModel, rows: readonly Row[]): Work<void> {
  const { caller, site, now, model } = context;
  const { dialect } = model.database;
  const { resource } = type;
  const ids = rows.map(([, id]) => String(id));
  const rowIds = rows.map(([rowId = null]) => rowId);
  const removal = sql`delete from ${raw(resource.table)} where id ${amongRows(rowIds, dialect)}`;
  const made = resource.forgotten ? rows.map((row) => deletionOf(type, row)) : [];
  yield* ask({ ...statementOf(removal), made });
  yield* keepAllFromReuse(ids, dialect);
  yield* retireClaimsOf(ids, { now, dialect });
  if (resource.forgotten) yield* eraseAll(resource.type, ids, dialect);
  else yield* recordDeletions(context, type, rows);
  const deleted = rows.map(([rowId = null, id, , object]): ChangeMade => ({
    op: 'delete',
    id: String(id),
    rowId,
    before: JSON.parse(String(object)) as Body,
    after: null,
  }));
  for (const made of deleted)
    for (const consequence of resource.consequences)
      yield* consequence(made, { caller, site, now, dialect });
  yield* updateKept(context, type, deleted);
}

function deletionOf({ resource }: TypeModel, [, id, , object]: Row): MadeChange {
  const before = JSON.parse(String(object)) as Body;
  return deletion(resource.type, String(id), fieldChanges(before, null, resource.fields.values()));
}

function* recordDeletions(
  { caller, now, newId, model }: WriteContext,
  { resource, mentioning }: TypeModel,
  rows: readonly Row[],
): Work<void> {
  const head = { type: resource.type, at: now, action: 'delete', caller } as const;
  const entries = rows.map(([, id, version, object]): Recorded => {
    const before = JSON.parse(String(object)) as Body;
    const changes = fieldChanges(before, null, resource.fields.values());
    const mentions = mentionsIn(changes, mentioning, caller);
    return [head, { id: newId(), object: String(id), version: Number(version), changes, mentions }];
  });
  yield* recordAll(entries, model.database.dialect);
}
