/**
 * What callers of one role may do with the objects of a type, while the site is as it is: the table of rights, compiled.
 * From it come the facts that are read with an object, and the conditions of lists.
 */
import type { Role } from '../../../../core/caller';
import type { ErrorKey } from '../../../../core/errors';
import { anyOf, ALWAYS, NEVER, raw, slot, sql, type Sql } from '../database/sql';
import type { Field, Resource, Resources } from '../define/completed';
import type { Relation, RelationScope } from './relations';
import { extentOf, refusalOf, type Extent, type Row } from './row';
import type { SwitchName } from './switches';

/** The parameter that holds the caller's ID, empty for whoever has none. */
export const CALLER = 'caller';

export interface TypeAccess {
  readonly role: Role;
  /** To which objects the right to an action extends. */
  extent(action: string): Extent;
  /** What the caller is told where that is none. */
  refusal(action: string): ErrorKey;
  /** Of those who may read an object, who sees a field, and who writes it. */
  seen(field: Field): Extent;
  written(field: Field): Extent;
  /** Of those who may read an object, who sees it as it is stored. */
  readonly exact: Extent;
  /** Whether the caller has a relation to the row of this alias. */
  relation(name: string, alias: string): Sql;
  /** Whether an extent reaches the row of this alias. */
  condition(extent: Extent, alias: string): Sql;
  /** The name of the view of the row for whoever does not see it exactly; null where all do. */
  view(alias: string): Sql | null;
}

/** What has to be known of other types. */
export interface Neighbors {
  readonly resources: Resources;
  /** What the same callers may do with the objects of another type. */
  readonly access: (type: string) => TypeAccess | undefined;
}

const NONE: Extent = [];

export function compileAccess(
  resource: Resource,
  role: Role,
  on: ReadonlySet<SwitchName>,
  neighbors: Neighbors,
): TypeAccess {
  const relationOf = (name: string): Relation | undefined => resource.relations.get(name);
  const possible = (row: Row): Extent => {
    const extent = extentOf(row, role, on);
    if (extent === 'all' || role !== 'anonymous') return extent;
    return extent.filter((name) => relationOf(name)?.needsAccount === false);
  };
  const extents = new Map(
    [...resource.rights].map(([action, row]): [string, Extent] => [action, possible(row)]),
  );
  const extentsOf = (row: (field: Field) => Row): ReadonlyMap<string, Extent> =>
    new Map([...resource.fields.values()].map((field) => [field.name, possible(row(field))]));
  const seen = extentsOf((field) => field.seen);
  const written = extentsOf((field) => field.written);
  const access: TypeAccess = {
    role,
    extent: (action) => extents.get(action) ?? NONE,
    refusal: (action) => {
      const row = resource.rights.get(action);
      return row ? refusalOf(row, role, on) : 'NOT_PERMITTED';
    },
    seen: ({ name }) => seen.get(name) ?? NONE,
    written: ({ name }) => written.get(name) ?? NONE,
    exact: resource.views ? possible(resource.views.exact) : 'all',
    relation: (name, alias) => relationOf(name)?.sql(scopeOf(resource, alias, neighbors)) ?? NEVER,
    condition: (extent, alias) =>
      extent === 'all' ? ALWAYS : anyOf(extent.map((name) => access.relation(name, alias))),
    view: (alias) => resource.views?.others(scopeOf(resource, alias, neighbors)) ?? null,
  };
  return access;
}

function scopeOf(resource: Resource, alias: string, neighbors: Neighbors): RelationScope {
  const { resources } = neighbors;
  const columnOf = (name: string): string =>
    `${alias}.${resource.fields.get(name)?.columns[0] ?? 'null'}`;
  return {
    column: (name) => raw(columnOf(name)),
    isCaller(name) {
      const to = resource.fields.get(name)?.to ?? null;
      const target = to === null ? undefined : resources.get(to);
      const caller = slot(CALLER);
      return target
        ? sql`${raw(columnOf(name))} = (select u.id from ${raw(target.table)} u where u.document_id = ${caller})`
        : sql`${raw(columnOf(name))} = ${caller}`;
    },
    isReferredTo: (reference) => referredTo(reference, alias, neighbors),
  };
}

/** Whether an object that the caller may read refers to the row of this alias. */
function referredTo(reference: string, alias: string, { resources, access }: Neighbors): Sql {
  const [type = '', name = ''] = reference.split('.');
  const from = resources.get(type);
  const field = from?.fields.get(name);
  const theirs = access(type);
  if (!from || !field || !theirs) return NEVER;
  const referrer = `${alias}_r`;
  const readable = theirs.condition(theirs.extent('read'), referrer);
  const table = raw(`${from.table} ${referrer}`);
  if (field.link) {
    const { link } = field;
    return sql`exists (select 1 from ${raw(link.table)} l join ${table} on ${raw(`${referrer}.id = l.${link.source}`)}
      where ${raw(`l.${link.target} = ${alias}.id`)} and ${readable})`;
  }
  const [column] = field.columns;
  if (column === undefined) return NEVER;
  return sql`exists (select 1 from ${table} where ${raw(`${referrer}.${column} = ${alias}.id`)} and ${readable})`;
}
