/**
 * A page in the order of time out of the first rows in it, before anything is counted: most of what is common is met at
 * once, and no index says that it is common.
 */
import { ALWAYS, join, NEVER, raw, sql, type Sql } from '../../database/sql';
import type { Row } from '../../database/work';
import type { Condition, WordsCondition } from '../language/tree';
import { isInKeyOrder } from '../conditions/key-order';
import { FEW, GLANCED, GLANCED_BRIEFLY } from '../language/limits';
import type { Cut } from '../execute/page';
import type { Question } from './probe';
import { direction, keyOf, laterThan, placeIn, type Place } from '../conditions/sort-keys';
import { allOf, withoutIndex, type Source } from '../conditions/source';
import { glanceWay, type GlanceWay } from './scans';
import type { Names } from '../conditions/expansion';
import { hasWords } from '../conditions/words';

/**
 * Rows in their order, from a place on, among the first of all: fewer than `limit` say nothing of those behind.
 *
 * @param first the condition of these rows
 * @param isBrief whether there are surely no more of them than that: not those of the same time as the last one
 * @returns null where it is of no use: for another order, and for pages far behind
 */
export function glanceOf(
  { source, where, first }: GlanceWay,
  cut: Cut,
  isBrief = false,
): Sql | null {
  const { sort, after, limit, offset } = cut;
  const { table } = source;
  const [only] = sort;
  if (!only || !isInKeyOrder(source, sort) || after?.keys[0] === null) return null;
  const most = isBrief ? Math.min(GLANCED_BRIEFLY * limit, FEW) : GLANCED;
  if (offset + limit > most) return null;
  const key = keyOf(source, only, true);
  const { columns, selected, isDescending, documentId } = key;
  const [start = NEVER] = columns;
  const to = direction(isDescending);
  const order = join([...columns, documentId].map((one) => sql`${one}${to}`));
  const met = allOf([source.term(only.field).shown, laterThan(key, after), first]);
  // The only bound on this side: the databases would take any other one for the end of the walk as well.
  const last = sql`coalesce((select ${start} from ${raw(`${table} s`)} where ${met} and ${start} is not null
    order by ${start}${to} limit 1 offset ${raw(String(most - 1))}), ${isDescending ? -END : END})`;
  const compare = `${isDescending ? '>' : '<'}${isBrief ? '' : '='}`;
  const isNear = sql`${start} ${raw(compare)} ${last}`;
  return sql`select ${join([documentId, ...selected])} from ${source.from(where)}
    where ${allOf([met, isNear, where])} order by ${order} limit ${limit} offset ${offset}`;
}

/** After all times, in milliseconds. */
const END = Number.MAX_SAFE_INTEGER;

const NAME = 'page';

export interface GlanceQuestion extends Question<readonly Place[] | null> {
  /** The condition that the page is full. */
  readonly isFull: Sql;
}

/**
 * A glance that is asked for together with what the words of a search stand for, which it needs itself: most pages of
 * common words are so answered by one statement. It gives the places of a full page.
 *
 * @param cut of one row more than the page has
 * @returns null where the words of a row are not seen in it, or a glance is of no use
 */
export function glanceByWords(
  source: Source,
  each: readonly Condition[],
  words: WordsCondition,
  names: Names,
  cut: Cut,
): GlanceQuestion | null {
  if (!source.dialect.words.has || !source.resource.searched) return null;
  const has = withoutIndex(hasWords(source, words, names));
  const glance = glanceOf(glanceWay(source, each, [has]), cut);
  return glance && questionOf(source, glance, cut, names.areAll);
}

/**
 * The same of a search without words, beside reads: a page of what many rows meet is answered by one statement, and it costs
 * little where few do.
 */
export function glanceBriefly(
  source: Source,
  each: readonly Condition[],
  cut: Cut,
): GlanceQuestion | null {
  if (!source.resource.searched) return null;
  const glance = glanceOf(glanceWay(source, each, []), cut, true);
  return glance && questionOf(source, glance, cut);
}

/** @param isWanted the condition that it is looked at all */
function questionOf(source: Source, glance: Sql, cut: Cut, isWanted = ALWAYS): GlanceQuestion {
  const most = raw(String(cut.limit));
  const keys = cut.sort.map((one) => keyOf(source, one, true));
  const columns = raw(
    ['id', ...keys.flatMap(({ selected }) => selected).map((_, at) => `c${at}`)].join(', '),
  );
  const page = sql`page(${columns}) as materialized (
    select * from (${glance}) g${isWanted === ALWAYS ? raw('') : sql` limit case when ${isWanted} then ${most} else 0 end`})`;
  return {
    common: [page],
    selects: [sql`select ${NAME} as name, ${source.dialect.jsonTuple(columns)} as found from page`],
    isFull: sql`(select count(*) from page) = ${most}`,
    read(answers) {
      const rows = (answers.get(NAME) ?? []).map((row) => JSON.parse(String(row)) as Row);
      return rows.length < cut.limit ? null : rows.map((row) => placeIn(row, keys));
    },
  };
}
