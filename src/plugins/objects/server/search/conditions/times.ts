/**
 * Times in searches: as they were written down at their places. A bound that has an offset is an instant, which is compared
 * with the instants of records that have one; what has none is compared as it is written (contract, section 5).
 */
import { MAX_UTC_OFFSET, type WrittenSpan } from '../../../../../core/time';
import type { Dialect } from '../../database/database';
import { ALWAYS, join, NEVER, raw, sql, type Sql } from '../../database/sql';
import type { ClosedSpan, OpenSpan } from '../language/tree';
import { eitherOf } from './partitions';
import type { Source, Term } from './source';

/** The columns of a time: its text, and the beginning and end of its span at its place. */
export interface TimeColumns {
  readonly text: Sql;
  readonly start: Sql;
  readonly end: Sql;
}

export const timeColumns = ({
  columns: [text = NEVER, start = NEVER, end = NEVER],
}: Term): TimeColumns => ({ text, start, end });

/** A time from its beginning on, with an end or without. */
export type SpanCondition = OpenSpan | ClosedSpan;

/** The instant and what its place calls it are at most so far from each other, in milliseconds. */
const MARGIN = MAX_UTC_OFFSET * 60_000;

/** Milliseconds: what lasts longer than each of these has an index of its own (`database/migrations`). */
const DAY = 86_400_000;
const LONG = 31 * DAY;

type Side = 'start' | 'end';

const lastsLonger = (start: Sql, end: Sql, than: number): Sql =>
  sql`${end} - ${start} > ${raw(String(than))}`;

/** What ends after a time begins not long before it, or is long. */
const beginsBefore = (start: Sql, end: Sql, value: number): Sql =>
  sql`(${start} >= ${value - LONG} or ${lastsLonger(start, end, LONG)})`;

/**
 * What overlaps a span: ranges, each of which one index has, of what is short, of what lasts longer than a day, and than that.
 *
 * @param either the disjunction of such ranges
 */
export const within = (
  either: (conditions: readonly Sql[]) => Sql,
  start: Sql,
  end: Sql,
  from: number,
  to: number,
): Sql => {
  // The same twice in other words: PostgreSQL would take what all ranges have in common for an index of them.
  const overlaps = sql`${start} < ${to + 1} and ${end} > ${from - 1}`;
  return either([
    sql`(${start} >= ${from - DAY} and ${start} <= ${to} and ${end} >= ${from})`,
    sql`(${lastsLonger(start, end, DAY)} and ${start} >= ${from - LONG} and ${overlaps})`,
    sql`(${lastsLonger(start, end, LONG)} and ${overlaps})`,
  ]);
};

/** By how much an index is searched beyond a bound. */
const leastOf = (bound: WrittenSpan): number =>
  bound.offsets.start ? bound.start - MARGIN : bound.local.start;
const mostOf = (bound: WrittenSpan): number =>
  bound.offsets.end ? bound.end + MARGIN : bound.local.end;

/**
 * Compares the beginning or end of records with that of a bound, what both have an offset of by the instant. Texts are read
 * near the bound alone: farther from it than an offset can be, the columns decide.
 */
function exactly(
  { text, ...columns }: TimeColumns,
  side: Side,
  operator: '>=' | '<=',
  bound: WrittenSpan,
  dialect: Dialect,
): Sql {
  const of: Side = operator === '>=' ? 'start' : 'end';
  const compare = raw(operator);
  const asWritten = sql`${columns[side]} ${compare} ${bound.local[of]}`;
  if (!bound.offsets[of]) return asWritten;
  const part = dialect.partOfTime(text, side);
  const sure = operator === '>=' ? bound[of] + MARGIN : bound[of] - MARGIN;
  return sql`(${columns[side]} ${compare} ${sure}
    or case when ${hasOffset(part)} then ${dialect.instantOfText(part)} ${compare} ${bound[of]}
      else ${asWritten} end)`;
}

const hasOffset = (part: Sql): Sql =>
  sql`(${part} like '%T%Z' or ${part} like '%T%+__:__' or ${part} like '%T%-__:__')`;

/** What overlaps all that comes after the beginning of a bound, or before its end. */
export function beyond(
  columns: TimeColumns,
  side: 'min' | 'max',
  bound: WrittenSpan,
  dialect: Dialect,
): Sql {
  const { start, end } = columns;
  if (side === 'max') {
    const near = bound.offsets.end ? sql`${start} <= ${mostOf(bound)}` : ALWAYS;
    return both(near, exactly(columns, 'start', '<=', bound, dialect));
  }
  const from = leastOf(bound);
  const near = bound.offsets.start ? sql`${end} >= ${from}` : ALWAYS;
  return both(near, exactly(columns, 'end', '>=', bound, dialect), beginsBefore(start, end, from));
}

/**
 * What overlaps all that comes after the beginning of a bound, and before the end of another one where there is one: ranges
 * without a row in common, each of which one index has. What is short begins not long before the bound; what begins earlier
 * lasts longer, which is in indexes of its own.
 *
 * @param beside what else is met, by an index that has the beginning beside it
 */
export function rangesSince(
  { dialect }: Source,
  columns: TimeColumns,
  time: SpanCondition,
  beside: Sql,
): readonly Sql[] {
  const { start, end } = columns;
  const [bound, to] = time.by === 'span' ? [time.from, time.to] : [time.bound, null];
  const from = leastOf(bound);
  const later = both(
    sql`${end} >= ${from}`,
    exactly(columns, 'end', '>=', bound, dialect),
    to ? exactly(columns, 'start', '<=', to, dialect) : ALWAYS,
  );
  const most = to ? sql`${start} <= ${mostOf(to)}` : ALWAYS;
  const lookedAt = beside === ALWAYS ? ALWAYS : sql`(${beside}) is true`;
  const since = sql`${start} >= ${from - DAY}`;
  const sure = surelyBetween(start, bound, to);
  const short = sure
    ? [both(sure.inside), ...sure.around.map((one) => both(since, one, most, later))]
    : [both(since, most, later)];
  return [
    ...short.map((one) => both(beside, one)),
    both(
      lastsLonger(start, end, DAY),
      sql`${start} >= ${from - LONG} and ${start} < ${from - DAY}`,
      later,
      lookedAt,
    ),
    both(lastsLonger(start, end, LONG), sql`${start} < ${from - LONG}`, later, lookedAt),
  ];
}

/**
 * The beginnings between two bounds whatever offset they have, and those around them: the former are counted by an index alone,
 * which has no texts.
 *
 * @returns null where no text is read, or a text decides for all of them
 */
function surelyBetween(
  start: Sql,
  bound: WrittenSpan,
  to: WrittenSpan | null,
): { readonly inside: Sql; readonly around: readonly Sql[] } | null {
  if (!bound.offsets.start && !to?.offsets.end) return null;
  const least = bound.offsets.start ? bound.start + MARGIN : bound.local.start;
  const before = sql`${start} < ${least}`;
  if (!to) return { inside: sql`${start} >= ${least}`, around: [before] };
  const most = to.offsets.end ? to.end - MARGIN : to.local.end;
  if (most < least) return null;
  const inside = sql`${start} >= ${least} and ${start} <= ${most}`;
  return { inside, around: [before, sql`${start} > ${most}`] };
}

/** The same ranges of a span, and perhaps some more: what is decided by the text of a time is not looked at. */
export function rangesAround(columns: TimeColumns, { from, to }: ClosedSpan): readonly Sql[] {
  const { start, end } = columns;
  const [least, most] = [leastOf(from), mostOf(to)];
  const ends = sql`${end} >= ${least}`;
  return [
    sql`(${start} >= ${least - DAY} and ${start} <= ${most})`,
    sql`(${lastsLonger(start, end, DAY)} and ${start} >= ${least - LONG} and ${start} < ${least - DAY} and ${ends})`,
    sql`(${lastsLonger(start, end, LONG)} and ${start} < ${least - LONG} and ${ends})`,
  ];
}

/** What overlaps a span from the beginning of a bound to the end of another one. */
export function overlapping(
  source: Source,
  columns: TimeColumns,
  from: WrittenSpan,
  to: WrittenSpan,
): Sql {
  const { dialect } = source;
  const either = (all: readonly Sql[]): Sql => eitherOf(source, all);
  const near = within(either, columns.start, columns.end, leastOf(from), mostOf(to));
  return both(
    near,
    from.offsets.start ? exactly(columns, 'end', '>=', from, dialect) : ALWAYS,
    to.offsets.end ? exactly(columns, 'start', '<=', to, dialect) : ALWAYS,
  );
}

/** What lies within a time: a day has what was seen in one of its hours, and not what was seen in its year. */
export function inside(columns: TimeColumns, span: WrittenSpan, dialect: Dialect): Sql {
  const { start, end } = columns;
  return both(
    sql`${start} >= ${leastOf(span)} and ${start} <= ${mostOf(span)} and ${end} <= ${mostOf(span)}`,
    span.offsets.start ? exactly(columns, 'start', '>=', span, dialect) : ALWAYS,
    span.offsets.end ? exactly(columns, 'end', '<=', span, dialect) : ALWAYS,
  );
}

const both = (...conditions: readonly Sql[]): Sql => {
  const needed = conditions.filter((one) => one !== ALWAYS);
  return sql`(${join(needed, ' and ')})`;
};
