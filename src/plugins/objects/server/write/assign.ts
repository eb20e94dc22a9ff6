/** Objects that a new object names in a list, and that come to refer to it: each with its version and history. */
import { raw, sql, type SqlValue } from '../database/sql';
import { ask, type Work } from '../database/work';
import type { TypeModel } from '../read/model';
import type { Body } from '../declare/objects';
import type { WriteContext } from './context';
import { updateKept } from './kept';
import { recordRows } from './recording';

/** In the transaction that makes the object, after it has its row. */
export function* assignGiven(
  context: WriteContext,
  { resource }: TypeModel,
  made: { readonly id: string; readonly rowId: SqlValue },
  after: Body,
): Work<void> {
  for (const { name, inverse } of resource.fields.values()) {
    const ids = (inverse?.input ? (after[name] ?? []) : []) as readonly string[];
    if (inverse && ids.length > 0) yield* assign(context, resource.table, made, inverse, ids);
  }
}

function* assign(
  context: WriteContext,
  table: string,
  { id, rowId }: { readonly id: string; readonly rowId: SqlValue },
  inverse: { readonly type: string; readonly field: string },
  ids: readonly string[],
): Work<void> {
  const { model, now } = context;
  const { dialect } = model.database;
  const other = model.type(inverse.type);
  const [column = 'null'] = other.resource.fields.get(inverse.field)?.columns ?? [];
  const theirs = raw(other.resource.table);
  const listed = sql`select j.value from ${dialect.jsonItems(sql`${JSON.stringify(ids)}`)}`;
  const rows = yield* ask(
    sql`select o.document_id, o.id, (select t.document_id from ${raw(`${table} t where t.id = o.${column}`)})
     from ${theirs} o where o.document_id ${dialect.among(listed)} order by o.id${dialect.forNoKeyUpdate}`,
  );
  const changed = yield* ask(
    sql`update ${theirs} set ${raw(column)} = ${rowId}, version = version + 1, updated_at = ${dialect.instant(now)}
     where document_id ${dialect.among(listed)} returning document_id, version`,
  );
  const had = new Map(rows.map(([one, , before]) => [one, before ?? null]));
  yield* recordRows(context, other.resource, changed, (one) => ({
    path: inverse.field,
    before: had.get(one) ?? null,
    after: id,
  }));
  yield* updateKept(
    context,
    other,
    rows.map(([one, row = null, before]) => ({
      id: String(one),
      rowId: row,
      before: { [inverse.field]: before },
      after: { [inverse.field]: id },
    })),
  );
}
