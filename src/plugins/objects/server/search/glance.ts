/**
 * A page out of the first rows in its order, before anything is counted: most of what is common is met at once, and no
 * index says that it is common.
 */
import { join, raw, sql } from '../database/sql';
import { GLANCED } from './limits';
import type { Cut, Page } from './order';
import { direction, keyOf, laterThan, placeIn } from './sort-keys';
import { allOf, needsOwnTable, selectedFrom } from './source';
import type { GlanceWay } from './ways';

/**
 * Rows in their order, from a place on, among the first `GLANCED` of all: fewer than `limit` say nothing of those behind.
 *
 * @param first the condition of these rows
 * @returns null where no index has the order
 */
export function glanceOf({ source, where, first }: GlanceWay, cut: Cut): Page | null {
  const { sort, after, limit, offset } = cut;
  const keys = sort.map((one) => keyOf(source, one, true));
  const [key] = keys;
  const isOrdered = source.resource.searched !== null && !key?.columns.some(needsOwnTable);
  if (!key || keys.length > 1 || !isOrdered || after?.keys[0] === null) return null;
  const { columns, selected, isDescending, documentId, has } = key;
  const order = join([...columns, documentId].map((one) => sql`${one}${direction(isDescending)}`));
  const met = allOf([has, laterThan(key, after), first]);
  const rows = sql`(select s.* from ${raw(source.table)} s where ${met} order by ${order} limit ${raw(String(GLANCED))}) s`;
  const from = selectedFrom(source.resource, rows)(where);
  return {
    sql: sql`select ${join([documentId, ...selected])} from ${from} where ${where}${source.dialect.keepOrder(order)}
      limit ${limit} offset ${offset}`,
    place: (row) => placeIn(row, keys),
  };
}
