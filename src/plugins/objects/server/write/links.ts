/** Lists of references, each in the table that Strapi keeps for its relation. */
import { isDeepStrictEqual } from 'node:util';
import { ask, type SqlValue, type Work } from '../database/work';
import type { Link, Resource } from '../define/resource';
import type { Model, TypeModel } from '../model';
import type { Body } from '../types';

/** Writes the lists that have changed. The database finds out which entries come and go. */
export function* writeLinks(
  model: Model,
  { resource }: TypeModel,
  rowId: SqlValue,
  before: Body | null,
  after: Body,
): Work<void> {
  for (const { name, link, to } of resource.fields.values()) {
    const target = to === null ? undefined : model.find(to)?.resource;
    const ids = after[name] ?? [];
    if (!link || !target || isDeepStrictEqual(before?.[name] ?? [], ids)) continue;
    yield* writeList(model, link, target, rowId, JSON.stringify(ids));
  }
}

function* writeList(
  { database }: Model,
  { table, source, target: column, order }: Link,
  target: Resource,
  rowId: SqlValue,
  ids: string,
): Work<void> {
  const wanted = `select t.id, j.position from ${database.dialect.jsonItems}
    join ${target.table} t on t.document_id = j.value`;
  yield* ask(
    `delete from ${table} where ${source} = ? and (${column}, ${order}) not in (${wanted})`,
    [rowId, ids],
  );
  yield* ask(
    `insert into ${table} (${source}, ${column}, ${order})
     select ?, w.id, w.position from (${wanted}) w
     where w.id not in (select ${column} from ${table} where ${source} = ?)`,
    [rowId, ids, rowId],
  );
}
