/**
 * The figures of individuals: the number of encounters, the first and the last time. There are two sets: of all
 * encounters, and of the approved ones as strangers see them, whose times are those of `oms_generalized` where they
 * have a row there. Stored with the individual, in the transaction of each change of an encounter.
 *
 * Rows are locked before anything is counted: of two concurrent changes, the second one counts the result of the first.
 */
import { amongRows } from '../../plugins/objects/server/database/row-ids';
import { join, raw, sql, type Sql, type SqlValue } from '../../plugins/objects/server/database/sql';
import { ask, type Row, type Work } from '../../plugins/objects/server/database/work';
import type { Affected, Kept, KeptContext } from '../../plugins/objects/server/define/behavior';
import type { Body } from '../../plugins/objects/server/types';
import { columnsOf, FIGURE_COLUMNS, FIGURES, type End, type Figure } from './figure-columns';

type Context = Pick<KeptContext, 'dialect'>;

/** The effect of changes on one individual. */
interface Effect {
  /** The number of encounters that it has gained. */
  all: number;
  approved: number;
  /** Whether encounters were only added: none was removed or changed. */
  isOnlyMore: boolean;
  /** Whether the encounters have to be counted, because the changes do not contain their number. */
  isUnknown: boolean;
}

/** Individuals that are computed at once. */
const CHUNK = 1000;

/** Added encounters that are looked at one by one; with more of them, the ends of indexes are found sooner. */
const FEW = 1000;

function* follow(affected: readonly Affected[], { dialect }: KeptContext): Work<void> {
  const effects = new Map<string, Effect>();
  for (const { before, after } of yield* withIndividuals(affected, { dialect })) {
    const [from, to] = [individualOf(before), individualOf(after)];
    count(effects, from, before, -1, false);
    count(effects, to, after, 1, from !== to);
  }
  if (effects.size === 0) return;
  const listed = dialect.jsonItems(sql`${JSON.stringify([...effects.keys()])}`);
  const rows = yield* ask(
    sql`select i.id, i.document_id from individuals i
     where i.document_id ${dialect.among(sql`select j.value from ${listed}`)} order by i.id${dialect.forNoKeyUpdate}`,
  );
  const effectOn = (row: Row): Effect | undefined => effects.get(String(row[1]));
  const some = (is: (effect: Effect) => boolean): readonly SqlValue[] =>
    rows.filter((row) => is(effectOn(row) ?? NONE)).map(([id = null]) => id);
  const encounters = affected.map(({ rowId }) => rowId);
  yield* add(
    rows.map((row) => [row[0] ?? null, effectOn(row) ?? NONE]),
    { dialect },
  );
  yield* recount(
    some(({ isUnknown }) => isUnknown),
    { dialect },
  );
  const isWidened = ({ isOnlyMore }: Effect): boolean => isOnlyMore && encounters.length <= FEW;
  yield* widen(some(isWidened), encounters, { dialect });
  yield* renewTimes(
    some((effect) => !isWidened(effect)),
    { dialect },
  );
}

const NONE: Effect = { all: 0, approved: 0, isOnlyMore: true, isUnknown: false };

const individualOf = (encounter: Body | null): string | null =>
  (encounter?.['individual'] ?? null) as string | null;

function count(
  effects: Map<string, Effect>,
  individual: string | null,
  encounter: Body | null,
  by: 1 | -1,
  isMore: boolean,
): void {
  if (individual === null || encounter === null) return;
  const { all, approved, isOnlyMore, isUnknown } = effects.get(individual) ?? NONE;
  effects.set(individual, {
    all: all + by,
    approved: approved + (encounter['state'] === 'approved' ? by : 0),
    isOnlyMore: isOnlyMore && isMore,
    isUnknown: isUnknown || !('state' in encounter),
  });
}

/** Changes that do not contain the individual: a change of many encounters contains only the field that it changes. */
function* withIndividuals(
  affected: readonly Affected[],
  { dialect }: Context,
): Work<readonly Affected[]> {
  const isTold = ({ before, after }: Affected): boolean =>
    [before, after].every((state) => state === null || 'individual' in state);
  const untold = affected.filter((one) => !isTold(one));
  if (untold.length === 0) return affected;
  const rows = yield* ask(
    sql`select e.id, i.document_id from encounters e join individuals i on i.id = e.individual_id
     where e.id ${amongRows(
       untold.map(({ rowId }) => rowId),
       dialect,
     )}`,
  );
  const known = new Map(rows.map(([id, individual]) => [Number(id), individual ?? null]));
  return affected.map((one) => {
    if (isTold(one)) return one;
    const individual = known.get(Number(one.rowId)) ?? null;
    return { ...one, before: { individual }, after: { individual } };
  });
}

function* add(
  effects: readonly (readonly [rowId: SqlValue, effect: Effect])[],
  { dialect }: Context,
): Work<void> {
  const changed = effects
    .filter(([, { all, approved, isUnknown }]) => !isUnknown && (all !== 0 || approved !== 0))
    .map(([id, { all, approved }]) => [Number(id), all, approved]);
  if (changed.length === 0) return;
  const rows = dialect.jsonRows(sql`${JSON.stringify(changed)}`, [
    { name: 'id', type: 'integer' },
    { name: 'more', type: 'integer' },
    { name: 'approved', type: 'integer' },
  ]);
  yield* ask(
    sql`update individuals as o set encounter_count = o.encounter_count + r.more,
     public_encounter_count = o.public_encounter_count + r.approved from ${rows} where o.id = r.id`,
  );
}

/** In a form for which there is no index: that of all states would be a detour. */
const APPROVED = raw(`(e.state = 'approved') is true`);

function* recount(ids: readonly SqlValue[], context: Context): Work<void> {
  if (ids.length === 0) return;
  const counted = sql`select count(*) from encounters e where e.individual_id = o.id`;
  yield* ask(
    sql`update individuals as o set encounter_count = (${counted}),
     public_encounter_count = (${counted} and ${APPROVED}) where o.id ${amongRows(ids, context.dialect)}`,
  );
}

/** A time is its text with the span that it covers: the order is by start, then end. */
const order = (end: End, alias: string): Sql =>
  raw(
    ['time_start', 'time_end', 'time']
      .map((column) => `${alias}.${column}${end === 'last' ? ' desc' : ''}`)
      .join(', '),
  );

/** Sets all times of individuals, whose alias is `o`, each from the best of a table of times. */
function* setTimes(
  ids: readonly SqlValue[],
  timesOf: (figure: Figure) => Sql,
  context: Context,
): Work<void> {
  if (ids.length === 0) return;
  const sets = FIGURES.map((figure) => {
    const { end, name } = figure;
    return sql`(${join(columnsOf(name).map(raw))}) = (
      select c.time, c.time_start, c.time_end from (${timesOf(figure)}) c
      where c.time_start is not null order by ${order(end, 'c')} limit 1)`;
  });
  yield* ask(
    sql`update individuals as o set ${join(sets)} where o.id ${amongRows(ids, context.dialect)}`,
  );
}

/**
 * The times of individuals that have only got more encounters: as they are, or of one of these. The encounters are
 * selected by themselves: joined to individuals, PostgreSQL would read all that these have.
 */
function* widen(
  ids: readonly SqlValue[],
  encounters: readonly SqlValue[],
  context: Context,
): Work<void> {
  if (ids.length === 0) return;
  const told = ['time', 'time_start', 'time_end'].map((column) =>
    raw(`case when e.state <> 'approved' then null
      when g.encounter is null then e.${column} else g.${column} end`),
  );
  const rows = yield* ask(
    sql`select e.individual_id, e.time, e.time_start, e.time_end, ${join(told)}
     from encounters e left join oms_generalized g on g.encounter = e.id
     where e.id ${amongRows(encounters, context.dialect)} and e.time_start is not null`,
  );
  yield* setTimes(
    ids,
    ({ name, isPublic }) => {
      const [time = '', start = '', end = ''] = columnsOf(name);
      const from = isPublic ? 4 : 1;
      const times = rows.map((row) => [
        Number(row[0]),
        row[from] ?? null,
        numberOf(row[from + 1]),
        numberOf(row[from + 2]),
      ]);
      const added = context.dialect.jsonRows(sql`${JSON.stringify(times)}`, [
        { name: 'individual', type: 'integer' },
        { name: 'time', type: 'text' },
        { name: 'time_start', type: 'bigint' },
        { name: 'time_end', type: 'bigint' },
      ]);
      return sql`select ${raw(`o.${time} as time, o.${start} as time_start, o.${end} as time_end`)}
        union all select r.time, r.time_start, r.time_end from ${added} where r.individual = o.id`;
    },
    context,
  );
}

/** PostgreSQL gives whole numbers of this size as texts. */
const numberOf = (value: SqlValue | undefined): number | null =>
  value === null || value === undefined ? null : Number(value);

/** The times of individuals from all of their encounters, by the ends of indexes. */
const renewTimes = (ids: readonly SqlValue[], context: Context): Work<void> =>
  setTimes(
    ids,
    ({ end, isPublic }) => (isPublic ? toldTimes(end, context) : allTimes(end)),
    context,
  );

const allTimes = (end: End): Sql =>
  sql`select e.time, e.time_start, e.time_end from encounters e
    where e.individual_id = o.id and e.time_start is not null order by ${order(end, 'e')} limit 1`;

/**
 * The time that strangers see: the best of the generalized times, and the best of the others that is not beyond it, so
 * that the generalized encounters need not be skipped one by one. A generalized time depends on its span only.
 */
function toldTimes(end: End, { dialect }: Context): Sql {
  const isFirst = end === 'first';
  const generalized = sql`from oms_generalized g where g.individual = o.id
    and g.approved = ${dialect.boolean(true)} and g.time_start is not null`;
  const best = sql`select ${raw(isFirst ? 'min' : 'max')}(g.time_start) ${generalized}`;
  const bound = isFirst
    ? sql`e.time_start <= coalesce((${best}), ${MAX_TIME})`
    : sql`e.time_start >= coalesce((${best}), ${-MAX_TIME})`;
  const direction = raw(isFirst ? '' : ' desc');
  return sql`select a.* from (select g.time, g.time_start, g.time_end ${generalized}
      order by g.time_start${direction}, g.time_end${direction} limit 1) a
    union all select b.* from (select e.time, e.time_start, e.time_end from encounters e
      where e.individual_id = o.id and ${APPROVED} and ${bound}
      and (select g.encounter from oms_generalized g where g.encounter = e.id) is null
      order by ${order(end, 'e')} limit 1) b`;
}

/** Milliseconds since 1970: beyond every time that can be given. */
const MAX_TIME = 8_640_000_000_000_000;

/** Computes the figures of these individuals from what is stored. @param ids of their rows, at most a thousand */
export function* renewFigures(ids: readonly SqlValue[], context: Context): Work<void> {
  const { dialect } = context;
  yield* ask(
    sql`select i.id from individuals i where i.id ${amongRows(ids, context.dialect)} order by i.id${dialect.forNoKeyUpdate}`,
  );
  yield* recount(ids, context);
  yield* renewTimes(ids, context);
}

function* rebuild(context: KeptContext): Work<void> {
  let last: SqlValue = 0;
  for (;;) {
    const rows: readonly Row[] = yield* ask(
      sql`select i.id from individuals i where i.id > ${last} order by i.id limit ${raw(String(CHUNK))}`,
    );
    const ids = rows.map(([id = null]) => id);
    if (ids.length > 0) yield* renewFigures(ids, context);
    if (ids.length < CHUNK) return;
    last = ids.at(-1) ?? null;
  }
}

export const figures: Kept = {
  name: 'figures',
  of: 'encounter',
  fields: ['individual', 'state', 'time', 'taxonomy', 'location_privacy'],
  keptIn: [FIGURE_COLUMNS],
  follow,
  followsAtOnce: true,
  rebuild,
};
