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
}

/** What a field is in a view. */
export type View = 'shown' | 'hidden' | Generalization;

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

/**
 * A field in a view. The one place that decides it, for reads, summaries, filters and history alike.
 *
 * @param object as it is stored
 * @returns undefined where it is absent
 */
export function inView({ name, views }: Viewed, view: string, object: Value): unknown {
  const as = view === EXACT ? 'shown' : (views.get(view) ?? COMMON[name] ?? 'hidden');
  if (as === 'hidden') return undefined;
  return as === 'shown' ? object[name] : as.as(object);
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
