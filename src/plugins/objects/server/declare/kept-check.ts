import type { Sql, SqlValue } from '../database/sql';
import type { Work } from '../database/work';

/** How a check sees whether what is kept of objects is what would be computed. */
export interface KeptCheckOf<Context> {
  /** As what it is counted. */
  readonly kind: 'figures' | 'levels' | 'projections';
  /** The type of the objects of which it is kept. */
  readonly over: string;
  /** What is kept of one object depends on the others: it is compared at once, of all objects, and not of these. */
  readonly isWhole?: true;
  /** Those of these objects, by the IDs of their rows, of which something else is kept. It only reads, and locks nothing. */
  readonly differing: (ids: readonly SqlValue[], context: Context) => Work<SqlValue[]>;
  /** Keeps of these objects what is computed; of all, where that is done at once. */
  readonly renew: (ids: readonly SqlValue[], context: Context) => Work<void>;
  /** What is kept of objects that are there no longer: a `select` of the IDs of their rows, and how it is dropped. */
  readonly gone?: {
    readonly find: Sql;
    readonly drop: (context: Context) => Work<void>;
  };
}
