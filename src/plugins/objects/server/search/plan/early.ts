/**
 * Early termination: a page in the order of time out of the first rows in it, before anything is counted. Most of what is
 * common is met at once, and no index says that it is common.
 */
import { ALWAYS, join, limitTo, NEVER, raw, sql, type Sql } from '../../database/sql';
import type { Row } from '../../database/work';
import type { Names } from '../conditions/expansion';
import { met } from '../conditions/in-order';
import { isInKeyOrder } from '../conditions/key-order';
import { fenced, ownRowsOf, partitionsOf } from '../conditions/partitions';
import type { Question } from '../conditions/probe';
import { direction, keyOf, laterThan, placeIn } from '../conditions/sort-keys';
import { allOf, withoutIndex, type Source } from '../conditions/source';
import { hasWords } from '../conditions/words';
import { FEW, EXAMINED_EARLY, EXAMINED_EARLY_PER_ROW } from '../language/limits';
import type { Cut, Place } from '../language/sort';
import type { FieldCondition, WordsCondition } from '../language/tree';
import { earlySelection, partsOf, type EarlyScan } from './ordered';

/**
 * Rows in their order, from a place on, among the first of all: fewer than `limit` say nothing of those behind.
 *
 * @param isBrief whether there are surely no more of them than that: not those of the same time as the last one
 * @returns null where it is of no use: for another order, and for pages far behind
 */
export function earlyRows(
  selections: EarlyScan,
  { sort, after, limit, offset }: Cut,
  isBrief = false,
): Sql | null {
  const [only] = sort;
  const [first] = selections;
  if (!first) return null;
  const { source } = first;
  if (!only || !isInKeyOrder(source, sort) || after?.keys[0] === null) return null;
  const most = isBrief ? Math.min(EXAMINED_EARLY_PER_ROW * limit, FEW) : EXAMINED_EARLY;
  if (offset + limit > most) return null;
  const key = keyOf(source, only, true);
  const { columns, selected, isDescending, documentId } = key;
  const [start = NEVER] = columns;
  const to = direction(isDescending);
  const later = allOf([source.term(only.field).shown, laterThan(key, after)]);
  // The only bound on this side: the databases would take any other one for the end of the scan as well.
  const ends = selections
    .filter((one) => !one.source.isOneByOne)
    .map(
      (one) => sql`coalesce((select ${start} from ${raw(`${source.table} s`)}
        where ${later} and ${one.first} and ${start} is not null
        order by ${start}${to} limit 1 offset ${raw(String(most - 1))}), ${isDescending ? -END : END})`,
    );
  const isOne = selections.length === 1;
  const last = isOne ? join(ends) : raw('(select n.at from near n)');
  const compare = `${isDescending ? '>' : '<'}${isBrief ? '' : '='}`;
  const isNear = sql`${start} ${raw(compare)} ${last}`;
  const rows = selections.map(
    (one) => sql`from ${one.source.from(one.where)}
      where ${allOf([fenced(one.source, allOf([later, isNear])), one.first, one.where])}`,
  );
  const order = [...columns, documentId].map((value) => [value, to] as const);
  const shown = [documentId, ...selected];
  const page = sql`${met(shown, order, rows, limitTo(offset + limit))}${limitTo(limit)} offset ${offset}`;
  if (isOne) return page;
  // Up to where the first rows of each partition reach.
  const each = join(
    ends.map((end) => sql`select ${end} as at`),
    ' union all ',
  );
  return sql`with near(at) as materialized (select ${raw(isDescending ? 'max' : 'min')}(e.at) from (${each}) e) ${page}`;
}

/** After all times, in milliseconds. */
const END = Number.MAX_SAFE_INTEGER;

const NAME = 'page';

/** The places of the page; null where it is not full. */
export interface EarlyQuestion extends Question<readonly Place[] | null> {
  /** The condition that the page is full. */
  readonly isFull: Sql;
}

/**
 * Asked together with what the words of a search stand for, which it needs itself: most pages of common words are so
 * answered by one statement. Without words it is asked beside reads: it costs little where few rows meet the conditions.
 *
 * @param names what the words stand for; null without words
 * @param cut of one row more than the page has
 * @returns null where the words of a row are not seen in it, or early termination is of no use
 */
export function earlyPage(
  source: Source,
  each: readonly FieldCondition[],
  words: WordsCondition | null,
  names: Names | null,
  cut: Cut,
): EarlyQuestion | null {
  if (!source.resource.searched || (words && !source.dialect.words.has)) return null;
  const own = ownRowsOf(source);
  const scan = partitionsOf(source, own ? 'few' : 'none', own?.rows).map((one) => {
    const has = words && names ? [withoutIndex(hasWords(one, words, names))] : [];
    return earlySelection(one, partsOf(one, each, cut.sort), has);
  });
  const rows = earlyRows(scan, cut, words === null);
  const isWanted = allOf([names?.areAll ?? ALWAYS, own?.areFew ?? ALWAYS]);
  return rows && questionOf(source, rows, cut, isWanted);
}

/** @param isWanted the condition that it is looked at all */
function questionOf(source: Source, rows: Sql, cut: Cut, isWanted: Sql): EarlyQuestion {
  const most = raw(String(cut.limit));
  const keys = cut.sort.map((one) => keyOf(source, one, true));
  const columns = raw(
    ['id', ...keys.flatMap(({ selected }) => selected).map((_, at) => `c${at}`)].join(', '),
  );
  const page = sql`page(${columns}) as materialized (
    select * from (${rows}) g${isWanted === ALWAYS ? raw('') : sql` limit case when ${isWanted} then ${most} else 0 end`})`;
  return {
    common: [page],
    selects: [sql`select ${NAME} as name, ${source.dialect.jsonTuple(columns)} as found from page`],
    isFull: sql`(select count(*) from page) = ${most}`,
    read(answers) {
      const found = (answers.get(NAME) ?? []).map((row) => JSON.parse(String(row)) as Row);
      return found.length < cut.limit ? null : found.map((row) => placeIn(row, keys));
    },
  };
}
