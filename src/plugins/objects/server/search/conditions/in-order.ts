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

/**
 * The same in a descending order, where a page of the first partition comes first: of the others only rows are met that are not behind
 * it. Where nothing is found in them, not all of their rows are looked at.
 *
 * @param others the rows of the other partitions whose first value is not less than one, all of them where that is null
 * @param size the rows of a whole page
 */
export function metBehind(
  shown: readonly Sql[],
  by: Order,
  first: Sql,
  others: (value: Sql) => readonly Sql[],
  most: Sql,
  size: number,
): Sql {
  const { named, columns, order } = namesOf(shown, by);
  const last = sql`(select case when count(*) = ${raw(String(size))} then min(k0) end from f)`;
  const each = others(last).map(
    (one) => sql` union all select * from (select ${named} ${one} order by ${order}${most}) m`,
  );
  return sql`select * from (with f as materialized (select ${named} ${first} order by ${order}${most})
    select ${columns} from (select * from f${join(each, '')}) q order by ${order}${most}) w`;
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
  return sql`select * from (select ${columns}
    from (${dialect.collected(allOfThem(named, rows))}) q order by ${order}${most}) w`;
}

/** The same, as far as `cut` has them, with the number of all before each (`numberBefore`). */
export function counted(shown: readonly Sql[], by: Order, rows: readonly Sql[], cut: Sql): Sql {
  const { named, columns, order } = namesOf(shown, by, shown);
  return sql`with q as materialized (${allOfThem(named, rows)}), n(n) as (select cast(count(*) as integer) from q)
    ${numberBefore(sql`select ${columns} from q order by ${order}${cut}`)}`;
}

/** The number `n` of a `with` before each row of a page; where that has none, one row, and nothing behind the number. */
export const numberBefore = (page: Sql): Sql =>
  sql`select n.n, p.* from n left join (${page}) p on 1 = 1`;

const allOfThem = (named: Sql, rows: readonly Sql[]): Sql =>
  join(
    rows.map((one) => sql`select ${named} ${one}`),
    ' union all ',
  );

/** @param shared the values that are ordered by and shown, and have one name for both */
function namesOf(shown: readonly Sql[], by: Order, shared: readonly Sql[] = []) {
  const columns = shown.map((column, at) => [raw(`c${at}`), column] as const);
  const keys = by.map(([value, to], at) => {
    const [name] = columns[shared.indexOf(value)] ?? [];
    return { name: name ?? raw(`k${at}`), value, to, isShown: name !== undefined };
  });
  const further = keys
    .filter(({ isShown }) => !isShown)
    .map(({ name, value }) => [name, value] as const);
  return {
    named: join([...columns, ...further].map(([name, value]) => sql`${value} as ${name}`)),
    columns: join(columns.map(([name]) => name)),
    order: orderOf(keys.map(({ name, to }) => [name, to])),
  };
}
