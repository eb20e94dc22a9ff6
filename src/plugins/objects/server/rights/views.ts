/**
 * Views of an object: as it is stored (exact), or with fields hidden or generalized. The caller's view depends on the
 * same relations as its rights.
 */
import { join, literal, raw, sql, type Sql } from '../database/sql';
import type { SiteSettings } from '../site';
import type { RelationScope } from './relations';
import type { Row, RowDeclaration } from './row';

export const EXACT = 'exact';

type Value = Readonly<Record<string, unknown>>;

/** Generalizes a field: computes its value from the stored object, and names the fields that it uses. */
export interface Generalization {
  readonly from: readonly string[];
  readonly as: (object: Value, site: SiteSettings) => unknown;
  /**
   * The attribute that stores the value for searches: it cannot depend on the site. Without one, callers with this view
   * find nothing by the field.
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

/**
 * A table with what is kept of objects in other views than the exact one, a row for each such object: its references by
 * the names of their fields, times as `<field>_start` and `<field>_end`, and its ID as `document_id`. What is kept may
 * be of an earlier view, until it is made anew: it counts only where it is no looser than the view as it is now.
 */
export interface KeptTable {
  readonly name: string;
  /** The column with the row ID of the object. */
  readonly row: string;
  /** The column with the view: its place among the names of the views, from 1, the stricter the greater. */
  readonly level: string;
  /** The fields that lists and searches find in it. */
  readonly fields: readonly string[];
}

export interface ViewsDeclaration {
  /** The relations whose holders see the object as it is stored. */
  readonly exact: RowDeclaration;
  /** The names of the views other than `exact`. */
  readonly names: readonly string[];
  /** The name of the view for all other callers, as SQL: `exact`, or one of the others. */
  readonly others: (scope: RelationScope) => Sql;
  /** The same of an object as it is after a change. */
  readonly othersKnown?: KnownView;
  readonly kept?: KeptTable;
}

/**
 * The name of a view, by what a transaction knows already.
 *
 * @param answer what it has looked up, by a name for the question
 * @returns undefined where it does not know enough
 */
export type KnownView = (
  object: Value,
  site: SiteSettings,
  answer: (question: string) => unknown,
) => string | undefined;

export interface Views {
  readonly exact: Row;
  readonly names: ReadonlySet<string>;
  readonly others: (scope: RelationScope) => Sql;
  readonly othersKnown: KnownView;
  readonly kept: KeptTable | null;
}

/**
 * The condition that what is kept of an object is no looser than the caller's view of it, which is not the exact one.
 * Every list and search that goes by kept values has it.
 *
 * @param view the caller's view of the object, as SQL
 * @param alias of the table's row
 */
export function isKeptFor({ names }: Views, { level }: KeptTable, view: Sql, alias: string): Sql {
  const cases = [...names].map(
    (name, at) => sql`when ${literal(name)} then ${raw(String(at + 1))}`,
  );
  return sql`case ${view} ${join(cases, ' ')} end <= ${raw(`${alias}.${level}`)}`;
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
export function inView(field: Viewed, view: string, object: Value, site: SiteSettings): unknown {
  const as = viewOf(field, view);
  if (as === 'hidden') return undefined;
  return as === 'shown' ? object[field.name] : as.as(object, site);
}

/** An object in a view. */
export const objectInView = (
  fields: Iterable<Viewed>,
  view: string,
  object: Value,
  site: SiteSettings,
): Record<string, unknown> =>
  Object.fromEntries(
    [...fields].flatMap((field) => {
      const value = field.name in object ? inView(field, view, object, site) : undefined;
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
