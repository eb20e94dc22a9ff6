/** What is below an object is asked before a search is compiled: it is the same for each part of the statement. */
import { raw, sql } from '../../database/sql';
import type { FieldCondition, SubtreeCondition } from '../language/tree';
import type { Question } from '../conditions/probe';
import type { Source } from '../conditions/source';
import { rowsBelow } from '../conditions/subtree';

/** Rows that are written out in a statement; where there are more, the statement looks for them. */
const MAX_BELOW = 500;

/** Gives conditions with what is known of them. */
export type Resolve = (condition: FieldCondition) => FieldCondition;

export function subtreesIn(
  source: Source,
  conditions: readonly FieldCondition[],
): Question<Resolve> {
  const named = conditions
    .filter((one): one is SubtreeCondition => one.by === 'subtree')
    .map((condition, at) => ({ condition, name: `below ${at}` }));
  return {
    selects: named.map(
      ({
        condition: { field, id },
        name,
      }) => sql`select ${name} as name, cast(t.id as text) as found
        from (select * from (${rowsBelow(source, field, id)}) r limit ${raw(String(MAX_BELOW + 1))}) t`,
    ),
    read(answers) {
      const known = new Map<FieldCondition, FieldCondition>();
      for (const { condition, name } of named) {
        const rows = (answers.get(name) ?? []).map(Number);
        if (rows.length <= MAX_BELOW) known.set(condition, { ...condition, rows });
      }
      return (condition) => known.get(condition) ?? condition;
    },
  };
}
