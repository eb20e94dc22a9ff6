/**
 * The relations that a caller can have to an object, as SQL over the object's row and the caller. Each is declared
 * once, in its type, and compiled to the facts that are read with an object and to the conditions of lists and
 * searches.
 */
import { ALWAYS, anyOf, join, literal, NEVER, sql, type Sql } from '../database/sql';
import { DEFAULT_SITE, type PrivacySettings } from '../site/settings';

/** The roles of a user in an org (`oms_memberships`). */
export type MemberRole = 'requested' | 'member' | 'manager';
/** The level of a collaboration. */
export type Level = 'view' | 'edit';

/**
 * What a claim permits, each for a time of its own: what the relation `claimed` is declared for, to adopt the object, to know
 * again what was sent, and to read, as strangers will, what they are not told yet.
 */
export type ClaimUse = 'access' | 'adoption' | 'knowledge' | 'report';

/** Builds the SQL of relations for callers of one role; null for a relation that none of them can have. */
export interface RelationScope {
  /** The alias of the object's row. */
  readonly alias: string;
  /** The column of a field of the object's row. */
  column(field: string): Sql;
  /** Whether a field of the row identifies the caller: by its ID, or by a reference to it. */
  isCaller(field: string): Sql | null;
  /** Whether the caller has one of these roles in an org that a list of the row names, or in the row itself (`id`). */
  isMember(reference: string, roles: readonly MemberRole[]): Sql | null;
  /** Whether the caller has an accepted collaboration of one of these levels with the user in a field of the row. */
  collaborates(field: string, levels: readonly Level[]): Sql | null;
  /**
   * Whether the caller carries a claim to the row that still permits this.
   *
   * @param values that fields have to have besides
   */
  isClaimed(use: ClaimUse, values: Readonly<Record<string, string>>): Sql | null;
  /** Whether the caller has a right to some object at the other end of a reference, see `through`. */
  through(reference: string, right: string): Sql | null;
  /** Whether the caller is one of those who see some object at the other end of a reference exactly, whatever its view. */
  isInside(reference: string): Sql;
  /** Whether strangers are told of the row by now. */
  isTold(): Sql;
  /** Whether they are told of it later; null where every row is of what they are told. */
  isUntold(): Sql | null;
  /** What of the site's settings decides over views, as it is now. */
  readonly privacy: PrivacySettings;
}

/** For who asks what a caller without a claim may have: no SQL, but whether there is any. */
export const WITHOUT_CLAIM: RelationScope = {
  alias: 'o',
  column: () => ALWAYS,
  isCaller: () => ALWAYS,
  isMember: () => ALWAYS,
  collaborates: () => ALWAYS,
  isClaimed: () => null,
  through: () => ALWAYS,
  isInside: () => NEVER,
  isTold: () => ALWAYS,
  isUntold: () => null,
  privacy: DEFAULT_SITE,
};

/** @returns null where no caller of the role can have the relation */
export type Relation = (scope: RelationScope) => Sql | null;

/** The caller is the user in this field. */
export const is =
  (field: string): Relation =>
  (scope) =>
    scope.isCaller(field);

/** The caller is not the user in this field. */
export const isNot =
  (field: string): Relation =>
  (scope) => {
    const same = scope.isCaller(field);
    return same && sql`not (${same})`;
  };

/** Every caller has this relation to objects whose fields have these values. */
export const where =
  (values: Readonly<Record<string, string>>): Relation =>
  (scope) => {
    const conditions = Object.entries(values).map(
      ([field, value]) => sql`${scope.column(field)} = ${literal(value)}`,
    );
    return sql`(${join(conditions, ' and ')})`;
  };

/** Strangers are told of the object (`ViewsDeclaration.untold`). */
export const told: Relation = (scope) => scope.isTold();

/** The caller has sent, without an account, what is nobody's and strangers are told of later. @param owner the field */
export const sent =
  (owner: string): Relation =>
  (scope) => {
    const [claim, untold] = [scope.isClaimed('report', {}), scope.isUntold()];
    return claim && untold && sql`(${untold} and ${scope.column(owner)} is null and ${claim})`;
  };

/** The caller has one of these relations. */
export const either =
  (...relations: readonly Relation[]): Relation =>
  (scope) => {
    const possible = relations.flatMap((relation) => relation(scope) ?? []);
    return possible.length === 0 ? null : anyOf(possible);
  };

/** The caller has all of these relations. */
export const both =
  (...relations: readonly Relation[]): Relation =>
  (scope) => {
    const found = relations.map((relation) => relation(scope));
    const needed = found.flatMap((condition) => condition ?? []);
    return needed.length < found.length ? null : sql`(${join(needed, ' and ')})`;
  };

/** The caller does not have a relation, and has an account. */
export const without =
  (relation: Relation): Relation =>
  (scope) => {
    const condition = relation(scope);
    return condition && sql`case when ${condition} then 0 else 1 end = 1`;
  };

/**
 * The caller is a member of an org.
 *
 * @param reference a list of orgs of this type, or `id` in the type of orgs itself
 * @param roles by default those of whoever belongs to it
 */
export const memberOf =
  (reference: string, roles: readonly MemberRole[] = ['member', 'manager']): Relation =>
  (scope) =>
    scope.isMember(reference, roles);

/**
 * The caller and the user in this field have agreed to share what they own: the level holds for both.
 *
 * @param level the least
 */
export const collaborates =
  (field: string, level: Level = 'view'): Relation =>
  (scope) =>
    scope.collaborates(field, level === 'view' ? ['view', 'edit'] : ['edit']);

/**
 * The caller carries the secret that was given to whoever made the object without an account (contract, section 9), and
 * that has not run out.
 *
 * @param values that fields have to have for the claim to count
 */
export const claimed =
  (values: Readonly<Record<string, string>> = {}): Relation =>
  (scope) => {
    const claim = scope.isClaimed('access', values);
    if (!claim || Object.keys(values).length === 0) return claim;
    const still = where(values)(scope);
    return still && sql`(${claim} and ${still})`;
  };

/**
 * The caller carries the claim of an object without an owner, which can still be adopted; or of one that it owns by now: an
 * adoption whose answer was lost may be sent again.
 *
 * @param field the owner
 */
export const adopts = (field: string): Relation =>
  either(
    both(
      (scope) => sql`${scope.column(field)} is null`,
      (scope) => scope.isClaimed('adoption', {}),
    ),
    both(is(field), (scope) => scope.isClaimed('knowledge', {})),
  );

/**
 * The caller has a right to an object at the other end of a reference.
 *
 * @param reference a field of this type, or `<type>.<field>` of objects that refer to this one; for a list, a right to
 *   one object is enough
 * @param right a relation of the type at the other end, or an action of its table of rights
 * @example { reporter: through('encounter', 'own'), referrer: through('encounter.assets', 'read') }
 */
export const through =
  (reference: string, right: string): Relation =>
  (scope) =>
    scope.through(reference, right);
