/** Keeps what searches need of objects, in the transaction of each change; and makes it anew. */
import { amongRows } from '../database/row-ids';
import { raw, sql, type Sql, type SqlValue } from '../database/sql';
import { ask, askOne, tell, type Work } from '../database/work';
import type { Affected, Kept, KeptContext } from '../define/behavior';
import type { Field, Resource, Resources } from '../define/completed';
import { keepAudiences, keptInTable } from './audiences';
import { isMoved, movableFields, moveReferences } from './moved';
import { keepParts, OBJECTS, type Keep } from './parts';
import { namingFields, sortedText, textFields } from './texts';

/** Objects that are done in one transaction. */
const CHUNK = 500;

/** In place of the position of a job: all objects are done, and the index of words is being merged. */
const MERGING = -1;

/** In place of a type: the jobs of all. */
export const ALL_TYPES = '*';

/** Objects whose rows are written together, in their order. */
const TOGETHER = 5_000;

function* sets<T>(all: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
}

/** The types with what searches need of their objects kept in the transaction of each change. */
export function withSearch(resources: Resources): Resources {
  const all = new Map<string, Resource>();
  const types: string[] = [];
  for (const [type, resource] of resources) {
    const kept = searchKept(resource, all, types);
    if (kept) types.push(type);
    all.set(type, kept ? { ...resource, kept: [...resource.kept, kept] } : resource);
  }
  return all;
}

/** @param types those that searches keep something of, as soon as all are known */
function searchKept(
  resource: Resource,
  resources: Resources,
  types: readonly string[],
): Kept | null {
  const { type, table, searched, single } = resource;
  const text = sortedText(resource);
  const own = [...textFields(resource), ...namingFields(resource), ...(text ? [text] : [])];
  const fields = new Set([...own.map(({ name }) => name), ...(searched?.fields ?? [])]);
  if (fields.size === 0 || single !== null) return null;
  const kept = searched?.name ?? OBJECTS;
  const keep: Keep = searched ? keepAudiences(resource, searched, resources) : keepParts(resource);
  const movable = searched ? movableFields(resource, searched) : new Map<string, Field>();
  const ofType = searched ? raw('1 = 1') : sql`type = ${type}`;

  const rows = sql`from ${raw(kept)} where ${ofType}`;
  function* dropWords(condition: Sql, { dialect }: KeptContext): Work<void> {
    const words = dialect.words.drop(kept, sql`select key ${rows} and ${condition}`);
    if (words) yield* ask(words);
  }
  function* drop(ids: readonly SqlValue[], context: KeptContext): Work<void> {
    const { dialect } = context;
    yield* dropWords(sql`id ${amongRows(ids, dialect)}`, context);
    yield* tell(dialect.changeRows(sql`delete ${rows} and id`, ids));
  }
  function* renew(ids: readonly SqlValue[], context: KeptContext): Work<void> {
    if (ids.length === 0) return;
    yield* drop(ids, context);
    yield* keep(ids, context);
  }
  /** The next objects by their row IDs; and what is kept of those between that are there no longer. */
  function* renewNext(position: number, context: KeptContext): Work<number | null> {
    const next = yield* ask(
      sql`select o.id from ${raw(table)} o where o.id > ${position}
        order by o.id limit ${raw(String(CHUNK))}${context.dialect.forUpdate('o')}`,
    );
    const ids = next.map(([id = null]) => id);
    const last = next.length < CHUNK ? null : Number(ids.at(-1));
    const isBetween = (id: Sql): Sql =>
      sql`${id} > ${position}${last === null ? raw('') : sql` and ${id} <= ${last}`}`;
    const gone = sql`${isBetween(raw('id'))} and id not in (select o.id from ${raw(table)} o where ${isBetween(raw('o.id'))})`;
    yield* dropWords(gone, context);
    yield* ask(sql`delete ${rows} and ${gone}`);
    yield* renew(ids, context);
    return last;
  }

  /** After the last part, the index of words is merged. @returns the position of the next part */
  function* renewPart(position: number, context: KeptContext): Work<number | null> {
    const next = yield* renewNext(position, context);
    if (next !== null || !context.dialect.words.merge) return next;
    yield* startMerge(kept, context);
    return MERGING;
  }

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

    followsAtOnce: true,

    *follow(affected, context) {
      const isAlone = context.dialect.words.replaced ? isMoved(movable) : () => false;
      const moved = affected.filter(isAlone);
      const made = affected.filter((one) => !isAlone(one));
      const rowsOf = (some: readonly Affected[]): SqlValue[] => [
        ...new Set(some.map(({ rowId }) => rowId)),
      ];
      if (searched && moved.length > 0) {
        const names = new Set(moved.flatMap(({ after }) => Object.keys(after ?? {})));
        const changed = [...movable.values()].filter(({ name }) => names.has(name));
        for (const some of sets(rowsOf(moved), context.dialect.setSize))
          yield* moveReferences(resource, searched, changed, some, context);
      }
      const known = rowsOf(made.filter(({ before }) => before !== null));
      for (const some of sets(known, context.dialect.setSize)) yield* drop(some, context);
      const there = rowsOf(made.filter(({ after }) => after !== null));
      const size = searched ? TOGETHER : context.dialect.setSize;
      for (const some of sets(there, size)) yield* keep(some, context);
    },

    *rebuild(context) {
      for (let position: number | null = 0; position !== null;)
        position = yield* renewNext(position, context);
      yield* startMerge(kept, context);
      while ((yield* mergeNext(kept, context)) !== null);
    },

    *later(context) {
      yield* divideJobs(types);
      const job = yield* askOne(
        sql`select position from oms_search_jobs q where type = ${type}${context.dialect.forUpdate('q')}`,
      );
      if (!job) return false;
      const position = Number(job[0]);
      const next = yield* position === MERGING
        ? mergeNext(kept, context)
        : renewPart(position, context);
      yield* ask(
        next === null
          ? sql`delete from oms_search_jobs where type = ${type}`
          : sql`update oms_search_jobs set position = ${next} where type = ${type}`,
      );
      return next !== null;
    },
  };
}

function* startMerge(table: string, { dialect }: KeptContext): Work<void> {
  const { merge } = dialect.words;
  if (merge) yield* ask(merge.start(table));
}

/** Merges some pages of an index of words. @returns null when nothing is left to be merged */
function* mergeNext(table: string, { dialect }: KeptContext): Work<typeof MERGING | null> {
  const { merge } = dialect.words;
  if (!merge) return null;
  const changes = function* (): Work<number> {
    return Number((yield* askOne(merge.changes))?.[0]);
  };
  const before = yield* changes();
  yield* ask(merge.step(table));
  // One is counted for the statement itself.
  return (yield* changes()) - before > 1 ? MERGING : null;
}

/** A job for all types becomes one for each, from its beginning. */
function* divideJobs(types: readonly string[]): Work<void> {
  const [all] = yield* ask(
    sql`delete from oms_search_jobs where type = ${ALL_TYPES} returning type`,
  );
  if (!all) return;
  for (const type of types)
    yield* ask(
      sql`insert into oms_search_jobs (type, position) values (${type}, 0)
        on conflict (type) do update set position = 0`,
    );
}
