/** The ways to what a search finds, the rights of the caller included: all of it, or one after the other in an order. */
import type { Sql } from '../database/sql';
import type { Condition, WordsCondition } from './condition';
import { conditionSql } from './conditions';
import { areaOf, byCells } from './by-cells';
import { isIndexed } from './selective';
import { allOf, needsOwnTable, withoutIndex, type Source, type Way } from './source';
import { meetsWords, streamedBy, type Streamed } from './words';

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

/** Conditions whose indexes have the order of time beside them. */
const isInOrder = (condition: Condition): boolean =>
  condition.by === 'id' ||
  (condition.by === 'values' && !condition.not && condition.values.length === 1) ||
  (condition.by === 'bound' && condition.side === 'max');

type Bound = Extract<Condition, { by: 'bound' }>;

/** The two bounds of a time as one condition. */
export function withSpans(conditions: readonly Condition[]): readonly Condition[] {
  const boundsOf = (side: 'min' | 'max'): Bound[] =>
    conditions.filter(
      (one): one is Bound =>
        one.by === 'bound' && one.side === side && one.subject.field.kind === 'time',
    );
  return boundsOf('min').reduce<readonly Condition[]>((all, min) => {
    const max = boundsOf('max').find(({ subject }) => subject.field === min.subject.field);
    if (!max || typeof min.bound === 'number' || typeof max.bound === 'number') return all;
    const span = { by: 'span', subject: min.subject, from: min.bound, to: max.bound } as const;
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
  const meets = (isForFew: boolean): readonly Sql[] =>
    words ? [meetsWords(source, words, isForFew)] : [];
  const others = spans.filter(({ by }) => by !== 'words');
  const found = others.map((condition) => {
    const one = conditionSql(source, condition);
    return leading && leading !== condition ? withoutIndex(one) : one;
  });
  const walked = each.filter(({ by }) => by !== 'words');
  const inOrder = walked.filter(isInOrder).map((one) => conditionSql(source, one));
  const onTheWay = walked
    .filter((one) => !isInOrder(one))
    .map((one) => withoutIndex(conditionSql(source, one)));
  const wayOf = (own: Source, where: readonly Sql[]): Way => ({
    source: own,
    where: allOf([...where, source.visible]),
  });
  const stream = streamed && {
    ...wayOf(streamed.source, [streamed.meets, ...[...inOrder, ...onTheWay].map(withoutIndex)]),
    streamed,
  };
  const listed = wayOf(source, [
    ...found,
    ...(leading ? meets(true).map(withoutIndex) : meets(false)),
  ]);
  const area = leading && areaOf(source, leading);
  // Where an index has part of the rows already, the words are looked for among these.
  const isByWords =
    stream !== null &&
    !leading &&
    !others.some((one) => areaOf(source, one) === null && isIndexed(source, one));
  // The words in their order, an area, or an index that has what is counted.
  const isCountedSoon =
    isByWords ||
    leading !== null ||
    (!words && others.length === 1 && others.every((one) => isIndexed(source, one)));
  return {
    all: isByWords ? stream : area ? byCells(listed, area) : listed,
    walk: wayOf(source, [...inOrder, ...onTheWay, ...meets(false).map(withoutIndex)]),
    stream,
    glance: isCountedSoon
      ? null
      : {
          ...wayOf(source, [
            ...inOrder.filter(needsOwnTable).map(withoutIndex),
            ...onTheWay,
            ...meets(true),
          ]),
          first: allOf(inOrder.filter((one) => !needsOwnTable(one))),
        },
  };
}
