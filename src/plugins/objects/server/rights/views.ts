/**
 * Views of an object: as it is stored (exact), or with fields hidden or generalized. Which one a caller is given follows
 * from the same relations as its rights.
 */
import type { Sql } from '../database/sql';
import type { RelationScope } from './relations';
import type { Row, RowDeclaration } from './row';

export const EXACT = 'exact';

type Value = Readonly<Record<string, unknown>>;

/** What is made of an object as it is stored, and the fields that this looks at. */
export interface Generalization {
  readonly from: readonly string[];
  readonly as: (object: Value) => unknown;
  /**
   * The attribute in which it is kept for searches. Without one, the field finds nothing for whoever is given this view.
   */
  readonly attribute?: string;
}

/** What a field is in a view, as it is declared. */
export type ViewDeclaration = 'shown' | 'hidden' | Generalization;

/** What a field is in a view. */
export type View = 'shown' | 'hidden' | KeptGeneralization;

export interface KeptGeneralization extends Omit<Generalization, 'attribute'> {
  /** The column of the attribute, null where it is not kept. */
  readonly column: string | null;
}

export interface ViewsDeclaration {
  /** Who sees an object as it is stored. */
  readonly exact: RowDeclaration;
  /** The names of the other views. */
  readonly names: readonly string[];
  /** The name of the view for everybody else, as SQL: `exact`, or one of the others. */
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

/** What a field of every object, which says nothing of views, is in them: its ID tells nothing, its times do. */
const COMMON: Readonly<Record<string, View>> = { id: 'shown' };

/** What a field is in a view. */
export const viewOf = ({ name, views }: Viewed, view: string): View =>
  view === EXACT ? 'shown' : (views.get(view) ?? COMMON[name] ?? 'hidden');

/** The views of a type in which a field is hidden or generalized. */
export const otherViews = (field: Viewed, views: Views | null): string[] =>
  [...(views?.names ?? [])].filter((view) => viewOf(field, view) !== 'shown');

/**
 * A field in a view. The one place that decides it: for reads and summaries, for the history, and for what is kept for
 * filters and sorting.
 *
 * @param object as it is stored
 * @returns undefined where it is absent
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

/** The fields that a field in any view is made of, itself included. */
export const sourcesOf = ({ name, views }: Viewed): string[] => [
  ...new Set([
    name,
    ...[...views.values()].flatMap((view) => (typeof view === 'string' ? [] : view.from)),
  ]),
];

/** A field in a view, of which the value is kept in a column. */
export interface KeptView<F> {
  readonly field: F;
  readonly view: string;
  readonly column: string;
}

/** The views in which the value of a field is kept. */
export const keptViews = <F extends Viewed>(field: F): KeptView<F>[] =>
  [...field.views].flatMap(([view, as]) =>
    typeof as === 'string' || as.column === null ? [] : [{ field, view, column: as.column }],
  );

/** The column that holds what a field is in a view; null where it finds nothing. */
export function columnInView(
  field: Viewed & { readonly columns: readonly string[] },
  view: string,
): string | null {
  const as = viewOf(field, view);
  if (as === 'hidden') return null;
  return as === 'shown' ? (field.columns[0] ?? null) : as.column;
}
