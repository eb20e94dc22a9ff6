/**
 * Keys of the records of a list, which one object alone may have. They are in a table of their own, whose unique index
 * decides between two writers.
 */
import { issue } from '../../../../core/errors';
import { raw, sql, type SqlValue } from '../database/sql';
import { ask, type Work } from '../database/work';
import type { Resource } from '../declare/completed';
import type { RecordKey, UniqueRecords } from '../declare/declaration';
import type { Model } from '../read/model';
import type { Body } from '../declare/objects';
import { idsAmong, type Clash } from './checks';
import type { WriteContext } from './context';

const changed = (
  { keys }: UniqueRecords,
  before: Body | null,
  after: Body,
): readonly RecordKey[] => {
  const had = new Set((before ? keys(before) : []).map(({ key }) => key));
  return keys(after).filter(({ key }) => !had.has(key));
};

/**
 * The records whose keys other objects have.
 *
 * @param faulty fields that have an issue already
 * @param merged the objects that become this one, whose keys come with them
 */
export function* findRecordClashes(
  context: WriteContext,
  resource: Resource,
  faulty: ReadonlySet<string>,
  { before, merged }: { readonly before: Body | null; readonly merged: readonly string[] },
  after: Body,
): Work<readonly Clash[]> {
  const own = new Set([before?.['id'], ...merged]);
  const clashes: Clash[] = [];
  for (const rule of resource.uniqueRecords) {
    if (rule.fields.some((name) => faulty.has(name))) continue;
    const fresh = changed(rule, before, after);
    if (fresh.length === 0) continue;
    const { dialect } = context.model.database;
    const wanted = dialect.jsonItems(sql`${JSON.stringify(fresh.map(({ key }) => key))}`);
    const rows = yield* ask(
      sql`select k.key, o.document_id from ${raw(rule.table)} k
        join ${raw(resource.table)} o on o.id = k.object
        where k.key ${dialect.among(sql`select j.value from ${wanted}`)}`,
    );
    const holders = new Map(
      rows.filter(([, id]) => !own.has(id)).map(([key, id]) => [key, String(id)]),
    );
    const known = yield* idsAmong(context, resource.type, 'read', [...holders.values()]);
    for (const { key, path } of fresh) {
      const id = holders.get(key);
      if (id === undefined) continue;
      clashes.push({ issue: issue(path, 'TAKEN', {}), id: known.includes(id) ? id : null });
    }
  }
  return clashes;
}

/** Writes the keys that have changed. */
export function* writeRecordKeys(
  { database }: Model,
  { uniqueRecords }: Resource,
  rowId: SqlValue,
  before: Body | null,
  after: Body,
): Work<void> {
  for (const rule of uniqueRecords) {
    const left = new Set(rule.keys(after).map(({ key }) => key));
    const gone = (before ? rule.keys(before) : []).filter(({ key }) => !left.has(key));
    const fresh = changed(rule, before, after);
    const table = raw(rule.table);
    if (gone.length > 0) {
      const keys = database.dialect.jsonItems(sql`${JSON.stringify(gone.map(({ key }) => key))}`);
      yield* ask(
        sql`delete from ${table} where object = ${rowId} and key in (select j.value from ${keys})`,
      );
    }
    if (fresh.length === 0) continue;
    const rows = database.dialect.jsonRows(
      sql`${JSON.stringify(fresh.map(({ key, value }) => [key, value]))}`,
      [
        { name: 'key', type: 'text' },
        { name: 'value', type: 'text' },
      ],
    );
    yield* ask(
      sql`insert into ${table} (key, object, value) select r.key, ${rowId}, r.value from ${rows}`,
    );
  }
}

/** Frees the keys of a deleted object. */
export function* dropRecordKeys({ uniqueRecords }: Resource, rowId: SqlValue): Work<void> {
  for (const { table } of uniqueRecords)
    yield* ask(sql`delete from ${raw(table)} where object = ${rowId}`);
}
