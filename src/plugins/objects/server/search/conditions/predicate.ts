/** A condition as SQL. */
import type { Sql } from '../../database/sql';

export interface Predicate {
  readonly sql: Sql;
  /** Whether an index finds what meets it, however little that is. */
  readonly isIndexed: boolean;
}

/** A condition on an attribute that lists do not filter by. */
export class UnknownFilter extends Error {}
