/** Conditions of lists where strangers are told later of some objects (`ViewsDeclaration.untold`). */
import { ALWAYS, anyOf, literal, raw, sql, type Sql } from '../database/sql';
import type { Resource } from '../declare/completed';
import { told, type RelationScope } from '../declare/relations';
import { EXACT } from '../declare/views';

/**
 * What relations may ask of a row, where strangers are told later of some.
 *
 * @param isSearched the row is of a table that is made for searches, which has none for strangers of what they are not told
 * @param isOfOne what is open by now is read at once; lists have it when the job has told it
 */
export function untoldScope(
  { views }: Resource,
  scope: () => RelationScope,
  { isSearched, isOfOne }: { readonly isSearched: boolean; readonly isOfOne: boolean },
): Pick<RelationScope, 'isTold' | 'isUntold'> {
  const name = views?.untold ?? null;
  if (!views || name === null || isSearched) return { isTold: () => ALWAYS, isUntold: () => null };
  const isTold = (): Sql => sql`${scope().column(name)} is null`;
  const isOpen = (): Sql => sql`${views.others(scope())} = ${literal(EXACT)}`;
  return {
    isTold: () => (isOfOne ? anyOf([isTold(), isOpen()]) : isTold()),
    isUntold: () => sql`${scope().column(name)} is not null`,
  };
}

/** The condition of one of a caller's relations to the row of an alias. */
type RelationTo = (name: string, alias: string) => Sql;

/** A condition of rows in two parts. */
export interface Parted {
  /** Nearly all rows meet it. */
  readonly usual: Sql;
  /** Selects the IDs of all others, as `id`: it depends on no other row, and takes long to plan. */
  readonly others: Sql;
}

/**
 * The condition that a caller has one of these relations to the row of an alias, where strangers are told later of some objects:
 * nearly all are told. The other relations are asked for among those that are not, which are few, so that an index of what is
 * told leads through all. Null where there are not both.
 *
 * @param relation the condition of one of them
 */
export function partedRelation(
  { views, table, fields, relations }: Resource,
  names: readonly string[],
  alias: string,
  relation: RelationTo,
): Parted | null {
  const isTold = (name: string): boolean => relations.get(name) === told;
  const others = names.filter((name) => !isTold(name));
  const [column] = fields.get(views?.untold ?? '')?.columns ?? [];
  if (column === undefined || others.length === 0 || others.length === names.length) return null;
  const of = (some: readonly string[], row: string): Sql =>
    anyOf(some.map((name) => relation(name, row)));
  return {
    usual: of(names.filter(isTold), alias),
    others: sql`select u.id from ${raw(table)} u where u.${raw(column)} is not null and ${of(others, 'u')}`,
  };
}

/** The same in one part, where there are not both, too. */
export function anyRelation(
  resource: Resource,
  names: readonly string[],
  alias: string,
  relation: RelationTo,
): Sql {
  const parts = partedRelation(resource, names, alias, relation);
  return parts
    ? anyOf([parts.usual, sql`${raw(alias)}.id in (${parts.others})`])
    : anyOf(names.map((name) => relation(name, alias)));
}
