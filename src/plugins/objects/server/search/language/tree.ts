/**
 * The query tree: what a search asks of an object. It is made from the parameters of the API (`query.ts`) and from the
 * filters of the panel (`panel/server/lists/list-query.ts`); the planner reads nothing else.
 */
import type { TimeSpan, WrittenSpan } from '../../../../../core/time';
import type { Field } from '../../declare/completed';
import type { Box } from '../projection/cells';
import type { Subject } from './filters';

export type Condition = FieldCondition | TreeCondition;

/** A condition on a field in the caller's view of an object. */
export type FieldCondition =
  | {
      readonly by: 'values';
      readonly subject: Subject;
      readonly not: boolean;
      readonly values: readonly unknown[];
    }
  | BoundCondition
  | ClosedSpan
  | SubtreeCondition
  | { readonly by: 'regions'; readonly field: Field; readonly keys: readonly string[] }
  | AreaCondition
  | { readonly by: 'id'; readonly id: string }
  | WordsCondition;

/** Conditions on attributes, as Strapi's filters have them. Attributes have their names in `schema.json`; `id` is the row. */
export type TreeCondition =
  | { readonly by: 'all'; readonly parts: readonly Condition[] }
  | { readonly by: 'any'; readonly parts: readonly Condition[] }
  | { readonly by: 'not'; readonly part: Condition }
  | AttributeCondition
  | {
      /** A condition on what an attribute refers to. */
      readonly by: 'related';
      readonly attribute: string;
      readonly part: Condition;
    };

export interface AttributeCondition {
  readonly by: 'attribute';
  readonly attribute: string;
  readonly operator: Operator;
  /** One, but for `in`, `notIn` and `between`; none for `null` and `notNull`. */
  readonly values: readonly string[];
}

/** How an attribute is compared. Those that end with an `i` do not regard the case of ASCII letters. */
export type Operator =
  | 'eq'
  | 'eqi'
  | 'ne'
  | 'nei'
  | 'in'
  | 'notIn'
  | 'lt'
  | 'lte'
  | 'gt'
  | 'gte'
  | 'between'
  | 'null'
  | 'notNull'
  | 'contains'
  | 'containsi'
  | 'notContains'
  | 'notContainsi'
  | 'startsWith'
  | 'startsWithi'
  | 'endsWith'
  | 'endsWithi';

export interface BoundCondition {
  readonly by: 'bound';
  readonly subject: Subject;
  readonly side: 'min' | 'max';
  /** Of a time as it is written; of an instant as it is. */
  readonly bound: number | TimeSpan | WrittenSpan;
}

/** A beginning without an end. */
export interface OpenSpan extends BoundCondition {
  readonly side: 'min';
  readonly bound: WrittenSpan;
}

/** Both bounds of a time. */
export interface ClosedSpan {
  readonly by: 'span';
  readonly subject: Subject;
  readonly from: WrittenSpan;
  readonly to: WrittenSpan;
}

/** An object and all below it. */
export interface SubtreeCondition {
  readonly by: 'subtree';
  readonly field: Field;
  readonly id: string;
  /** Their rows, if they were asked for and are few. */
  readonly rows?: readonly number[];
}

export interface Circle {
  readonly latitude: number;
  readonly longitude: number;
  readonly kilometers: number;
}

export type AreaCondition =
  { readonly by: 'box'; readonly box: Box } | ({ readonly by: 'circle' } & Circle);

/** All of these words occur. */
export interface WordsCondition {
  readonly by: 'words';
  readonly words: readonly (readonly string[])[];
  /** By the word and the name of a field: the rows of the objects that it refers to and that have the word. */
  readonly named?: ReadonlyMap<string, readonly number[] | 'many'>;
  /** By the word: the tokens that its last one may be the prefix of, with their marks. */
  readonly completed?: ReadonlyMap<number, readonly string[] | 'many'>;
  /** The caller's marks (`rights/marks.ts`); absent until the database was asked for them. */
  readonly marks?: readonly string[] | 'many';
}

const OF_THE_TREE: ReadonlySet<string> = new Set<TreeCondition['by']>([
  ...(['all', 'any', 'not', 'attribute', 'related'] as const),
]);

export const isOnField = (condition: Condition): condition is FieldCondition =>
  !OF_THE_TREE.has(condition.by);

/** The conditions all of which have to hold. */
export const conjuncts = (condition: Condition | null): readonly Condition[] => {
  if (condition === null) return [];
  return condition.by === 'all' ? condition.parts.flatMap(conjuncts) : [condition];
};

/** Whether a condition mentions an attribute of the searched type. */
export function mentions(condition: Condition | null, attribute: string): boolean {
  if (condition === null) return false;
  if (condition.by === 'not') return mentions(condition.part, attribute);
  if (condition.by === 'all' || condition.by === 'any')
    return condition.parts.some((part) => mentions(part, attribute));
  return 'attribute' in condition && condition.attribute === attribute;
}

/** A condition by the names of what it compares: for people who read a plan. */
export function named(condition: Condition): string {
  switch (condition.by) {
    case 'all':
    case 'any':
      return `${condition.by}(${condition.parts.map(named).join(', ')})`;
    case 'not':
      return `not(${named(condition.part)})`;
    case 'attribute':
      return `${condition.attribute} ${condition.operator}`;
    case 'related':
      return `${condition.attribute}.${named(condition.part)}`;
    case 'values':
      return `${nameOf(condition.subject)}${condition.not ? '_not' : ''}`;
    case 'bound':
      return `${nameOf(condition.subject)}_${condition.side}`;
    case 'span':
      return `${nameOf(condition.subject)}_min to _max`;
    case 'subtree':
    case 'regions':
      return `${condition.field.name}_under`;
    case 'box':
      return 'bbox';
    case 'circle':
      return 'near';
    case 'id':
      return 'id';
    case 'words':
      return 'q';
  }
}

const nameOf = (subject: Subject): string =>
  subject.kind === 'custom' ? `${subject.field.name}.${subject.custom.key}` : subject.field.name;
