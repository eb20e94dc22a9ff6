/** Rows of the partitions of a search in one order. */
import type { Dialect } from '../../database/database';
import { join, raw, sql, type Sql } from '../../database/sql';

/** What rows are ordered by: values, each with its direction. */
type Order = readonly (readonly [value: Sql, to: Sql])[];

const orderOf = (order: Order): Sql => join(order.map(([value, to]) => sql`${value}${to}`));

/**
 * Rows that are met in their order, in each partition from the first on.
 *
 * @param rows of each partition, from its `from` on
 * @param most how many, as the end of a `select`
 */
export function met(shown: readonly Sql[], by: Order, rows: readonly Sql[], most: Sql): Sql {
  const [only, ...others] = rows;
  if (only && others.length === 0)
    return sql`select * from (select ${join(shown)} ${only} order by ${orderOf(by)}${most}) w`;
  const { named, columns, order } = namesOf(shown, by);
  const each = rows.map(
    (one) => sql`select * from (select ${named} ${one} order by ${order}${most}) m`,
  );
  return sql`select * from (select ${columns} from (${join(each, ' union all ')}) q order by ${order}${most}) w`;
}

/** Rows that are collected first, and then sorted. */
export function collected(
  dialect: Dialect,
  shown: readonly Sql[],
  by: Order,
  rows: readonly Sql[],
  most: Sql,
): Sql {
  const { named, columns, order } = namesOf(shown, by);
  const all = join(
    rows.map((one) => sql`select ${named} ${one}`),
    ' union all ',
  );
  return sql`select * from (select ${columns}
    from (${dialect.collected(all)}) q order by ${order}${most}) w`;
}

function namesOf(shown: readonly Sql[], by: Order) {
  const columns = shown.map((column, at) => [raw(`c${at}`), column] as const);
  const keys = by.map(([value, to], at) => [raw(`k${at}`), value, to] as const);
  return {
    named: join([...columns, ...keys].map(([name, value]) => sql`${value} as ${name}`)),
    columns: join(columns.map(([name]) => name)),
    order: orderOf(keys.map(([name, , to]) => [name, to])),
  };
}
