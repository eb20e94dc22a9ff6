/** How rows can be met, the rights of the caller included: by an index, in the order of the page, by their words. */
import type { WrittenSpan } from '../../../../../core/time';
import { ALWAYS, type Sql } from '../../database/sql';
import { conditionSql } from '../conditions/compile';
import { sinceSql } from '../conditions/fields';
import { areaOf, isIndexed } from '../conditions/indexed';
import {
  eitherOf,
  foundIn,
  orderedIn,
  partitionsOf,
  scannedIn,
  type OwnRows,
} from '../conditions/partitions';
import { withoutIndex, type Selection, type Source } from '../conditions/source';
import { hasWords, meetsWords, streamedBy, type Streamed } from '../conditions/words';
import type { SortKey } from '../language/sort';
import type {
  BoundCondition,
  ClosedSpan,
  Condition,
  FieldCondition,
  OpenSpan,
  WordsCondition,
} from '../language/tree';
import { byCells } from './by-cells';
import { isSpan } from '../../kinds/traits';
import { earlySelection, partsOf, type EarlyScan, type OrderedConditions } from './ordered';

/** A way to rows. */
export interface Scan {
  /**
   * `index`: by the indexes of conditions, in no order · `ordered`: in the order of the page, whichever that is: the database
   * meets the rows in it where an index has it, and looks at each ·
   * `words`: from row to row by the index of words, in the order of their keys.
   */
  readonly scan: 'index' | 'ordered' | 'words';
  /** The conditions by which rows are found; the others are looked at for each row. */
  readonly by: readonly Condition[];
  /** The rows that are met, of each partition in which the caller finds any. */
  readonly selections: readonly Selection[];
}

export interface WordsScan extends Scan {
  readonly scan: 'words';
  /** The key of the row that is met. */
  readonly key: Sql;
}

/** How the rows of a search can be met. */
export interface Scans {
  /** All that is found. */
  readonly index: Scan | WordsScan;
  /** What is found, in the order of the page: only by indexes that have the time beside a value, which most pages go by. */
  readonly ordered: Scan;
  /** In the order of time, where words lead from row to row. */
  readonly words: WordsScan | null;
  /** Where no index counts soon how many there are. */
  readonly early: EarlyScan | null;
}

const isWritten = (bound: BoundCondition['bound'] | undefined): bound is WrittenSpan =>
  typeof bound === 'object' && 'local' in bound;

/** The two bounds of a time as one condition. */
export function withSpans(conditions: readonly FieldCondition[]): readonly FieldCondition[] {
  const boundsOf = (side: 'min' | 'max'): BoundCondition[] =>
    conditions.filter(
      (one): one is BoundCondition =>
        one.by === 'bound' && one.side === side && isSpan(one.subject.field),
    );
  return boundsOf('min').reduce<readonly FieldCondition[]>((all, min) => {
    const max = boundsOf('max').find(({ subject }) => subject.field === min.subject.field);
    const [from, to] = [min.bound, max?.bound];
    if (!isWritten(from) || !isWritten(to)) return all;
    const span = { by: 'span', subject: min.subject, from, to } as const;
    return [...all.filter((one) => one !== min && one !== max), span];
  }, conditions);
}

/** The conditions of a query, with what the database knows of them. */
export interface Resolved {
  readonly own: OwnRows;
  readonly each: readonly FieldCondition[];
  /** The same, both bounds of a time as one. */
  readonly spans: readonly FieldCondition[];
  /** The words, with what they stand for. */
  readonly words: WordsCondition | null;
  /** The condition whose index is used, if it is one of these. */
  readonly selective: FieldCondition | null;
}

/** @param sort the order of the page */
export function scansOf(
  source: Source,
  { own, each, spans, words, selective }: Resolved,
  sort: readonly SortKey[],
): Scans {
  const partitions = partitionsOf(source, own);
  const streamed = words ? streamedBy(source, words) : null;
  const hasIn = (one: Source): Sql[] => (words ? [withoutIndex(hasWords(one, words))] : []);
  const others = spans.filter(({ by }) => by !== 'words');
  const stream = streamed &&
    words && {
      scan: 'words' as const,
      by: [words],
      selections: [selectionOf(streamed.source, wordsWhere(streamed, partsOf(source, each, sort)))],
      key: streamed.key,
    };
  // Unless another index has part of the rows: the database then combines it with that of words.
  const isByWords =
    words !== null &&
    !selective &&
    !others.some((one) => areaOf(source, one) === null && isIndexed(source, one));
  // An area, or an index that has what is counted.
  const isCountedSoon =
    selective !== null ||
    (!words && others.length === 1 && others.every((one) => isIndexed(source, one)));
  const area = selective && areaOf(source, selective);
  const found = foundBy(source, others, words, selective);
  // The index of words has the marks of callers, and so the rows of both partitions for each.
  const searched = isByWords
    ? [source]
    : found.by.length === 0
      ? scannedIn(source, partitions)
      : partitions;
  const listed = searched.flatMap((one) => {
    const { ranges, where } = foundBy(one, others, words, selective);
    const bySelective = selective ? hasIn(one) : words ? [meetsWords(one, words)] : [];
    return eachRange(one, ranges).map((range) => {
      const selection = selectionOf(one, [range, ...where, ...bySelective]);
      return area ? byCells(selection, area) : selection;
    });
  });
  const index: Scan = {
    scan: 'index',
    by: selective ? [selective] : found.by,
    selections: listed,
  };
  const order = sort.map(({ field }) => field);
  const looks = orderedIn(source, partitions, order).map((one) => ({
    source: one,
    parts: partsOf(one, each, sort),
    has: hasIn(one),
  }));
  return {
    index: stream && isByWords ? stream : index,
    ordered: {
      scan: 'ordered',
      by: looks[0]?.parts.by ?? [],
      selections: looks.map(({ source: one, parts: { inOrder, checked }, has }) =>
        selectionOf(one, [...inOrder, ...checked, ...has]),
      ),
    },
    words: stream,
    early: isCountedSoon
      ? null
      : looks.map(({ source: one, parts, has }) => earlySelection(one, parts, has)),
  };
}

/** What is found in a partition under these conditions. */
export const selectionOf = (source: Source, where: readonly Sql[]): Selection => ({
  source,
  where: foundIn(source, where),
});

const wordsWhere = (
  { meets }: Streamed,
  { inOrder, checked }: OrderedConditions,
): readonly Sql[] => [meets, ...[...inOrder, ...checked].map(withoutIndex)];

/** How all that is found is met. */
interface FoundBy {
  readonly by: readonly Condition[];
  /** Conditions of which a row meets one at most, each with an index. */
  readonly ranges: readonly Sql[];
  /** Further conditions: those that may use an index, and those that are looked at for each row. */
  readonly where: readonly Sql[];
}

const EVERYWHERE: readonly Sql[] = [ALWAYS];

/**
 * Rows that are listed are looked at once. For a disjunction of ranges SQLite reads each row twice and compares all row IDs, and
 * PostgreSQL finds all rows before it counts the first.
 */
const eachRange = (source: Source, ranges: readonly Sql[]): readonly Sql[] =>
  source.isOneByOne ? [eitherOf(source, ranges)] : ranges;

function foundBy(
  source: Source,
  others: readonly FieldCondition[],
  words: WordsCondition | null,
  selective: FieldCondition | null,
): FoundBy {
  if (!selective && !words) return broadly(source, others);
  const isInRanges = selective !== null && isClosedSpan(selective) && source.alias === 's';
  const where = others
    .filter((one) => !isInRanges || one !== selective)
    .map((one) => {
      const condition = conditionSql(source, one);
      return selective && selective !== one ? withoutIndex(condition) : condition;
    });
  const indexed = others.filter((one) => isIndexed(source, one));
  return {
    by: [...indexed, ...(words ? [words] : [])],
    ranges: isInRanges ? sinceSql(source, selective, ALWAYS) : EVERYWHERE,
    where,
  };
}

/**
 * Conditions each of which many rows meet. A time becomes ranges of its indexes (`rangesSince`), together with a value whose
 * index has the time beside it. By itself a time from which on something was seen is no condition of an index, as what is long
 * may have begun before; a span is.
 */
function broadly(source: Source, others: readonly FieldCondition[]): FoundBy {
  const [beside = null] = others.filter(
    (one) => one.by === 'values' && one.values.length === 1 && isIndexed(source, one),
  );
  const span = others.find(isClosedSpan);
  const isAlone = others.every((one) => one === span || !isIndexed(source, one));
  const time = others.find(isOpenSpan) ?? (beside || isAlone ? span : undefined);
  if (!time || source.alias !== 's')
    return {
      by: others.filter((one) => isIndexed(source, one)),
      ranges: EVERYWHERE,
      where: others.map((one) => conditionSql(source, one)),
    };
  const further = others.filter((one) => one !== time && one !== beside);
  return {
    by: beside ? [beside, time] : [time],
    ranges: sinceSql(source, time, beside ? conditionSql(source, beside) : ALWAYS),
    where: further.map((one) => withoutIndex(conditionSql(source, one))),
  };
}

export const isClosedSpan = (one: FieldCondition): one is ClosedSpan =>
  one.by === 'span' && one.subject.kind === 'field';

const isOpenSpan = (one: FieldCondition): one is OpenSpan =>
  one.by === 'bound' &&
  one.side === 'min' &&
  one.subject.kind === 'field' &&
  isSpan(one.subject.field) &&
  isWritten(one.bound);
