/** Lists of references, each in the join table of its relation. */
import { isDeepStrictEqual } from 'node:util';
import { raw, sql, type SqlValue } from '../database/sql';
import { ask, type Work } from '../database/work';
import type { Link, Resource } from '../declare/completed';
import type { Model, TypeModel } from '../read/model';
import type { Body } from '../declare/objects';

/** Writes the lists that have changed. The database determines which entries to insert and delete. */
export function* writeLinks(
  model: Model,
  { resource }: TypeModel,
  rowId: SqlValue,
  before: Body | null,
  after: Body,
): Work<void> {
  for (const { name, link, to } of resource.fields.values()) {
    if (!link || to === null) continue;
    const target = model.find(to)?.resource;
    const ids = after[name] ?? [];
    if (!target || isDeepStrictEqual(before?.[name] ?? [], ids)) continue;
    yield* writeList(model, link, target, rowId, JSON.stringify(ids));
  }
}

function* writeList(
  { database }: Model,
  { table: name, source: from, target: to, order: place }: Link,
  target: Resource,
  rowId: SqlValue,
  ids: string,
): Work<void> {
  const [table, source, column, order] = [raw(name), raw(from), raw(to), raw(place)];
  const wanted = sql`select t.id, j.position from ${database.dialect.jsonItems(sql`${ids}`)}
    join ${raw(target.table)} t on t.document_id = j.value`;
  yield* ask(
    sql`delete from ${table} where ${source} = ${rowId} and (${column}, ${order}) not in (${wanted})`,
  );
  yield* ask(
    sql`insert into ${table} (${source}, ${column}, ${order})
     select ${rowId}, w.id, w.position from (${wanted}) w
     where w.id not in (select ${column} from ${table} where ${source} = ${rowId})`,
  );
}
