/** How one object is read without looking up again what is kept of it. */
import { anyOf, raw, sql } from '../database/sql';
import type { Resource } from '../declare/completed';
import type { TypeAccess } from '../rights/access';
import type { Columns } from './columns';
import { compileSelect, ofOne, type ObjectSelect } from './select';

/**
 * The statement with which these callers read an object: by what is kept, unless the row says that it does not count, because
 * objects wait to be generalized anew, or that strangers are told later of the object. What is known now takes about as long
 * to look up as the object itself.
 *
 * @param access by what is known now, and by what is kept (`Neighbors.isKept`)
 */
export function compileRead(
  resource: Resource,
  { now, kept }: Readonly<Record<'now' | 'kept', TypeAccess>>,
  actions: readonly string[],
  columns: Columns,
): ObjectSelect {
  const whole = compileSelect(resource, now, actions, columns);
  const { views, fields } = resource;
  const isWaiting = views?.kept?.isWaiting;
  if (!isWaiting || now.exact() === 'all') return whole;
  const quick = compileSelect(resource, kept, actions, columns);
  const untold = fields
    .get(views.untold ?? '')
    ?.columns.map((name) => raw(`o.${name} is not null`));
  const isOutdated = anyOf([isWaiting, ...(untold ?? [])]);
  return {
    sql: ofOne(resource, [...quick.columns, sql`case when ${isOutdated} then 1 else 0 end`]),
    read: (row) => quick.read(row),
    instead: { of: (row) => Number(row.at(-1)) !== 0, select: whole },
  };
}
