/**
 * The relations that a caller can have to an object, as SQL over the object's row and the caller. Each is declared
 * once, in its type, and compiled to the facts that are read with an object and to the conditions of lists and
 * searches.
 */
import { ALWAYS, join, literal, sql, type Sql } from '../database/sql';

/** Builds the SQL of relations for callers of one role; null for a relation that none of them can have. */
export interface RelationScope {
  /** The column of a field of the object's row. */
  column(field: string): Sql;
  /** Whether a field of the row identifies the caller: by its ID, or by a reference to it. */
  isCaller(field: string): Sql | null;
  /** Whether the caller carries a claim to the row. */
  isClaimed(): Sql | null;
  /** Whether the caller has a right to some object at the other end of a reference, see `through`. */
  through(reference: string, right: string): Sql | null;
}

/** For who asks what a caller without a claim may have: no SQL, but whether there is any. */
export const WITHOUT_CLAIM: RelationScope = {
  column: () => ALWAYS,
  isCaller: () => ALWAYS,
  isClaimed: () => null,
  through: () => ALWAYS,
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

/**
 * The caller carries the secret that was given to whoever made the object without an account (contract, section 9), and
 * that has not run out.
 *
 * @param values that fields have to have for the claim to count
 */
export const claimed =
  (values: Readonly<Record<string, string>> = {}): Relation =>
  (scope) => {
    const claim = scope.isClaimed();
    if (!claim || Object.keys(values).length === 0) return claim;
    const still = where(values)(scope);
    return still && sql`(${claim} and ${still})`;
  };

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
