import type { Dialect } from './database';
import { sql, type Sql, type SqlValue } from './sql';

type Rows = Pick<Dialect, 'jsonRows' | 'among'>;

/** The table `r(id)` of these IDs of rows. */
export const rowIds = (ids: readonly SqlValue[], dialect: Rows): Sql =>
  dialect.jsonRows(sql`${JSON.stringify(ids.map((id) => [Number(id)]))}`, [
    { name: 'id', type: 'bigint' },
  ]);

/** The end of a condition on a column: its value is one of these IDs of rows. */
export function amongRows(ids: readonly SqlValue[], dialect: Rows): Sql {
  const [first = null, ...others] = ids;
  return others.length === 0
    ? sql`= ${first}`
    : dialect.among(sql`select r.id from ${rowIds(ids, dialect)}`);
}
