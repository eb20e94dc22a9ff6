/** The query tree as SQL. */
import type { Sql } from '../../database/sql';
import { isOnField, type Condition } from '../language/tree';
import { attributePredicate } from './attributes';
import { fieldSql } from './fields';
import { isIndexed } from './indexed';
import type { Predicate } from './predicate';
import type { Source } from './source';

/**
 * The condition that an object meets a condition of the query, as the caller sees it.
 *
 * @throws UnknownFilter for an attribute that cannot be compared
 */
export function compile(source: Source, condition: Condition): Predicate {
  return isOnField(condition)
    ? { sql: fieldSql(source, condition), isIndexed: isIndexed(source, condition) }
    : attributePredicate(source, condition);
}

export const conditionSql = (source: Source, condition: Condition): Sql =>
  compile(source, condition).sql;
