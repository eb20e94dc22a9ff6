/**
 * A page in the order of time out of the first rows in it, before anything is counted: most of what is common is met at
 * once, and no index says that it is common.
 */
import { join, raw, sql, type Sql } from '../database/sql';
import { isInKeyOrder } from './key-order';
import { GLANCED } from './limits';
import type { Cut } from './order';
import { direction, keyOf, laterThan } from './sort-keys';
import { allOf, selectedFrom } from './source';
import type { GlanceWay } from './ways';

/**
 * Rows in their order, from a place on, among the first `GLANCED` of all: fewer than `limit` say nothing of those behind.
 *
 * @param first the condition of these rows
 * @returns null where it is of no use: for another order, and for pages far behind
 */
export function glanceOf({ source, where, first }: GlanceWay, cut: Cut): Sql | null {
  const { sort, after, limit, offset } = cut;
  const { resource, dialect, table } = source;
  const [only] = sort;
  if (!only || !isInKeyOrder(source, sort) || after?.keys[0] === null) return null;
  if (offset + limit > GLANCED) return null;
  const key = keyOf(source, only, true);
  const { columns, selected, isDescending, documentId, has } = key;
  const order = join([...columns, documentId].map((one) => sql`${one}${direction(isDescending)}`));
  const met = allOf([has, laterThan(key, after), first]);
  const rows = sql`(select s.* from ${raw(table)} s where ${met} order by ${order} limit ${raw(String(GLANCED))}) s`;
  const from = selectedFrom(resource, rows, dialect.joinInOrder)(where);
  return sql`select ${join([documentId, ...selected])} from ${from} where ${where}${dialect.keepOrder(order)}
    limit ${limit} offset ${offset}`;
}
