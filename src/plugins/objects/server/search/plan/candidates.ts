/**
 * Finds out which condition leads to what a search finds. One that few rows meet also proves that it looks at few rows,
 * whatever else it asks: then it runs where reads run, and otherwise apart from them.
 */
import { ALWAYS, join, NEVER, raw, sql, type Sql } from '../../database/sql';
import type { Field, Resource } from '../../define/completed';
import { areaOf, byCells } from './by-cells';
import type { Condition } from '../language/tree';
import { conditionSql } from '../conditions/condition-sql';
import { rowsBelow } from '../conditions/subtree';
import { FEW, MAX_LISTED } from '../language/limits';
import type { Question } from './probe';
import type { Source } from '../conditions/source';

export interface Lead {
  /** That few rows are looked at: a condition that few of them meet, or that there are few rows at all. */
  readonly proof: Condition | 'all' | null;
  /** The condition by whose index all is found, if it is one of these: the proof, or an area with little in it. */
  readonly by: Condition | null;
}

/** Kinds of conditions, those first whose rows are counted soonest. */
const ORDER: readonly Condition['by'][] = [
  'id',
  'values',
  'span',
  'regions',
  'subtree',
  'circle',
  'box',
];

/** Types that were seen to have more than few rows: this is not asked again. */
const large = new WeakSet<Resource>();

/** An answer, if there are no more than so many rows. */
interface Case {
  readonly count: Sql;
  readonly most: number;
  readonly lead: Lead;
}

const NAME = 'lead';

/** In place of a number: nobody has to know. */
const NOT_ASKED = '-1';

export interface LeadQuestion extends Question<Lead> {
  /** Whether it may be asked beside reads: it looks at few rows, or at many once, which is then known of the type. */
  readonly isBrief: boolean;
  /** The condition that there is one. */
  readonly isFound: Sql;
}

/**
 * @param proves whether a proof is looked for
 * @param isNeedless the condition that nobody wants to know
 */
export function leadOf(
  source: Source,
  conditions: readonly Condition[],
  hasWords: boolean,
  proves: boolean,
  isNeedless: Sql,
): LeadQuestion {
  const { resource } = source;
  const indexed = conditions
    .filter((condition) => isIndexed(source, condition))
    .toSorted((a, b) => ORDER.indexOf(a.by) - ORDER.indexOf(b.by));
  const [area = null] = indexed.flatMap((one) => areaOf(source, one) ?? []);
  const isAlone = !hasWords && indexed.every((one) => areaOf(source, one) !== null);
  const isAllAsked = proves && !large.has(resource);
  const proofs: readonly Case[] = [
    ...indexed.map((condition) => ({
      count: numberOf(source, condition),
      most: FEW,
      lead: { proof: condition, by: condition },
    })),
    ...(isAllAsked
      ? [
          {
            count: counted(sql`select 1 from ${raw(source.table)}`),
            most: FEW,
            lead: { proof: 'all' as const, by: area },
          },
        ]
      : []),
  ];
  const listed: readonly Case[] =
    area && !isAlone
      ? [
          {
            count: counted(rowsThatMeet(source, area), MAX_LISTED),
            most: MAX_LISTED,
            lead: { proof: null, by: area },
          },
        ]
      : [];
  const all = [...(proves ? proofs : []), ...listed];
  // None is counted after the first that is an answer.
  const cases = all.map(
    ({ count, most }, at) => sql`when ${count} <= ${raw(String(most))} then ${raw(String(at))}`,
  );
  // That there are many of a type is found out once, where it decides over where words are looked for.
  const isAlwaysAsked = isAllAsked && hasWords;
  const needless =
    isAlwaysAsked || isNeedless === NEVER
      ? raw('')
      : sql` when ${isNeedless} then ${raw(NOT_ASKED)}`;
  const isBrief = proves && (!large.has(resource) || (listed.length === 0 && !hasWords));
  return {
    isBrief,
    ...(all.length === 0
      ? { selects: [], isFound: NEVER }
      : {
          common: [
            sql`lead(found) as materialized (select case${needless} ${join(cases, ' ')} end)`,
          ],
          selects: [sql`select ${NAME} as name, cast(l.found as text) as found from lead l`],
          isFound: raw('(select l.found from lead l) is not null'),
        }),
    read(answers) {
      const [answer = null] = answers.get(NAME) ?? [];
      const at = answer === null ? null : Number(answer);
      const found = at === null ? undefined : all[at]?.lead;
      if (isAllAsked && at !== Number(NOT_ASKED) && !found?.proof) large.add(resource);
      return found ?? { proof: null, by: isAlone ? area : null };
    },
  };
}

/** The number of rows, as far as it matters: an index finds no more of them. */
const counted = (rows: Sql, most = FEW): Sql =>
  sql`(select cast(count(*) as integer) from (${rows} limit ${raw(String(most + 1))}) t)`;

/** Whether an index has exactly the rows that meet a condition. */
export function isIndexed(source: Source, condition: Condition): boolean {
  const has = ({ name }: Field): boolean =>
    source.resource.searched?.indexed.includes(name) === true;
  if (condition.by === 'subtree' || condition.by === 'regions') return has(condition.field);
  if (condition.by === 'box' || condition.by === 'circle') return source.resource.searched !== null;
  if (condition.by !== 'values' && condition.by !== 'span') return condition.by === 'id';
  const { subject } = condition;
  const isNegated = condition.by === 'values' && condition.not;
  return !isNegated && subject.kind === 'field' && has(subject.field);
}

/** A `select` of the rows that meet a condition, whoever may see them. */
function rowsThatMeet(source: Source, condition: Condition): Sql {
  const bare: Source = {
    ...source,
    term: (field) => ({ ...source.term(field), shown: ALWAYS }),
  };
  const way = { source: bare, where: conditionSql(bare, condition) };
  const area = areaOf(source, condition);
  const { source: own, where } = area ? byCells(way, area) : way;
  return sql`select 1 from ${own.from(where)} where ${where}`;
}

function numberOf(source: Source, condition: Condition): Sql {
  const rows = counted(rowsThatMeet(source, condition));
  if (condition.by !== 'subtree') return rows;
  const tree = counted(rowsBelow(source, condition.field, condition.id));
  const few = raw(String(FEW));
  return sql`case when ${tree} > ${few} then ${few} + 1 else ${rows} end`;
}
