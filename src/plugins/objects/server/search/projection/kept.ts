/** Keeps what searches need of objects, in the transaction of each change. */
import { raw, sql } from '../../database/sql';
import type { Kept, KeptCheck } from '../../declare/behavior';
import type { Resource, Resources } from '../../declare/completed';
import { following } from './follow';
import { projectionOf, type Projection } from './projection';
import { rebuilding } from './rebuild';
import { projectedRows, type ProjectedRows } from './rows';

/** The types with what searches need of their objects kept in the transaction of each change. */
export function withSearch(resources: Resources): Resources {
  const all = new Map<string, Resource>();
  const types: string[] = [];
  for (const [type, resource] of resources) {
    const kept = searchKept(resource, all, types);
    if (kept) types.push(type);
    all.set(type, kept ? { ...resource, kept: [...resource.kept, kept] } : resource);
  }
  return all;
}

/** @param types those that searches keep something of, as soon as all are known */
function searchKept(
  resource: Resource,
  resources: Resources,
  types: readonly string[],
): Kept | null {
  const projection = projectionOf(resource, resources);
  if (!projection) return null;
  const rows = projectedRows(projection);
  return {
    name: 'search',
    of: resource.type,
    fields: [...projection.fields],
    keptIn: projection.keptIn,
    renew: (ids, context) => rows.renew(ids, context),
    followsAtOnce: true,
    follow: following(resource, projection, rows),
    checks: [checkOf(projection, rows)],
    ...rebuilding(projection, rows, types),
  };
}

function checkOf(
  { type, table, rows, names, differing }: Projection,
  { renew, dropGone }: ProjectedRows,
): KeptCheck {
  const gone = sql`id not in (select o.id from ${raw(table)} o)`;
  const ofNames = names ? sql` union select id ${names} and ${gone}` : raw('');
  return {
    kind: 'projections',
    over: type,
    differing,
    renew: (ids, context) => renew(ids, context),
    gone: {
      find: sql`select id ${rows} and ${gone}${ofNames}`,
      drop: (context) => dropGone(gone, context, true),
    },
  };
}
