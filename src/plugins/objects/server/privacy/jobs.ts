/**
 * What changes of taxa and of the site leave to be done: encounters that have to be generalized anew, by taxon, in the
 * background. Until that is done, lists and searches leave out what is kept looser than it should be
 * (`rights/views.ts`, `KeptTable`).
 */
import { rowIds } from '../database/row-ids';
import { raw, sql, type Sql, type SqlValue } from '../database/sql';
import { ask, askOne, type Work } from '../database/work';
import type { KeptContext } from '../define/behavior';

/** Stands for all encounters, with or without a taxon. */
export const ALL_TAXA = 0;

/** Milliseconds after which every server uses new site settings. */
const SPREAD = 5000;

const onceMore = raw('on conflict (taxon) do update set position = 0, due_at = excluded.due_at');

/** Adds a job for each of these taxa that has encounters. In the transaction of their change. */
export function* queueTaxa(taxa: readonly SqlValue[], { dialect, now }: KeptContext): Work<void> {
  if (taxa.length === 0) return;
  yield* ask(
    sql`insert into oms_privacy_jobs (taxon, position, due_at)
      select r.id, 0, cast(${now} as bigint) from ${rowIds(taxa, dialect)}
      where exists (select 1 from encounters e where e.taxonomy_id = r.id) ${onceMore}`,
  );
}

/**
 * Adds the job for all encounters. In the transaction that changes the site. Where servers share a database, those that
 * go by the old settings for a moment may write encounters meanwhile: it waits for them.
 */
export function* queueAll({ now, isShared }: KeptContext): Work<void> {
  yield* ask(
    sql`insert into oms_privacy_jobs (taxon, position, due_at)
      values (${raw(String(ALL_TAXA))}, 0, ${isShared ? now + SPREAD : now}) ${onceMore}`,
  );
}

/** A job, and how far it has come. */
export interface Job {
  readonly taxon: number;
  /** The row ID of the last encounter that is done. */
  readonly position: number;
}

const NEXT: Sql = sql`select taxon, position from oms_privacy_jobs`;

/** The next job that is due, locked until the transaction ends: one server at a time has it. */
export function* nextJob({ dialect, now }: KeptContext): Work<Job | null> {
  const lock = dialect.lock('privacy');
  if (lock) yield* ask(lock);
  const row = yield* askOne(
    sql`${NEXT} q where due_at <= ${now} order by taxon limit 1${dialect.forUpdate('q')}`,
  );
  return row ? { taxon: Number(row[0]), position: Number(row[1]) } : null;
}

/** @param position null when all of it is done */
export function* advance({ taxon }: Job, position: number | null): Work<void> {
  yield* ask(
    position === null
      ? sql`delete from oms_privacy_jobs where taxon = ${taxon}`
      : sql`update oms_privacy_jobs set position = ${position} where taxon = ${taxon}`,
  );
}
