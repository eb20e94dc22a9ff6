/**
 * The order of the keys of a table with a row for each audience: that of time, but for rows of the same time, and for a key
 * that was taken (`audiences.ts`).
 */
import { ALWAYS, limitTo, raw, sql, type Sql } from '../../database/sql';
import type { Field } from '../../declare/completed';
import { isForEverybody } from '../../declare/row';
import { BITS, leastKey } from '../projection/keys';
import { allOf, type Source } from './source';
import { isSpan } from '../../kinds/traits';

/** Whether the order is that of the keys of rows, but for those of the same time. */
export const isInKeyOrder = (
  { resource: { searched } }: Source,
  [only, ...others]: readonly { readonly field: Field }[],
): boolean =>
  only !== undefined &&
  isSpan(only.field) &&
  others.length === 0 &&
  searched?.fields.includes(only.field.name) === true &&
  isForEverybody(only.field.seen);

const SPAN = 1n << BITS;
const bits = raw(String(BITS));

/**
 * The condition that a row is among the first ones that are met in the order of their keys: up to the end of the time of
 * the last one, and of the time beside it, among whose keys one of this time may be.
 */
export function nearest(
  key: Sql,
  rows: Sql,
  isDescending: boolean,
  after: readonly (string | number)[] | null,
  most: number,
): Sql {
  const start = after === null ? null : leastKey(Number(after[0]));
  const from =
    start === null
      ? ALWAYS
      : isDescending
        ? sql`${key} < ${raw(String(start + 2n * SPAN))}`
        : sql`${key} >= ${raw(String(start))}`;
  const met = sql`(select ${key} as key ${rows} and ${from}
    order by ${key}${raw(isDescending ? ' desc' : '')}${limitTo(most)})`;
  const last = isDescending
    ? sql`${key} >= (select ((min(m.key) >> ${bits}) - 1) << ${bits} from ${met} m)`
    : sql`${key} < (select ((max(m.key) >> ${bits}) + 2) << ${bits} from ${met} m)`;
  return allOf([from, last]);
}

/** Rows without a time. */
export const untimed = (key: Sql): Sql => sql`${key} < ${raw(String(leastKey(null) + 2n * SPAN))}`;
