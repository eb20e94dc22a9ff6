/**
 * The table of rights of a type, compiled for one role and the present switches of the site: the facts that are read
 * with an object, and the conditions of lists.
 */
import type { Role } from '../../../../core/caller';
import type { ErrorKey } from '../../../../core/errors';
import { anyOf, ALWAYS, join, literal, NEVER, raw, slot, sql, type Sql } from '../database/sql';
import type { Dialect } from '../database/database';
import type { Field, Resource, Resources } from '../declare/completed';
import { endsOf, storedNames, type Ends } from '../declare/references';
import type { ClaimUse, Level, RelationScope } from '../declare/relations';
import { extentOf, refusalOf, type Extent, type RightsRow } from '../declare/row';
import type { PrivacySettings } from '../site/settings';
import type { SwitchName } from '../site/switches';
import { CALLER, CALLER_ROW, CLAIMS, NOW, type CallerKind } from './caller-args';
import { anyRelation, partedRelation, untoldScope, type Parted } from './untold';
import { EXACT } from '../declare/views';

export interface TypeAccess {
  readonly role: Role;
  /** The objects to which the right to an action extends. */
  extent(action: string): Extent;
  /** The objects among these whose `permissions` list the action. */
  offered(action: string): Extent;
  /** The key that refuses the action for the other objects. */
  refusal(action: string): ErrorKey;
  /** The objects, of those that the caller may read, of which it sees or writes a field. */
  seen(field: Field): Extent;
  written(field: Field): Extent;
  /** The objects of which it reads the wider value of a figure. */
  wider(field: Field): Extent;
  /** The condition that the caller has a relation to the row of this alias. */
  relation(name: string, alias: string): Sql;
  /** The condition that an extent includes the row of this alias. */
  condition(extent: Extent, alias: string): Sql;
  /** The same in two parts; null where it has one. */
  parted(extent: Extent, alias: string): Parted | null;
  /** The condition that the caller is told the object in the row `item` by a list of the row of this alias. */
  told(list: Field, alias: string, item: string): Sql;
  /** The name of the caller's view of the row of this alias, as SQL; null if it sees every row exactly. */
  view(alias: string): Sql | null;
  /** The objects that the caller sees exactly. */
  readonly exact: () => Extent;
  /** The name of the view of whoever does not see the row exactly, as SQL; null for a type without views. */
  strangersView(alias: string): Sql | null;
}

/** What the compilation needs of other types. */
export interface Neighbors {
  readonly resources: Resources;
  readonly dialect: Dialect;
  /** What the same callers may do with the objects of another type. */
  readonly access: (type: string) => TypeAccess | undefined;
  /** What of the site's settings decides over views. */
  readonly privacy: PrivacySettings;
  /** Whether the conditions are for statements that find one object by its ID. */
  readonly isOfOne?: true;
  /** Whether what is kept of objects counts: the statement says itself where it does not. */
  readonly isKept?: true;
}

const NONE: Extent = [];

/** The alias of a row of the table that is made for searches (`search/conditions/source.ts`). */
const SEARCHED = 's';

/** The type whose accepted objects let two people share what they own. */
const COLLABORATION = 'collaboration';

/** The conditions that a claim `c` still permits something. */
const CLAIM_LASTS: Readonly<Record<ClaimUse, Sql>> = {
  access: sql`(c.ends_at is null or c.ends_at > ${slot(NOW)})`,
  adoption: sql`c.adopt_until > ${slot(NOW)}`,
  knowledge: sql`c.known_until > ${slot(NOW)}`,
  report: sql`c.reads_until > ${slot(NOW)}`,
};

export function compileAccess(
  resource: Resource,
  kind: CallerKind,
  on: ReadonlySet<SwitchName>,
  neighbors: Neighbors,
): TypeAccess {
  const { role } = kind;
  const relation = (name: string, alias: string): Sql | null =>
    resource.relations.get(name)?.(scopeOf(resource, kind, alias, neighbors)) ?? null;
  const related = (name: string, alias: string): Sql => relation(name, alias) ?? NEVER;
  // When it is first needed: of two types, each may have relations through the other.
  const extents = new Map<RightsRow, Extent>();
  const possible = (row: RightsRow | undefined): Extent => {
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
    offered: (action) => {
      const row = resource.offered.get(action);
      return row ? possible(row) : 'all';
    },
    refusal: (action) => {
      const row = resource.rights.get(action);
      return row ? refusalOf(row, role, on) : 'NOT_PERMITTED';
    },
    seen: (field) => possible(field.seen),
    written: (field) => possible(field.written),
    wider: ({ figure }) => possible(figure?.wider?.seen),
    relation: related,
    condition: (extent, alias) =>
      extent === 'all' ? ALWAYS : anyRelation(resource, extent, alias, related),
    parted: (extent, alias) =>
      extent === 'all' ? null : partedRelation(resource, extent, alias, related),
    told(list, alias, item) {
      const [exact, view] = [access.exact(), access.strangersView(alias)];
      if (!list.told || exact === 'all' || !view) return ALWAYS;
      const { privacy, isKept = false } = neighbors;
      return anyOf([list.told(item, view, privacy, isKept), access.condition(exact, alias)]);
    },
    exact: () => (resource.views ? possible(resource.views.exact) : 'all'),
    strangersView: (alias) =>
      resource.views?.others(scopeOf(resource, kind, alias, neighbors)) ?? null,
    view(alias) {
      const exact = access.exact();
      const other = access.strangersView(alias);
      if (exact === 'all' || !other) return null;
      return sql`case when ${access.condition(exact, alias)} then ${literal(EXACT)} else ${other} end`;
    },
  };
  return access;
}

function scopeOf(
  resource: Resource,
  { role, claims }: CallerKind,
  alias: string,
  neighbors: Neighbors,
): RelationScope {
  const { resources, dialect } = neighbors;
  const columnOf = (name: string): string =>
    `${alias}.${resource.fields.get(name)?.columns[0] ?? 'null'}`;
  // A row of a table that is made for searches has some of the fields: the others are looked up.
  const isIn = (row: string, name: string): boolean =>
    row !== SEARCHED || (resource.searched?.fields.includes(name) ?? true);
  const ofOwnTable = (row: string, name: string): Sql =>
    raw(
      `(select x.${resource.fields.get(name)?.columns[0] ?? 'null'} from ${resource.table} x where x.id = ${row}.id)`,
    );
  const scope: RelationScope = {
    alias,
    column: (name) => (isIn(alias, name) ? raw(columnOf(name)) : ofOwnTable(alias, name)),
    isCaller(name) {
      if (role === 'anonymous') return null;
      const to = resource.fields.get(name)?.to ?? null;
      return sql`${raw(columnOf(name))} = ${slot(to === null ? CALLER : CALLER_ROW)}`;
    },
    isMember(reference, roles) {
      if (role === 'anonymous') return null;
      const { link } = resource.fields.get(reference) ?? {};
      const [member, links] = [`${alias}_m`, `${alias}_l`];
      const has = sql`${raw(`${member}.account`)} = ${slot(CALLER_ROW)}
        and ${raw(`${member}.role`)} in (${join(roles.map(literal))})`;
      const members = raw(`oms_memberships ${member}`);
      return link
        ? sql`exists (select 1 from ${raw(`${link.table} ${links}`)}, ${members}
            where ${raw(`${links}.${link.source} = ${alias}.id and ${member}.org = ${links}.${link.target}`)} and ${has})`
        : sql`exists (select 1 from ${members} where ${raw(`${member}.org = ${alias}.id`)} and ${has})`;
    },
    collaborates(name, levels) {
      if (role === 'anonymous' || !resources.has(COLLABORATION)) return null;
      const owner = raw(columnOf(name));
      const sides = agreedWith(resources, levels);
      // Of one object, two look-ups are faster than a list.
      return neighbors.isOfOne
        ? anyOf(sides.map((users) => sql`exists (${users('theirs', owner)})`))
        : sql`${owner} in (${join(
            sides.map((users) => users('theirs')),
            ' union all ',
          )})`;
    },
    isClaimed: (use) =>
      claims
        ? sql`exists (select 1 from oms_claims c
            where c.object = ${raw(`${alias}.document_id`)} and ${isHeld(use, dialect)})`
        : null,
    through: (reference, right) => throughReference(resource, reference, right, alias, neighbors),
    isInside(reference) {
      const ends = endsOf(resource, reference, resources);
      const theirs = ends && neighbors.access(ends.other.type);
      const inside = theirs?.condition(theirs.exact(), `${alias}_r`) ?? NEVER;
      return ends && inside !== NEVER ? existsAt(ends, alias, inside) : NEVER;
    },
    ...untoldScope(resource, () => scope, {
      isSearched: alias === SEARCHED,
      isOfOne: neighbors.isOfOne === true && !neighbors.isKept,
    }),
    privacy: neighbors.privacy,
  };
  return scope;
}

/**
 * Those with whom the caller shares what they own, for each side of an agreement: a `select` of the IDs of their rows under
 * a name, or of one of them.
 */
export function agreedWith(
  resources: Resources,
  levels: readonly Level[],
): readonly ((name: string, one?: Sql) => Sql)[] {
  if (!resources.has(COLLABORATION)) return [];
  const { table, column } = storedNames(resources);
  const of = (field: string): Sql => sql`c.${column(COLLABORATION, field)}`;
  const sides = [
    ['from', 'to'],
    ['to', 'from'],
  ] as const;
  return sides.map(([theirs, own]) => (name, one) => {
    const isOne = one ? sql` and ${of(theirs)} = ${one}` : raw('');
    return sql`select ${of(theirs)} as ${raw(name)} from ${table(COLLABORATION)} c
      where ${of(own)} = ${slot(CALLER_ROW)} and ${of('state')} = 'accepted'
      and ${of('level')} in (${join(levels.map(literal))})${isOne}`;
  });
}

/** The condition that the caller carries the claim in the row `c` of `oms_claims`, and that it still permits something. */
export const isHeld = (use: ClaimUse, dialect: Dialect): Sql =>
  sql`${CLAIM_LASTS[use]}
    and c.hash in (select j.value from ${dialect.jsonItems(sql`${slot(CLAIMS)}`)})`;

/** The condition that the caller has a right to an object that the row refers to, or that refers to the row. */
function throughReference(
  resource: Resource,
  reference: string,
  right: string,
  alias: string,
  { resources, access }: Pick<Neighbors, 'resources' | 'access'>,
): Sql | null {
  const ends = endsOf(resource, reference, resources);
  const other = ends?.other;
  const theirs = other && access(other.type);
  if (!ends || !other || !theirs) return null;
  const extent = other.relations.has(right) ? [right] : theirs.extent(right);
  const far = `${alias}_r`;
  const has = extent === 'all' ? ALWAYS : theirs.condition(extent, far);
  if (has === NEVER) return null;
  const told = ends.isInverse ? theirs.told(ends.field, far, alias) : ALWAYS;
  return existsAt(ends, alias, told === ALWAYS ? has : sql`(${told} and ${has})`);
}

/** Whether an object at the other end of a reference meets a condition. @param has of the alias `<alias>_r` */
function existsAt({ field, isInverse, other }: Ends, alias: string, has: Sql): Sql {
  const [far, links] = [`${alias}_r`, `${alias}_l`];
  const [from, to] = isInverse ? [far, alias] : [alias, far];
  const table = raw(`${other.table} ${far}`);
  if (!field.link)
    return sql`exists (select 1 from ${table} where ${raw(`${to}.id = ${from}.${field.columns[0]}`)} and ${has})`;
  const { link } = field;
  const joined = raw(`${links}.${link.source} = ${from}.id and ${links}.${link.target} = ${to}.id`);
  return sql`exists (select 1 from ${raw(`${link.table} ${links}`)}, ${table} where ${joined} and ${has})`;
}
