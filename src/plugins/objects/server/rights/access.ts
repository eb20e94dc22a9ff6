/**
 * The table of rights of a type, compiled for one role and the present switches of the site: the facts that are read
 * with an object, and the conditions of lists.
 */
import type { Role } from '../../../../core/caller';
import type { ErrorKey } from '../../../../core/errors';
import { anyOf, ALWAYS, literal, NEVER, raw, slot, sql, type Sql } from '../database/sql';
import type { Field, Resource, Resources } from '../define/completed';
import { endsOf } from '../define/references';
import type { RelationScope } from './relations';
import { extentOf, refusalOf, type Extent, type Row } from './row';
import type { SwitchName } from './switches';
import { EXACT } from './views';

/** The slot of the caller's ID, which is empty without an account. */
export const CALLER = 'caller';

export interface TypeAccess {
  readonly role: Role;
  /** The objects to which the right to an action extends. */
  extent(action: string): Extent;
  /** The key that refuses the action where that is none. */
  refusal(action: string): ErrorKey;
  /** The objects, of those that the caller may read, of which it sees or writes a field. */
  seen(field: Field): Extent;
  written(field: Field): Extent;
  /** The condition that the caller has a relation to the row of this alias. */
  relation(name: string, alias: string): Sql;
  /** The condition that an extent includes the row of this alias. */
  condition(extent: Extent, alias: string): Sql;
  /** The name of the caller's view of the row of this alias, as SQL; null if it sees every row exactly. */
  view(alias: string): Sql | null;
}

/** What the compilation needs of other types. */
export interface Neighbors {
  readonly resources: Resources;
  /** The access of the same callers to another type. */
  readonly access: (type: string) => TypeAccess | undefined;
}

const NONE: Extent = [];

export function compileAccess(
  resource: Resource,
  role: Role,
  on: ReadonlySet<SwitchName>,
  neighbors: Neighbors,
): TypeAccess {
  const relation = (name: string, alias: string): Sql | null =>
    resource.relations.get(name)?.(scopeOf(resource, role, alias, neighbors)) ?? null;
  // Compiled when first needed, because two types may have relations through each other.
  const extents = new Map<Row, Extent>();
  const possible = (row: Row | undefined): Extent => {
    if (!row) return NONE;
    const known = extents.get(row);
    if (known) return known;
    const declared = extentOf(row, role, on);
    const extent =
      declared === 'all' ? declared : declared.filter((name) => relation(name, 'o') !== null);
    extents.set(row, extent);
    return extent;
  };
  const access: TypeAccess = {
    role,
    extent: (action) => possible(resource.rights.get(action)),
    refusal: (action) => {
      const row = resource.rights.get(action);
      return row ? refusalOf(row, role, on) : 'NOT_PERMITTED';
    },
    seen: (field) => possible(field.seen),
    written: (field) => possible(field.written),
    relation: (name, alias) => relation(name, alias) ?? NEVER,
    condition: (extent, alias) =>
      extent === 'all' ? ALWAYS : anyOf(extent.map((name) => access.relation(name, alias))),
    view(alias) {
      if (!resource.views) return null;
      const exact = possible(resource.views.exact);
      if (exact === 'all') return null;
      const other = resource.views.others(scopeOf(resource, role, alias, neighbors));
      return sql`case when ${access.condition(exact, alias)} then ${literal(EXACT)} else ${other} end`;
    },
  };
  return access;
}

function scopeOf(
  resource: Resource,
  role: Role,
  alias: string,
  neighbors: Neighbors,
): RelationScope {
  const { resources } = neighbors;
  const columnOf = (name: string): string =>
    `${alias}.${resource.fields.get(name)?.columns[0] ?? 'null'}`;
  return {
    column: (name) => raw(columnOf(name)),
    isCaller(name) {
      if (role === 'anonymous') return null;
      const to = resource.fields.get(name)?.to ?? null;
      const target = to === null ? undefined : resources.get(to);
      const caller = slot(CALLER);
      return target
        ? sql`${raw(columnOf(name))} = (select u.id from ${raw(target.table)} u where u.document_id = ${caller})`
        : sql`${raw(columnOf(name))} = ${caller}`;
    },
    through: (reference, right) => throughReference(resource, reference, right, alias, neighbors),
  };
}

/** The condition that the caller has a right to an object that the row refers to, or that refers to the row. */
function throughReference(
  resource: Resource,
  reference: string,
  right: string,
  alias: string,
  { resources, access }: Neighbors,
): Sql | null {
  const ends = endsOf(resource, reference, resources);
  const other = ends?.other;
  const theirs = other && access(other.type);
  if (!ends || !other || !theirs) return null;
  const extent = other.relations.has(right) ? [right] : theirs.extent(right);
  const [far, links] = [`${alias}_r`, `${alias}_l`];
  const has = extent === 'all' ? ALWAYS : theirs.condition(extent, far);
  if (has === NEVER) return null;
  const { field, isInverse } = ends;
  const [from, to] = isInverse ? [far, alias] : [alias, far];
  const table = raw(`${other.table} ${far}`);
  if (!field.link)
    return sql`exists (select 1 from ${table} where ${raw(`${to}.id = ${from}.${field.columns[0]}`)} and ${has})`;
  const { link } = field;
  const joined = raw(`${links}.${link.source} = ${from}.id and ${links}.${link.target} = ${to}.id`);
  return sql`exists (select 1 from ${raw(`${link.table} ${links}`)}, ${table} where ${joined} and ${has})`;
}
