/**
 * What changes of taxa, individuals and of the site leave to be done: encounters that have to be generalized anew, in the
 * background. Until that is done, lists and searches leave out what is kept looser than it should be (`declare/views.ts`,
 * `KeptTable`).
 */
import { rowIds } from '../../plugins/objects/server/database/row-ids';
import {
  ALWAYS,
  NEVER,
  raw,
  sql,
  type Sql,
  type SqlValue,
} from '../../plugins/objects/server/database/sql';
import { ask, askOne, type Work } from '../../plugins/objects/server/database/work';
import type { KeptContext } from '../../plugins/objects/server/declare/behavior';
import { dueForAll } from '../../plugins/objects/server/declare/due';

/** Whose encounters a job is about, as a condition on the encounter `e` by the ID of a row. */
const CONCERNED = {
  all: () => ALWAYS,
  taxonomy: (id) => sql`e.taxonomy_id = ${id}`,
  protected_as: (id) => sql`e.protected_as_id = ${id}`,
  individual: (id) => sql`e.individual_id = ${id}`,
  /** Encounters of which it is not known at all what they are. */
  untaxed: () => raw('e.taxonomy_id is null and e.protected_as_id is null'),
} as const satisfies Record<string, (id: number) => Sql>;

type JobKind = keyof typeof CONCERNED;

const onceMore = raw(
  'on conflict (kind, target) do update set position = 0, due_at = excluded.due_at',
);

const add = (kind: JobKind, due: number, target: SqlValue = 0): Sql =>
  sql`insert into oms_privacy_jobs (kind, target, position, due_at)
    values (${kind}, ${target}, 0, ${due}) ${onceMore}`;

/** Individuals `i` that strangers are not told yet: the job for encounters dates them anew as well. */
const UNTOLD_INDIVIDUAL = 'select 1 from individuals i where i.untold_since is not null';

/**
 * Adds the jobs for these taxa, as far as they have encounters, or individuals that strangers are not told yet. In the
 * transaction of their change.
 */
export function* queueTaxa(taxa: readonly SqlValue[], { dialect, now }: KeptContext): Work<void> {
  if (taxa.length === 0) return;
  for (const kind of ['taxonomy', 'protected_as'] as const)
    yield* ask(
      sql`insert into oms_privacy_jobs (kind, target, position, due_at)
        select ${raw(`'${kind}'`)}, r.id, 0, cast(${now} as bigint) from ${rowIds(taxa, dialect)}
        where exists (select 1 from encounters e where ${raw(`e.${kind}_id`)} = r.id)
          or ${kind === 'taxonomy' ? raw(`exists (${UNTOLD_INDIVIDUAL} and i.taxonomy_id = r.id)`) : NEVER} ${onceMore}`,
    );
}

/** Adds the job for the encounters of an individual. */
export function* queueIndividual(individual: SqlValue, { now }: KeptContext): Work<void> {
  yield* ask(add('individual', now, individual));
}

/**
 * Adds the job for encounters without a taxon, when the first taxon is protected or the last one no more. Transactions
 * that did not see it yet may write encounters meanwhile: it waits for them.
 */
export function* queueUntaxed(context: KeptContext): Work<void> {
  const row = yield* askOne(
    sql`select 1 where exists (select 1 from encounters e where ${CONCERNED.untaxed()})
      or exists (${raw(UNTOLD_INDIVIDUAL)} and i.taxonomy_id is null)`,
  );
  if (row || context.isShared) yield* ask(add('untaxed', dueForAll(context)));
}

/**
 * Adds the job for all encounters. In the transaction that changes the site. Where servers share a database, those that
 * go by the old settings for a moment may write encounters meanwhile: it waits for them.
 */
export function* queueAll(context: KeptContext): Work<void> {
  yield* ask(add('all', dueForAll(context)));
}

/** A job, and how far it has come. */
export interface PrivacyJob {
  readonly kind: JobKind;
  readonly target: number;
  /** The row ID of the last encounter that is done. */
  readonly position: number;
}

/** The condition that a job is about the encounter `e`. */
export const isConcerned = ({ kind, target }: PrivacyJob): Sql => CONCERNED[kind](target);

/** The condition that a job waits: what is kept may be looser than it should be. */
export const IS_WAITING: Sql = raw('exists (select 1 from oms_privacy_jobs)');

/** The next job that is due, locked until the transaction ends: one server at a time has it. */
export function* nextJob({ dialect, now }: KeptContext): Work<PrivacyJob | null> {
  const lock = dialect.lock('privacy');
  if (lock) yield* ask(lock);
  const row = yield* askOne(
    sql`select kind, target, position from oms_privacy_jobs q where due_at <= ${now}
      order by kind, target limit 1${dialect.forUpdate('q')}`,
  );
  const kind = String(row?.[0]);
  return row && isKind(kind) ? { kind, target: Number(row[1]), position: Number(row[2]) } : null;
}

const isKind = (kind: string): kind is JobKind => Object.hasOwn(CONCERNED, kind);

/** @param position null when all of it is done */
export function* advance({ kind, target }: PrivacyJob, position: number | null): Work<void> {
  const which = sql`where kind = ${kind} and target = ${target}`;
  yield* ask(
    position === null
      ? sql`delete from oms_privacy_jobs ${which}`
      : sql`update oms_privacy_jobs set position = ${position} ${which}`,
  );
}
