/**
 * Views of an object: as it is stored (exact), or with fields hidden or generalized. The caller's view depends on the
 * same relations as its rights.
 */
import type { Sql } from '../database/sql';
import type { RelationScope } from './relations';
import type { Row, RowDeclaration } from './row';

export const EXACT = 'exact';

type Value = Readonly<Record<string, unknown>>;

/** Generalizes a field: computes its value from the stored object, and names the fields that it uses. */
export interface Generalization {
  readonly from: readonly string[];
  readonly as: (object: Value) => unknown;
  /**
   * The attribute that stores the value for searches. Without one, callers with this view find nothing by the field.
   */
  readonly attribute?: string;
}

/** The declaration of a field in a view. */
export type ViewDeclaration = 'shown' | 'hidden' | Generalization;

/** What a field is in a view. */
export type View = 'shown' | 'hidden' | KeptGeneralization;

export interface KeptGeneralization extends Omit<Generalization, 'attribute'> {
  /** The column of the attribute, null where the value is not stored. */
  readonly column: string | null;
}

export interface ViewsDeclaration {
  /** The relations whose holders see the object as it is stored. */
  readonly exact: RowDeclaration;
  /** The names of the views other than `exact`. */
  readonly names: readonly string[];
  /** The name of the view for all other callers, as SQL: `exact`, or one of the others. */
  readonly others: (scope: RelationScope) => Sql;
}

export interface Views {
  readonly exact: Row;
  readonly names: ReadonlySet<string>;
  readonly others: (scope: RelationScope) => Sql;
}

interface Viewed {
  readonly name: string;
  readonly views: ReadonlyMap<string, View>;
}

/** The common fields of all types in views: the ID is shown, because it reveals nothing; the times are not. */
const COMMON: Readonly<Record<string, View>> = { id: 'shown' };

/** What a field is in a view. */
export const viewOf = ({ name, views }: Viewed, view: string): View =>
  view === EXACT ? 'shown' : (views.get(view) ?? COMMON[name] ?? 'hidden');

/** The views of a type in which a field is hidden or generalized. */
export const otherViews = (field: Viewed, views: Views | null): string[] =>
  [...(views?.names ?? [])].filter((view) => viewOf(field, view) !== 'shown');

/**
 * The value of a field in a view. Used for reads and summaries, the history, and the values that are stored for filters
 * and sorting.
 *
 * @param object as it is stored
 * @returns undefined where the field is hidden
 */
export function inView(field: Viewed, view: string, object: Value): unknown {
  const as = viewOf(field, view);
  if (as === 'hidden') return undefined;
  return as === 'shown' ? object[field.name] : as.as(object);
}

/** An object in a view. */
export const objectInView = (
  fields: Iterable<Viewed>,
  view: string,
  object: Value,
): Record<string, unknown> =>
  Object.fromEntries(
    [...fields].flatMap((field) => {
      const value = field.name in object ? inView(field, view, object) : undefined;
      return value === undefined ? [] : [[field.name, value]];
    }),
  );

/** The fields that determine a field in any view, itself included. */
export const sourcesOf = ({ name, views }: Viewed): string[] => [
  ...new Set([
    name,
    ...[...views.values()].flatMap((view) => (typeof view === 'string' ? [] : view.from)),
  ]),
];

/** A field in a view whose value is stored in a column. */
export interface KeptView<F> {
  readonly field: F;
  readonly view: string;
  readonly column: string;
}

/** The views in which the value of a field is stored. */
export const keptViews = <F extends Viewed>(field: F): KeptView<F>[] =>
  [...field.views].flatMap(([view, as]) =>
    typeof as === 'string' || as.column === null ? [] : [{ field, view, column: as.column }],
  );

/** The column with the value of a field in a view; null where nothing is found by the field. */
export function columnInView(
  field: Viewed & { readonly columns: readonly string[] },
  view: string,
): string | null {
  const as = viewOf(field, view);
  if (as === 'hidden') return null;
  return as === 'shown' ? (field.columns[0] ?? null) : as.column;
}
