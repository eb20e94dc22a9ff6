/** The ways to what a search finds, the rights of the caller included: all of it, or one after the other in an order. */
import { sql, type Sql } from '../database/sql';
import type { Row } from '../database/work';
import type { AreaCondition, Condition, WordsCondition } from './condition';
import { conditionSql } from './conditions';
import { areaOf, byCells } from './by-cells';
import { MAX_LISTED } from './limits';
import { counted, isIndexed, rowsThatMeet, type Proof } from './selective';
import { allOf, withoutIndex, type Source, type Way } from './source';
import { meetsWords, streamedBy, withNamed, type Streamed } from './words';

/** Rows are met by their words, in the order of their keys. */
export interface StreamedWay extends Way {
  readonly streamed: Streamed;
}

export interface Ways {
  /** To all that is found, by an index. */
  readonly all: Way;
  /** In the order of the page: by no index that has another order. */
  readonly walk: Way;
  /** In the order of time, where words lead from row to row. */
  readonly stream: StreamedWay | null;
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

/** @param proof the condition whose index is used */
export async function waysOf(
  source: Source,
  { each, spans }: Asked,
  proof: Proof | null,
  run: (statement: Sql) => Promise<readonly Row[]>,
): Promise<Ways> {
  const words = each.find((one): one is WordsCondition => one.by === 'words');
  const meant = words && (await withNamed(source, words, run));
  const streamed = meant ? streamedBy(source, meant) : null;
  const meets = (isLookedUp = false): readonly Sql[] =>
    meant ? [meetsWords(source, meant, isLookedUp)] : [];
  const others = spans.filter((one) => one !== words);
  const isFew = proof !== null && proof !== 'all';
  const leading = isFew ? proof : await leadingArea(source, others, streamed !== null, run);
  const found = others.map((condition) => {
    const one = conditionSql(source, condition);
    return leading && leading !== condition ? withoutIndex(one) : one;
  });
  const walked = each
    .filter((one) => one !== words)
    .map((condition) => {
      const one = conditionSql(source, condition);
      return isInOrder(condition) ? one : withoutIndex(one);
    });
  const wayOf = (own: Source, where: readonly Sql[]): Way => ({
    source: own,
    where: allOf([...where, source.visible]),
  });
  const stream = streamed && {
    ...wayOf(streamed.source, [streamed.meets, ...walked.map(withoutIndex)]),
    streamed,
  };
  const isLookedUp = leading !== null && streamed !== null && (await areMany(streamed.rows, run));
  const listed = wayOf(source, [
    ...found,
    ...(leading ? meets(isLookedUp).map(withoutIndex) : meets()),
  ]);
  const area = leading && areaOf(source, leading);
  // Where an index has part of the rows already, the words are looked for among these.
  const isByWords = stream !== null && !leading && !others.some((one) => hasIndex(source, one));
  return {
    all: isByWords ? stream : area ? byCells(listed, area) : listed,
    walk: wayOf(source, [...walked, ...meets().map(withoutIndex)]),
    stream,
  };
}

/** Whether an index other than that of cells has the rows that meet a condition. */
const hasIndex = (source: Source, condition: Condition): boolean =>
  areaOf(source, condition) === null && isIndexed(source, condition);

/** An area by whose cells all is found: it is the only thing that has an index, or there is not much in it. */
async function leadingArea(
  source: Source,
  conditions: readonly Condition[],
  hasWords: boolean,
  run: (statement: Sql) => Promise<readonly Row[]>,
): Promise<AreaCondition | null> {
  const [area] = conditions.flatMap((one) => areaOf(source, one) ?? []);
  if (!area) return null;
  const isAlone = !hasWords && !conditions.some((one) => hasIndex(source, one));
  return isAlone || !(await areMany(rowsThatMeet(source, area), run)) ? area : null;
}

async function areMany(
  rows: Sql,
  run: (statement: Sql) => Promise<readonly Row[]>,
): Promise<boolean> {
  const [[found] = []] = await run(sql`select ${counted(rows, MAX_LISTED)}`);
  return Number(found) > MAX_LISTED;
}
