/** Keeps what searches need of objects, in the transaction of each change; and makes it anew. */
import { amongRows } from '../database/row-ids';
import { raw, sql, type Sql, type SqlValue } from '../database/sql';
import { ask, askOne, PAUSE, type Work } from '../database/work';
import type { Affected, Kept, KeptContext } from '../define/behavior';
import type { Resource, Resources } from '../define/completed';
import { keepAudiences, keptInTable } from './audiences';
import { keepParts, OBJECTS, type Keep } from './parts';
import { namingFields, sortedText, textFields } from './texts';

/** Objects that are done in one transaction. */
const CHUNK = 500;

/** The types with what searches need of their objects kept in the transaction of each change. */
export function withSearch(resources: Resources): Resources {
  const all = new Map<string, Resource>();
  for (const [type, resource] of resources) {
    const kept = searchKept(resource, all);
    all.set(type, kept ? { ...resource, kept: [...resource.kept, kept] } : resource);
  }
  return all;
}

function searchKept(resource: Resource, resources: Resources): Kept | null {
  const { type, table, searched, single } = resource;
  const text = sortedText(resource);
  const own = [...textFields(resource), ...namingFields(resource), ...(text ? [text] : [])];
  const fields = new Set([...own.map(({ name }) => name), ...(searched?.fields ?? [])]);
  if (fields.size === 0 || single !== null) return null;
  const kept = searched?.name ?? OBJECTS;
  const keep: Keep = searched ? keepAudiences(resource, searched, resources) : keepParts(resource);
  const ofType = searched ? raw('1 = 1') : sql`type = ${type}`;

  function* drop(condition: Sql, { dialect }: KeptContext): Work<void> {
    const rows = sql`from ${raw(kept)} where ${ofType} and ${condition}`;
    const words = dialect.words.drop(kept, sql`select key ${rows}`);
    if (words) yield* ask(words);
    yield* ask(sql`delete ${rows}`);
  }
  function* renew(ids: readonly SqlValue[], context: KeptContext): Work<void> {
    if (ids.length === 0) return;
    yield* drop(sql`id ${amongRows(ids, context.dialect)}`, context);
    yield* keep(ids, context);
  }
  function* renewNext(position: number, context: KeptContext): Work<number | null> {
    const rows = yield* ask(
      sql`select o.id from ${raw(table)} o where o.id > ${position}
        order by o.id limit ${raw(String(CHUNK))}${context.dialect.forUpdate('o')}`,
    );
    const ids = rows.map(([id = null]) => id);
    yield* renew(ids, context);
    return rows.length < CHUNK ? null : Number(ids.at(-1));
  }
  const dropDeleted = (context: KeptContext): Work<void> =>
    drop(sql`id not in (select o.id from ${raw(table)} o)`, context);

  return {
    name: 'search',
    of: type,
    fields: [...fields],
    keptIn: [
      searched
        ? keptInTable(resource, searched)
        : { table: OBJECTS, key: 'document_id', columns: ['type', 'id', 'part', 'sort_key'] },
    ],
    renew,

    *follow(affected, context) {
      const rows = (some: (one: Affected) => boolean): SqlValue[] => [
        ...new Set(affected.filter(some).map(({ rowId }) => rowId)),
      ];
      const known = rows(({ before }) => before !== null);
      if (known.length > 0) yield* drop(sql`id ${amongRows(known, context.dialect)}`, context);
      const there = rows(({ after }) => after !== null);
      if (there.length > 0) yield* keep(there, context);
    },

    *rebuild(context) {
      yield* dropDeleted(context);
      for (let position: number | null = 0; position !== null; yield PAUSE)
        position = yield* renewNext(position, context);
    },

    *later(context) {
      const job = yield* askOne(
        sql`select position from oms_search_jobs q where type = ${type}${context.dialect.forUpdate('q')}`,
      );
      if (!job) return false;
      const position = Number(job[0]);
      if (position === 0) yield* dropDeleted(context);
      const next = yield* renewNext(position, context);
      yield* ask(
        next === null
          ? sql`delete from oms_search_jobs where type = ${type}`
          : sql`update oms_search_jobs set position = ${next} where type = ${type}`,
      );
      return next !== null;
    },
  };
}
