/**
 * The relations that a caller can have to an object, as SQL over the object's row and the caller. Each is declared once,
 * in its type; from it follow the facts that are read with one object, and the conditions of lists and searches.
 */
import type { Sql } from '../database/sql';
import { anyOf, join, literal, sql } from '../database/sql';

/** What the SQL of a relation is made of. */
export interface RelationScope {
  /** The column of a field of the row that is judged. */
  column(field: string): Sql;
  /** Whether a field of the row is the caller: its ID, or a reference to it. */
  isCaller(field: string): Sql;
  /**
   * Whether the caller may read some object whose field refers to the row.
   *
   * @param reference `<type>.<field>`
   */
  isReferredTo(reference: string): Sql;
}

export interface Relation {
  /** Nobody has it without an account. */
  readonly needsAccount: boolean;
  readonly sql: (scope: RelationScope) => Sql;
}

/** The caller is who this field names. */
export const is = (field: string): Relation => ({
  needsAccount: true,
  sql: (scope) => scope.isCaller(field),
});

/** The caller is somebody else than whom this field names. */
export const isNot = (field: string): Relation => ({
  needsAccount: true,
  sql: (scope) => sql`not (${scope.isCaller(field)})`,
});

/** Every caller has it to objects whose fields have these values. */
export const where = (values: Readonly<Record<string, string>>): Relation => ({
  needsAccount: false,
  sql: (scope) => {
    const conditions = Object.entries(values).map(
      ([field, value]) => sql`${scope.column(field)} = ${literal(value)}`,
    );
    return sql`(${join(conditions, ' and ')})`;
  },
});

/** The caller may read an object that refers to this one by one of these fields, `<type>.<field>`. */
export const referredToBy = (...references: readonly string[]): Relation => ({
  needsAccount: false,
  sql: (scope) => anyOf(references.map((reference) => scope.isReferredTo(reference))),
});
