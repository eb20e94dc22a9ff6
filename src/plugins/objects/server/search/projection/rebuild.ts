/** Makes what searches need anew: of all objects at once, or in parts beside the service. */
import { takeStatistics } from '../../database/planner-statistics';
import { raw, sql, type Sql } from '../../database/sql';
import { ask, askOne, type Work } from '../../database/work';
import type { Kept, KeptContext } from '../../declare/behavior';
import { dueForAll } from '../../declare/due';
import type { Projection } from './projection';
import type { ProjectedRows } from './rows';
import { complete } from './versions/in-place';

/** Objects that are done in one transaction. */
const CHUNK = 500;

/** In place of the position of a job: all objects are done, and the index of words is being merged. */
const MERGING = -1;

/** The name of what is kept for searches. */
export const SEARCH = 'search';

/** In place of a type: the jobs of all. */
export const ALL_TYPES = '*';

/** Fills a table, part by part. */
export interface Filling {
  /**
   * Makes the rows of the next objects; after the last ones, the index of words is merged.
   *
   * @param position of the last object that is done
   * @param most objects of a part
   * @returns the position of the next part, null when all is done
   */
  readonly next: (position: number, context: KeptContext, most?: number) => Work<number | null>;
  /** Makes all of it anew. */
  readonly all: (context: KeptContext) => Work<void>;
}

export function filling(
  { table, kept, keptIn }: Projection,
  { renew, dropGone }: ProjectedRows,
): Filling {
  /** The next objects by their row IDs; and what is kept of those between that are there no longer. */
  function* renewNext(
    position: number,
    context: KeptContext,
    { isIndexed = true, most = CHUNK } = {},
  ): Work<number | null> {
    const next = yield* ask(
      sql`select o.id from ${raw(table)} o where o.id > ${position}
        order by o.id limit ${raw(String(most))}${context.dialect.forUpdate('o')}`,
    );
    const ids = next.map(([id = null]) => id);
    const last = next.length < most ? null : Number(ids.at(-1));
    const isBetween = (id: Sql): Sql =>
      sql`${id} > ${position}${last === null ? raw('') : sql` and ${id} <= ${last}`}`;
    const gone = sql`${isBetween(raw('id'))} and id not in (select o.id from ${raw(table)} o where ${isBetween(raw('o.id'))})`;
    yield* dropGone(gone, context, isIndexed);
    yield* renew(ids, context, isIndexed);
    return last;
  }

  return {
    *next(position, context, most = CHUNK) {
      if (position === MERGING) return yield* mergeNext(kept, context);
      const next = yield* renewNext(position, context, { most });
      if (next !== null || !context.dialect.words.merge) return next;
      yield* startMerge(kept, context);
      return MERGING;
    },

    *all(context) {
      const index = context.dialect.words.rebuild;
      const isIndexed = !index;
      let position = yield* renewNext(0, context, { isIndexed });
      // Of a type that the statistics do not know PostgreSQL would read all rows for each part: it expects none.
      for (const one of keptIn) yield* takeStatistics(one.table, context.dialect);
      while (position !== null) position = yield* renewNext(position, context, { isIndexed });
      if (index) yield* ask(index(kept));
      yield* startMerge(kept, context);
      while ((yield* mergeNext(kept, context)) !== null);
    },
  };
}

/** @param types those that searches keep something of, as soon as all are known */
export function rebuilding(
  { type }: Projection,
  { next: nextPart, all }: Filling,
  types: readonly string[],
): Required<Pick<Kept, 'rebuild' | 'later'>> {
  return {
    *rebuild(context) {
      yield* all(context);
      yield* divideJobs(types);
      yield* end(type);
    },

    *later(context) {
      yield* divideJobs(types);
      const job = yield* askOne(
        sql`select position from oms_search_jobs q
          where type = ${type} and due_at <= ${context.now}${context.dialect.forUpdate('q')}`,
      );
      if (!job) return false;
      const next = yield* nextPart(Number(job[0]), context);
      if (next === null) yield* end(type);
      else yield* ask(sql`update oms_search_jobs set position = ${next} where type = ${type}`);
      return next !== null;
    },
  };
}

function* end(type: string): Work<void> {
  yield* ask(sql`delete from oms_search_jobs where type = ${type}`);
  yield* complete({ type, name: SEARCH });
}

/** Leaves the job that makes the words of a type anew. */
export function* queueWords(type: string, context: KeptContext): Work<void> {
  yield* ask(
    sql`insert into oms_search_jobs (type, position, due_at) values (${type}, 0, ${dueForAll(context)})
      on conflict (type) do update set position = 0, due_at = excluded.due_at`,
  );
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
