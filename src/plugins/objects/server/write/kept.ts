/** Updates what is kept of objects, in the transaction of their changes; and computes it anew. */
import { isDeepStrictEqual } from 'node:util';
import { takeStatistics } from '../database/planner-statistics';
import { raw, sql, type Sql } from '../database/sql';
import { ask, askOne, type Work } from '../database/work';
import type { Affected, Kept, KeptColumns, KeptContext } from '../declare/behavior';
import type { Model, TypeModel } from '../read/model';
import type { Body } from '../declare/objects';
import type { WriteContext } from './context';
import { ReferenceCache } from '../declare/reference-cache';

type Known = Pick<WriteContext, 'model' | 'site' | 'now' | 'references' | 'isBesideOthers'> & {
  readonly caller: WriteContext['caller'] | null;
};

const keptContext = ({
  model,
  caller,
  site,
  now,
  references,
  isBesideOthers,
}: Known): KeptContext => {
  const context: KeptContext = {
    dialect: model.database.dialect,
    isShared: model.database.isShared,
    names: model.names,
    caller,
    site,
    now,
    references,
    isRetried: isBesideOthers === true,
    *renewSearch(type, ids) {
      for (const { renew } of model.resources.get(type)?.kept ?? [])
        if (renew) yield* renew(ids, context);
    },
  };
  return context;
};

/** The context of work that is no change of anybody's. */
export const ownContext = (model: Model): KeptContext =>
  keptContext({
    model,
    caller: null,
    site: model.site(),
    now: model.clock(),
    references: new ReferenceCache(),
  });

/** Whether a change is one of what a value depends on. A field that neither state has is not changed. */
const concerns =
  ({ fields }: Kept) =>
  ({ before, after }: Affected): boolean =>
    before === null ||
    after === null ||
    fields.some((name) => !isDeepStrictEqual(before[name], after[name]));

/** What `updateKept` will ask for of new objects of a type is looked up by these works. */
export const lookAheadKept = (
  context: WriteContext,
  { kept }: TypeModel,
  objects: readonly Body[],
): Work<void>[] => kept.flatMap((value) => value.lookAhead?.(objects, keptContext(context)) ?? []);

/** After changes of objects of a type. A ripple gives only the field that it changes. */
export function* updateKept(
  context: WriteContext,
  known: TypeModel,
  changes: readonly Affected[],
): Work<void> {
  if (!context.followed) return yield* followAll(context, known.kept, changes);
  const atOnce = known.kept.filter(({ neededByChecks }) => neededByChecks);
  if (atOnce.length > 0) yield* followAll(context, atOnce, changes);
  if (known.kept.length === atOnce.length) return;
  const { type } = known.resource;
  const followed = context.followed.get(type) ?? [];
  context.followed.set(type, followed);
  followed.push(...changes);
}

/** At the end of a bulk: updates what its changes have left to be done. */
export function* updateFollowed(context: WriteContext): Work<void> {
  for (const [type, changes] of context.followed ?? [])
    yield* followAll(context, deferred(context.model.type(type)), inAll(changes));
  context.followed?.clear();
}

const deferred = ({ kept }: TypeModel): readonly Kept[] =>
  kept.filter(({ neededByChecks }) => !neededByChecks);

/** The changes of each object as one; what has been made and deleted has not changed. */
function inAll(changes: readonly Affected[]): readonly Affected[] {
  const byId = new Map<string, Affected>();
  for (const change of changes) {
    const earlier = byId.get(change.id);
    byId.set(change.id, earlier ? together(earlier, change) : change);
  }
  return [...byId.values()].filter(({ before, after }) => before !== null || after !== null);
}

/** A ripple tells of one field alone: what else an earlier change has told stays, and was before what it is now. */
const together = (earlier: Affected, later: Affected): Affected => ({
  ...later,
  before: earlier.before && { ...later.before, ...earlier.before },
  after: later.after && { ...earlier.after, ...later.after },
});

function* followAll(
  context: WriteContext,
  kept: readonly Kept[],
  changes: readonly Affected[],
): Work<void> {
  for (const value of kept) {
    const affected = changes.filter(concerns(value));
    const size = value.followsAtOnce ? affected.length : context.model.database.dialect.setSize;
    for (let at = 0; at < affected.length; at += size)
      yield* value.follow(affected.slice(at, at + size), keptContext(context));
  }
}

/** Computes a kept value of all objects. @returns by table how many rows have changed, come or gone */
export function* rebuildKept(model: Model, value: Kept): Work<ReadonlyMap<string, number>> {
  for (const kept of value.keptIn) yield* ask(copyOf(kept));
  yield* value.rebuild(ownContext(model));
  const changed = new Map<string, number>();
  for (const kept of value.keptIn) {
    // The next value may be computed from this one: by what the table was, PostgreSQL would read it as a whole each time.
    yield* takeStatistics(kept.table, model.database.dialect);
    const row = yield* askOne(differenceOf(kept));
    changed.set(kept.table, Number(row?.[0]));
    yield* ask(sql`drop table ${copyName(kept)}`);
  }
  return changed;
}

/** A temporary table with what is kept before a rebuild. */
const copyName = ({ table }: KeptColumns): Sql => raw(`${table}_before`);

const columnsOf = ({ key, columns }: KeptColumns): Sql => raw([key, ...columns].join(', '));

const copyOf = (kept: KeptColumns): Sql =>
  sql`create temporary table ${copyName(kept)} as
    select ${columnsOf(kept)} from ${raw(kept.table)}`;

function differenceOf(kept: KeptColumns): Sql {
  const { table, key } = kept;
  const [before, now] = [copyName(kept), raw(table)];
  const [all, only] = [columnsOf(kept), raw(key)];
  return sql`select
    (select count(*) from (select ${all} from ${now} except select ${all} from ${before}) come) +
    (select count(*) from (select ${only} from ${before} except select ${only} from ${now}) gone)`;
}

/** Does a part of what is left to be done for a kept value. @param most objects of a part @returns whether there is more */
export const workOff = (
  model: Model,
  later: NonNullable<Kept['later']>,
  most: number,
): Work<boolean> => later(ownContext(model), most);
