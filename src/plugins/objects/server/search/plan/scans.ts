/** The ways to what a search finds, the rights of the caller included: all of it, or one after the other in an order. */
import type { WrittenSpan } from '../../../../../core/time';
import { ALWAYS, type Sql } from '../../database/sql';
import type { Condition, OpenSpan, WordsCondition } from '../language/tree';
import { conditionSql, sinceSql } from '../conditions/condition-sql';
import { areaOf, byCells } from './by-cells';
import { isIndexed } from './candidates';
import { allOf, needsOwnTable, withoutIndex, type Source, type Way } from '../conditions/source';
import { hasWords, meetsWords, streamedBy, type Streamed } from '../conditions/words';

/** Rows are met by their words, in the order of their keys. */
export interface StreamedWay extends Way {
  readonly streamed: Streamed;
}

/** What is looked for among the first rows alone. */
export interface GlanceWay extends Way {
  /** The condition of these rows, whose index has the order of time beside it. */
  readonly first: Sql;
}

export interface Ways {
  /** To all that is found, by an index. */
  readonly all: Way;
  /** In the order of the page: by no index that has another order. */
  readonly walk: Way;
  /** In the order of time, where words lead from row to row. */
  readonly stream: StreamedWay | null;
  /** Where no index counts soon how many there are. */
  readonly glance: GlanceWay | null;
}

/** Whether an index has the rows that meet a condition in the order of time. */
const isInOrder = (source: Source, condition: Condition): boolean =>
  condition.by === 'id' ||
  (condition.by === 'values' && condition.values.length === 1 && isIndexed(source, condition)) ||
  (condition.by === 'bound' && condition.side === 'max' && condition.subject.field.kind === 'time');

type Bound = Extract<Condition, { by: 'bound' }>;

const isWritten = (bound: Bound['bound'] | undefined): bound is WrittenSpan =>
  typeof bound === 'object' && 'local' in bound;

/** The two bounds of a time as one condition. */
export function withSpans(conditions: readonly Condition[]): readonly Condition[] {
  const boundsOf = (side: 'min' | 'max'): Bound[] =>
    conditions.filter(
      (one): one is Bound =>
        one.by === 'bound' && one.side === side && one.subject.field.kind === 'time',
    );
  return boundsOf('min').reduce<readonly Condition[]>((all, min) => {
    const max = boundsOf('max').find(({ subject }) => subject.field === min.subject.field);
    const [from, to] = [min.bound, max?.bound];
    if (!isWritten(from) || !isWritten(to)) return all;
    const span = { by: 'span', subject: min.subject, from, to } as const;
    return [...all.filter((one) => one !== min && one !== max), span];
  }, conditions);
}

/** What is asked, in two forms. */
export interface Asked {
  /** The conditions of the query. */
  readonly each: readonly Condition[];
  /** The same, both bounds of a time as one. */
  readonly spans: readonly Condition[];
}

/**
 * @param words of the query, with what they stand for
 * @param leading the condition whose index is used, if it is one of these
 */
export function waysOf(
  source: Source,
  { each, spans }: Asked,
  words: WordsCondition | null,
  leading: Condition | null,
): Ways {
  const streamed = words ? streamedBy(source, words) : null;
  const meets = words ? [meetsWords(source, words)] : [];
  const has = words ? [withoutIndex(hasWords(source, words))] : [];
  const others = spans.filter(({ by }) => by !== 'words');
  const found =
    leading || words
      ? others.map((one) => {
          const condition = conditionSql(source, one);
          return leading && leading !== one ? withoutIndex(condition) : condition;
        })
      : broadly(source, others);
  const { inOrder, onTheWay } = partsOf(source, each);
  const wayOf = (own: Source, where: readonly Sql[]): Way => ({
    source: own,
    where: allOf([...where, source.visible]),
  });
  const stream = streamed && {
    ...wayOf(streamed.source, [streamed.meets, ...[...inOrder, ...onTheWay].map(withoutIndex)]),
    streamed,
  };
  const listed = wayOf(source, [...found, ...(leading ? has : meets)]);
  const area = leading && areaOf(source, leading);
  // Where an index has part of the rows already, the words are looked for among these.
  const isByWords =
    stream !== null &&
    !leading &&
    !others.some((one) => areaOf(source, one) === null && isIndexed(source, one));
  // An area, or an index that has what is counted.
  const isCountedSoon =
    leading !== null ||
    (!words && others.length === 1 && others.every((one) => isIndexed(source, one)));
  return {
    all: isByWords ? stream : area ? byCells(listed, area) : listed,
    walk: wayOf(source, [...inOrder, ...onTheWay, ...has]),
    stream,
    glance: isCountedSoon ? null : glanceWay(source, each, has),
  };
}

/**
 * Conditions each of which many rows meet. Of a value whose index has the time beside it, and of a time from which on
 * something was seen, the index is used with both.
 */
function broadly(source: Source, others: readonly Condition[]): readonly Sql[] {
  const open = others.find(isOpenSpan);
  if (!open || source.alias !== 's') return others.map((one) => conditionSql(source, one));
  const [beside = null] = others.filter(
    (one) => one.by === 'values' && one.values.length === 1 && isIndexed(source, one),
  );
  const further = others.filter((one) => one !== open && one !== beside);
  return [
    sinceSql(source, open, beside ? conditionSql(source, beside) : ALWAYS),
    ...further.map((one) => withoutIndex(conditionSql(source, one))),
  ];
}

const isOpenSpan = (one: Condition): one is OpenSpan =>
  one.by === 'bound' &&
  one.side === 'min' &&
  one.subject.kind === 'field' &&
  one.subject.field.kind === 'time' &&
  isWritten(one.bound);

/** Conditions by the order of time, and those that are looked at on the way, but for words. */
function partsOf(
  source: Source,
  each: readonly Condition[],
): { readonly inOrder: readonly Sql[]; readonly onTheWay: readonly Sql[] } {
  const walked = each.filter(({ by }) => by !== 'words');
  const [first, others] = [true, false].map((isFirst) =>
    walked
      .filter((one) => isInOrder(source, one) === isFirst)
      .map((one) => conditionSql(source, one)),
  );
  return { inOrder: first ?? [], onTheWay: (others ?? []).map(withoutIndex) };
}

/** @param has the condition of the words */
export function glanceWay(
  source: Source,
  each: readonly Condition[],
  has: readonly Sql[],
): GlanceWay {
  const { inOrder, onTheWay } = partsOf(source, each);
  const later = inOrder.filter(needsOwnTable).map(withoutIndex);
  return {
    source,
    where: allOf([...later, ...onTheWay, ...has, source.visible]),
    first: allOf(inOrder.filter((one) => !needsOwnTable(one))),
  };
}
