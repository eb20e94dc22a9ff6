/** The conditions of an ordered scan: those whose index has the rows in the order of the page, and those that are looked at. */
import type { Sql } from '../../database/sql';
import { isSpan } from '../../kinds/traits';
import { conditionSql } from '../conditions/compile';
import { isIndexed } from '../conditions/indexed';
import { fenced } from '../conditions/partitions';
import {
  allOf,
  needsOwnTable,
  withoutIndex,
  type Selection,
  type Source,
} from '../conditions/source';
import { isByIds, type SortKey } from '../language/sort';
import type { Condition, FieldCondition } from '../language/tree';

/** A look at the first rows in the order of the page alone, in each partition. */
export type EarlyScan = readonly EarlySelection[];

interface EarlySelection extends Selection {
  /** The condition of these rows, whose index has the order of time beside it. */
  readonly first: Sql;
}

/**
 * Whether an ordered scan uses the index of a condition, which has the rows in the order of time. Not in the order of IDs: SQLite
 * would collect and sort all that is in it.
 */
const isInOrder = (
  source: Source,
  condition: FieldCondition,
  sort: readonly SortKey[],
): boolean => {
  if (condition.by === 'id') return true;
  if (isByIds(sort)) return false;
  return condition.by === 'bound'
    ? condition.side === 'max' && isSpan(condition.subject.field)
    : condition.by === 'values' && condition.values.length === 1 && isIndexed(source, condition);
};

/** The conditions of an ordered scan, but for words. */
export interface OrderedConditions {
  /** Those for which an index has the order of time, and the same as SQL. */
  readonly by: readonly Condition[];
  readonly inOrder: readonly Sql[];
  /** Those that are looked at for each row. */
  readonly checked: readonly Sql[];
}

export function partsOf(
  source: Source,
  each: readonly FieldCondition[],
  sort: readonly SortKey[],
): OrderedConditions {
  const ordered = each.filter((one) => isInOrder(source, one, sort));
  const others = each.filter((one) => one.by !== 'words' && !ordered.includes(one));
  return {
    by: ordered,
    inOrder: ordered.map((one) => conditionSql(source, one)),
    checked: others.map((one) => withoutIndex(conditionSql(source, one))),
  };
}

/** @param has the condition of the words */
export function earlySelection(
  source: Source,
  { inOrder, checked }: OrderedConditions,
  has: readonly Sql[],
): EarlySelection {
  const later = inOrder.filter(needsOwnTable).map(withoutIndex);
  return {
    source,
    where: fenced(source, allOf([...later, ...checked, ...has, source.visible])),
    first: allOf([
      source.partition,
      fenced(source, allOf(inOrder.filter((one) => !needsOwnTable(one)))),
    ]),
  };
}
