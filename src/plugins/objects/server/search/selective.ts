/**
 * Finds out whether a search looks at few rows, whatever else it asks: then it runs where reads run, and otherwise apart
 * from them.
 */
import { ALWAYS, join, raw, sql, type Sql } from '../database/sql';
import type { Row } from '../database/work';
import type { Field } from '../define/completed';
import { areaOf, byCells } from './by-cells';
import type { Condition } from './condition';
import { conditionSql, rowsBelow } from './conditions';
import { FEW } from './limits';
import type { Source } from './source';

/** A condition that few rows meet, or that there are few rows at all. */
export type Proof = Condition | 'all';

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

/** @returns null where nothing proves it */
export async function proofOf(
  source: Source,
  conditions: readonly Condition[],
  run: (statement: Sql) => Promise<readonly Row[]>,
): Promise<Proof | null> {
  const indexed = conditions
    .filter((condition) => isIndexed(source, condition))
    .toSorted((a, b) => ORDER.indexOf(a.by) - ORDER.indexOf(b.by));
  const counts = [
    ...indexed.map((condition) => numberOf(source, condition)),
    counted(sql`select 1 from ${raw(source.table)}`),
  ];
  // None is counted after the first that proves it.
  const cases = counts.map(
    (count, at) => sql`when ${count} <= ${raw(String(FEW))} then ${raw(String(at))}`,
  );
  const [[at = null] = []] = await run(sql`select case ${join(cases, ' ')} end`);
  return at === null ? null : (indexed[Number(at)] ?? 'all');
}

/** The number of rows, as far as it matters: an index finds no more of them. */
export const counted = (rows: Sql, most = FEW): Sql =>
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
export function rowsThatMeet(source: Source, condition: Condition): Sql {
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
