/** What a deletion does to the objects that refer to what is deleted. */
import { fail } from '../../../wire/server/errors';
import { ask, askOne, type Row, type SqlValue, type Work } from '../database/work';
import { record } from '../history/record';
import type { Field, Link, Referrer, Resource, Unique } from '../define/resource';
import type { TypeModel } from '../model';
import type { Body } from '../types';
import type { WriteContext } from './context';

/** What is deleted. */
interface Deleted {
  readonly type: TypeModel;
  readonly rowId: SqlValue;
  readonly id: string;
}

/**
 * Frees an object from all references to it, each a change of the object that refers.
 *
 * @throws WireError IN_USE when one of them may not be emptied
 */
export function* releaseReferrers(
  context: WriteContext,
  type: TypeModel,
  rowId: SqlValue,
  id: string,
): Work<void> {
  const deleted = { type, rowId, id };
  for (const referrer of type.referrers.filter(({ field }) => field.onDelete === 'restrict')) {
    yield* refuseInUse(referrer, rowId);
  }
  for (const { resource, field } of type.referrers) {
    if (field.onDelete === 'restrict') continue;
    if (field.link) yield* takeOff(context, resource, field, field.link, deleted);
    else yield* clear(context, resource, field, deleted);
  }
}

function* refuseInUse({ resource, field }: Referrer, rowId: SqlValue): Work<void> {
  const row = yield* askOne(
    `select cast(count(*) as integer) from ${resource.table} where ${field.columns[0]} = ?`,
    [rowId],
  );
  const count = Number(row?.[0] ?? 0);
  if (count > 0) throw fail('IN_USE', { type: resource.type, count });
}

/** Empties a reference to one object. */
function* clear(
  context: WriteContext,
  resource: Resource,
  field: Field,
  { rowId, id }: Deleted,
): Work<void> {
  const keys = resource.unique.filter(({ dependsOn }) => dependsOn.includes(field.name));
  const columns = keys.flatMap((rule) => [rule.column, ...columnsOf(resource, rule)]);
  const rows = yield* ask(
    `update ${resource.table} set ${field.columns[0]} = null, version = version + 1, updated_at = ?
     where ${field.columns[0]} = ? returning ${['document_id', 'version', ...columns].join(', ')}`,
    [context.model.database.dialect.instant(context.now), rowId],
  );
  for (const row of rows) {
    yield* rekey(resource, keys, row);
    yield* remember(context, resource, row, { path: field.name, before: id, after: null });
  }
}

const columnsOf = ({ fields }: Resource, rule: Unique): string[] =>
  rule.fields.map((name) => fields.get(name)?.columns[0] ?? 'null');

/** A key that the reference was a part of. */
function* rekey(resource: Resource, keys: readonly Unique[], row: Row): Work<void> {
  let position = 2;
  for (const rule of keys) {
    const [key, ...values] = row.slice(position, position + 1 + rule.fields.length);
    position += 1 + rule.fields.length;
    const object: Body = Object.fromEntries(rule.fields.map((name, at) => [name, values[at]]));
    const after = rule.key(object);
    if (key === after) continue;
    yield* ask(`update ${resource.table} set ${rule.column} = ? where document_id = ?`, [
      after,
      row[0] ?? null,
    ]);
  }
}

/** Takes an object off the lists that it is on. */
function* takeOff(
  context: WriteContext,
  resource: Resource,
  field: Field,
  { table, source, target, order }: Link,
  { type, rowId, id }: Deleted,
): Work<void> {
  const { dialect } = context.model.database;
  const list = dialect.jsonList(
    `select t.document_id as id from ${table} l join ${type.resource.table} t on t.id = l.${target}
     where l.${source} = o.id order by l.${order}`,
  );
  const holders = `id in (select l.${source} from ${table} l where l.${target} = ?)`;
  const rows = yield* ask(
    `update ${resource.table} set version = version + 1, updated_at = ?
     where ${holders} returning document_id, version`,
    [dialect.instant(context.now), rowId],
  );
  const lists = yield* ask(
    `select o.document_id, cast(${list} as text) from ${resource.table} o where o.${holders}`,
    [rowId],
  );
  yield* ask(`delete from ${table} where ${target} = ?`, [rowId]);
  const before = new Map(
    lists.map(([holder, ids]) => [holder, JSON.parse(String(ids)) as string[]]),
  );
  for (const row of rows) {
    const ids = before.get(row[0] ?? null) ?? [];
    const after = ids.filter((other) => other !== id);
    yield* remember(context, resource, row, { path: field.name, before: ids, after });
  }
}

function* remember(
  { caller, now, newId }: WriteContext,
  { type }: Resource,
  [object, version]: Row,
  change: { readonly path: string; readonly before: unknown; readonly after: unknown },
): Work<void> {
  const action = 'update';
  const at = { object: String(object), version: Number(version), at: now };
  yield* record({ id: newId(), type, ...at, action, changes: [change] }, caller);
}
