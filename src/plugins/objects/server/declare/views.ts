/**
 * Views of an object: as it is stored (exact), or with fields hidden or generalized. The caller's view depends on the
 * same relations as its rights.
 */
import { join, literal, raw, sql, type Sql } from '../database/sql';
import type { SiteSettings } from '../site/settings';
import type { RelationScope } from './relations';
import type { RightsRow, RowDeclaration } from './row';
import { SWITCHES, type SwitchName, type SwitchSettings } from '../site/switches';

export const EXACT = 'exact';

type Value = Readonly<Record<string, unknown>>;

/** Generalizes a field: computes its value from the stored object, and names the fields that it uses. */
export interface Generalization {
  readonly from: readonly string[];
  readonly as: (object: Value, site: SiteSettings) => unknown;
  /**
   * The attribute that stores the value for searches: it cannot depend on the site. Views may share one; a time has three,
   * its span in `<attribute>Start` and `<attribute>End`. Without one, callers with this view find nothing by the field.
   */
  readonly attribute?: string;
}

/** The declaration of a field in a view: it may be shown while a switch of the site is on, and is hidden else. */
export type ViewDeclaration = 'shown' | 'hidden' | `shown if ${SwitchName}` | Generalization;

/** What a field is in a view. */
export type View = SettledView | SwitchedView;

/** What it is by the settings of the site. */
export type SettledView = 'shown' | 'hidden' | KeptGeneralization;

/** Shown while a switch is on, hidden else. */
export interface SwitchedView {
  readonly shownWhile: SwitchName;
}

/**
 * What two objects with the same value of a field have in common: a class that many share (sex, taxon, license), the same
 * person or group of persons, or the same animal, place or moment. The last would let a stranger join an object in another
 * view than the exact one to one that it sees exactly.
 */
export type Links = 'class' | 'person' | 'animal';

export interface KeptGeneralization extends Omit<Generalization, 'attribute'> {
  /** The columns of the attribute, null where the value is not stored. */
  readonly columns: readonly string[] | null;
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
  /** The condition that some of it waits to be made anew: it may be looser than the view as it is. */
  readonly isWaiting: Sql;
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
  /**
   * The field that has a value while strangers are told nothing of an object that they do not see exactly: the relation
   * `told` goes by it.
   */
  readonly untold?: string;
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
  readonly exact: RightsRow;
  readonly names: ReadonlySet<string>;
  readonly others: (scope: RelationScope) => Sql;
  readonly othersKnown: KnownView;
  readonly kept: KeptTable | null;
  readonly untold: string | null;
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

/** What a field is in a view, whatever the settings of the site. */
const declaredView = ({ name, views }: Viewed, view: string): View =>
  view === EXACT ? 'shown' : (views.get(view) ?? COMMON[name] ?? 'hidden');

const isSwitched = (view: View): view is SwitchedView =>
  typeof view === 'object' && 'shownWhile' in view;

/** What a field is in a view. */
export function viewOf(field: Viewed, view: string, site: SwitchSettings): SettledView {
  const declared = declaredView(field, view);
  if (!isSwitched(declared)) return declared;
  return SWITCHES[declared.shownWhile].isOn(site) ? 'shown' : 'hidden';
}

/** How a field is generalized in a view; null where it is shown or hidden. */
export const generalizationOf = (view: View): KeptGeneralization | null =>
  typeof view === 'string' || isSwitched(view) ? null : view;

/** The views of a type in which a field is hidden or generalized, for some settings of the site. */
export const otherViews = (field: Viewed, views: Views | null): string[] =>
  [...(views?.names ?? [])].filter((view) => declaredView(field, view) !== 'shown');

/**
 * The value of a field in a view. Used for reads and summaries, the history, and the values that are stored for filters
 * and sorting.
 *
 * @param object as it is stored
 * @returns undefined where the field is hidden
 */
export function inView(field: Viewed, view: string, object: Value, site: SiteSettings): unknown {
  const as = viewOf(field, view, site);
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
  ...new Set([name, ...[...views.values()].flatMap((view) => generalizationOf(view)?.from ?? [])]),
];

/** A field in a view whose value is stored in columns. */
export interface KeptView<F> {
  readonly field: F;
  readonly view: string;
  readonly columns: readonly string[];
}

/** The views in which the value of a field is stored; of those that share it, the first one. */
export function keptViews<F extends Viewed>(field: F): KeptView<F>[] {
  const byColumn = new Map<string, KeptView<F>>();
  for (const [view, as] of field.views) {
    const columns = generalizationOf(as)?.columns ?? null;
    const key = columns?.join() ?? '';
    if (columns && !byColumn.has(key)) byColumn.set(key, { field, view, columns });
  }
  return [...byColumn.values()];
}

/** The columns with the value of a field in a view; null where nothing is found by the field. */
export function columnsInView(
  field: Viewed & { readonly columns: readonly string[] },
  view: string,
  site: SwitchSettings,
): readonly string[] | null {
  const as = viewOf(field, view, site);
  if (as === 'hidden') return null;
  return as === 'shown' ? field.columns : as.columns;
}
