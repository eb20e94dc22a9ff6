/** Keeps what searches need of objects, in the transaction of each change; and makes it anew. */
import { isDeepStrictEqual } from 'node:util';
import { amongRows } from '../database/row-ids';
import { raw, sql, type Sql, type SqlValue } from '../database/sql';
import { ask, askOne, tell, type Work } from '../database/work';
import type { Affected, Kept, KeptContext } from '../define/behavior';
import type { Field, Resource, Resources } from '../define/completed';
import { holdersOf } from '../rights/marks';
import { createAudiences, keptInTable } from './audiences';
import { keptNames, NAMES } from './names';
import { isMoved, movableFields, moveReferences } from './moved';
import { keepParts, OBJECTS } from './parts';
import { namingFields, sortedText, textFields } from './texts';

/** Objects that are done in one transaction. */
const CHUNK = 500;

/** In place of the position of a job: all objects are done, and the index of words is being merged. */
const MERGING = -1;

/** In place of a type: the jobs of all. */
export const ALL_TYPES = '*';

/** Objects whose rows are written together, in their order. */
const TOGETHER = 5_000;

const rowsOf = (some: readonly Affected[]): SqlValue[] => [
  ...new Set(some.map(({ rowId }) => rowId)),
];

const isAmong = (names: ReadonlySet<string>, body: Affected['after']): boolean =>
  Object.keys(body ?? {}).some((name) => names.has(name));

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
  const { type, table, searched, suggested, single } = resource;
  const text = sortedText(resource);
  const own = [...textFields(resource), ...namingFields(resource), ...(text ? [text] : [])];
  const holders = searched && holdersOf(resource);
  const marking = new Set([...(holders?.users ?? []), ...(holders?.orgs ?? [])]);
  const untold = searched && resource.views?.untold;
  const fields = new Set([
    ...own.map(({ name }) => name),
    ...(searched?.fields ?? []),
    ...marking,
    ...(untold ? [untold] : []),
  ]);
  if (fields.size === 0 || single !== null) return null;
  const kept = searched?.name ?? OBJECTS;
  const audiences = searched && createAudiences(resource, searched, resources);
  const keep = audiences?.keep ?? keepParts(resource);
  const movable = searched ? movableFields(resource, searched) : new Map<string, Field>();
  const indexed = { name: kept, isMarked: searched !== null };
  const ofType = searched ? raw('1 = 1') : sql`type = ${type}`;

  const rows = sql`from ${raw(kept)} where ${ofType}`;
  const names = sql`from ${raw(NAMES)} where type = ${type}`;
  function* dropWords(condition: Sql, { dialect }: KeptContext): Work<void> {
    const words = dialect.words.drop(indexed, sql`${rows} and ${condition}`);
    if (words) yield* ask(words);
  }
  function* drop(ids: readonly SqlValue[], context: KeptContext, isIndexed: boolean): Work<void> {
    const { dialect } = context;
    if (isIndexed) yield* dropWords(sql`id ${amongRows(ids, dialect)}`, context);
    yield* tell(dialect.changeRows(sql`delete ${rows} and id`, ids));
    if (suggested) yield* tell(dialect.changeRows(sql`delete ${names} and id`, ids));
  }
  function* renew(ids: readonly SqlValue[], context: KeptContext, isIndexed = true): Work<void> {
    if (ids.length === 0) return;
    yield* drop(ids, context, isIndexed);
    yield* keep(ids, context, isIndexed);
  }
  /** The fields that a change has changed, of those that searches need; null for an object that is new or gone. */
  const changedFields = ({ before, after }: Affected): Set<string> | null =>
    before && after
      ? new Set([...fields].filter((name) => !isDeepStrictEqual(before[name], after[name])))
      : null;

  /** The next objects by their row IDs; and what is kept of those between that are there no longer. */
  function* renewNext(
    position: number,
    context: KeptContext,
    isIndexed = true,
  ): Work<number | null> {
    const next = yield* ask(
      sql`select o.id from ${raw(table)} o where o.id > ${position}
        order by o.id limit ${raw(String(CHUNK))}${context.dialect.forUpdate('o')}`,
    );
    const ids = next.map(([id = null]) => id);
    const last = next.length < CHUNK ? null : Number(ids.at(-1));
    const isBetween = (id: Sql): Sql =>
      sql`${id} > ${position}${last === null ? raw('') : sql` and ${id} <= ${last}`}`;
    const gone = sql`${isBetween(raw('id'))} and id not in (select o.id from ${raw(table)} o where ${isBetween(raw('o.id'))})`;
    if (isIndexed) yield* dropWords(gone, context);
    yield* ask(sql`delete ${rows} and ${gone}`);
    if (suggested) yield* ask(sql`delete ${names} and ${gone}`);
    yield* renew(ids, context, isIndexed);
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
        : {
            table: OBJECTS,
            key: 'document_id',
            columns: ['type', 'id', 'part', 'sort_key', 'words'],
          },
      ...(suggested ? [keptNames] : []),
    ],
    renew: (ids, context) => renew(ids, context),

    followsAtOnce: true,

    *follow(affected, context) {
      const isAlone = isMoved(movable);
      const changes = new Map<string, { fields: Set<string>; objects: Affected[] }>();
      const [moved, anew]: [Affected[], Affected[]] = [[], []];
      for (const one of affected) {
        const changed = changedFields(one);
        if (isAlone(one)) moved.push(one);
        else if (!changed || !audiences?.staysInPlace(changed)) anew.push(one);
        else {
          const key = [...changed].join();
          const alike = changes.get(key) ?? { fields: changed, objects: [] };
          alike.objects.push(one);
          changes.set(key, alike);
        }
      }
      const { setSize } = context.dialect;
      if (searched && moved.length > 0) {
        const names = new Set(moved.flatMap(({ after }) => Object.keys(after ?? {})));
        const references = [...movable.values()].filter(({ name }) => names.has(name));
        for (const some of sets(rowsOf(moved), setSize))
          yield* moveReferences(resource, searched, references, some, context);
        const marked = moved.filter(({ after }) => isAmong(marking, after));
        for (const some of sets(rowsOf(marked), setSize))
          yield* audiences?.mark(some, context) ?? [];
      }
      for (const { fields: changed, objects } of changes.values())
        for (const some of sets(objects, setSize))
          if (audiences) yield* audiences.change(some, changed, context);
      const known = rowsOf(anew.filter(({ before }) => before !== null));
      for (const some of sets(known, setSize)) yield* drop(some, context, true);
      const there = anew.filter(({ after }) => after !== null);
      for (const some of sets(there, audiences ? TOGETHER : setSize))
        yield* audiences ? audiences.keepAfter(some, context) : keep(rowsOf(some), context, true);
    },

    *rebuild(context) {
      const index = context.dialect.words.rebuild;
      for (let position: number | null = 0; position !== null;)
        position = yield* renewNext(position, context, !index);
      if (index) yield* ask(index(kept));
      yield* startMerge(kept, context);
      while ((yield* mergeNext(kept, context)) !== null);
      yield* divideJobs(types);
      yield* ask(sql`delete from oms_search_jobs where type = ${type}`);
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
