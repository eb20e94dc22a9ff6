/**
 * The conditions of a search as candidates for its index: which rows each of them finds, and how many the database counts.
 * One that few rows meet bounds what the search looks at, whatever else it asks: then it runs where reads run.
 */
import { ALWAYS, join, limitTo, NEVER, raw, sql, type Sql } from '../../database/sql';
import { conditionSql } from '../conditions/compile';
import { aroundSql } from '../conditions/fields';
import { areaOf, isIndexed } from '../conditions/indexed';
import { partitionsOf, rowsIn } from '../conditions/partitions';
import { allOf, type Source } from '../conditions/source';
import { rowsBelow } from '../conditions/subtree';
import { FEW, MAX_LISTED } from '../language/limits';
import { traitsOf } from '../../kinds/traits';
import type { FieldCondition } from '../language/tree';
import type { SearchMemory } from '../memory';
import { byCells } from './by-cells';
import { isClosedSpan } from './scans';
import type { Question } from '../conditions/probe';

/** What the candidates say. */
export interface Selectivity {
  /** What few rows meet: a condition, or the type as a whole. */
  readonly bound: FieldCondition | 'type' | null;
  /**
   * The condition by whose index all is found: that one, an area with little in it, or an area that is the only way to
   * rows, however many. Null where the database chooses among indexes.
   */
  readonly by: FieldCondition | null;
}

/** A candidate, which is taken if no more rows than `most` are counted. */
interface Candidate {
  readonly count: Sql;
  readonly most: number;
  readonly says: Selectivity;
}

/** Kinds of conditions, those first whose rows are counted soonest. Many rows have one of the few values of a choice. */
const ORDER: readonly (FieldCondition['by'] | 'choice')[] = [
  'id',
  'values',
  'span',
  'choice',
  'regions',
  'subtree',
  'circle',
  'box',
];

function rankOf(condition: FieldCondition): number {
  const { by } = condition;
  const isChoice =
    by === 'values' &&
    condition.subject.kind === 'field' &&
    traitsOf(condition.subject.field).isChoice === true;
  return ORDER.indexOf(isChoice ? 'choice' : by);
}

const NAME = 'candidate';

/** In place of the number of a candidate: they were not compared. */
const NOT_COMPARED = '-1';

export interface SelectivityQuestion extends Question<Selectivity> {
  /** Whether it may be asked beside reads: it looks at few rows, or at many once, which is then known of the type. */
  readonly isBrief: boolean;
  /** The condition that a candidate was taken. */
  readonly isFound: Sql;
}

/** What the planner knows of a query before it asks the database. */
export interface Unplanned {
  readonly conditions: readonly FieldCondition[];
  readonly hasWords: boolean;
  /** Whether a search that looks at few rows is carried out in another way than others. */
  readonly isBoundUsed: boolean;
}

/** @param isNeedless the condition that another question has answered the search already */
export function selectivityOf(
  memory: SearchMemory,
  source: Source,
  { conditions, hasWords, isBoundUsed }: Unplanned,
  isNeedless: Sql,
): SelectivityQuestion {
  const { type } = source.resource;
  const { large } = memory;
  const indexed = conditions
    .filter((condition) => isIndexed(source, condition))
    .toSorted((a, b) => rankOf(a) - rankOf(b));
  const [area = null] = indexed.flatMap((one) => areaOf(source, one) ?? []);
  const isAlone = !hasWords && indexed.every((one) => areaOf(source, one) !== null);
  const isTypeCounted = isBoundUsed && !large.has(type);
  const bounding: readonly Candidate[] = [
    ...indexed.map((condition) => ({
      count: numberOf(source, condition),
      most: FEW,
      says: { bound: condition, by: condition },
    })),
    ...(isTypeCounted
      ? [
          {
            count: counted(sql`select 1 from ${raw(source.table)}`),
            most: FEW,
            says: { bound: 'type' as const, by: area },
          },
        ]
      : []),
  ];
  const listed: readonly Candidate[] =
    area && !isAlone
      ? [
          {
            count: counted(rowsThatMeet(source, area), MAX_LISTED),
            most: MAX_LISTED,
            says: { bound: null, by: area },
          },
        ]
      : [];
  const all = [...(isBoundUsed ? bounding : []), ...listed];
  // None is counted after the first that is taken.
  const cases = all.map(
    ({ count, most }, at) => sql`when ${count} <= ${raw(String(most))} then ${raw(String(at))}`,
  );
  // That there are many of a type is found out once, where it decides over where words are looked for.
  const isAlwaysAsked = isTypeCounted && hasWords;
  const needless =
    isAlwaysAsked || isNeedless === NEVER
      ? raw('')
      : sql` when ${isNeedless} then ${raw(NOT_COMPARED)}`;
  // To count the rows of candidates is brief; to look for those of an area, or for what words stand for, is not. As long as
  // the type is not known to be large, it is most likely small, and all of it is.
  const isCountedAlone = listed.length === 0 && !hasWords;
  return {
    isBrief: isBoundUsed && (isTypeCounted || isCountedAlone),
    ...(all.length === 0
      ? { selects: [], isFound: NEVER }
      : {
          common: [
            sql`candidate(found) as materialized (select case${needless} ${join(cases, ' ')} end)`,
          ],
          selects: [sql`select ${NAME} as name, cast(c.found as text) as found from candidate c`],
          isFound: raw('(select c.found from candidate c) is not null'),
        }),
    read(answers) {
      const [answer = null] = answers.get(NAME) ?? [];
      const at = answer === null ? null : Number(answer);
      const found = at === null ? undefined : all[at]?.says;
      if (isTypeCounted && at !== Number(NOT_COMPARED) && !found?.bound) large.add(type);
      return found ?? { bound: null, by: isAlone ? area : null };
    },
  };
}

/** The number of rows, as far as it matters: an index finds no more of them. */
const counted = (rows: Sql, most = FEW): Sql =>
  sql`(select cast(count(*) as integer) from (${rows}${limitTo(most + 1)}) t)`;

/**
 * A `select` of the rows that meet a condition, regardless of who may see them, by the indexes that the caller's search would
 * use. For a span it has all rows that these indexes read.
 */
function rowsThatMeet(source: Source, condition: FieldCondition): Sql {
  const area = areaOf(source, condition);
  const selections = partitionsOf(source, 'none').flatMap((one) => {
    const bare: Source = { ...one, term: (field) => ({ ...source.term(field), shown: ALWAYS }) };
    const ranges =
      isClosedSpan(condition) && bare.alias === 's'
        ? aroundSql(bare, condition)
        : [conditionSql(bare, condition)];
    return ranges.map((range) => {
      const selection = { source: bare, where: allOf([one.partition, range]) };
      return area ? byCells(selection, area) : selection;
    });
  });
  return rowsIn(selections, raw('1'));
}

function numberOf(source: Source, condition: FieldCondition): Sql {
  const rows = counted(rowsThatMeet(source, condition));
  if (condition.by !== 'subtree') return rows;
  // To count the rows of a large tree would take one look for each of its members.
  const tree = counted(rowsBelow(source, condition.field, condition.id));
  const few = raw(String(FEW));
  return sql`case when ${tree} > ${few} then ${few} + 1 else ${rows} end`;
}
