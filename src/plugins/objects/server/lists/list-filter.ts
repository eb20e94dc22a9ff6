/** What a list asks for: conditions on attributes, a page, and an order. */

/** How a value is compared. Those that end with an `i` do not regard the case of ASCII letters. */
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

/** A condition. Attributes have their names in `schema.json`; `id` is the row. */
export type ListFilter =
  | { readonly by: 'all'; readonly parts: readonly ListFilter[] }
  | { readonly by: 'any'; readonly parts: readonly ListFilter[] }
  | { readonly by: 'not'; readonly part: ListFilter }
  | {
      readonly by: 'value';
      readonly attribute: string;
      readonly operator: Operator;
      /** One, but for `in`, `notIn` and `between`; none for `null` and `notNull`. */
      readonly values: readonly string[];
    }
  | {
      /** A condition on what an attribute refers to. */
      readonly by: 'related';
      readonly attribute: string;
      readonly part: ListFilter;
    };

export interface ListSort {
  readonly attribute: string;
  /** Sorts by this attribute of what the other one refers to. */
  readonly of: string | null;
  readonly isDescending: boolean;
}

export interface ListQuery {
  readonly filter: ListFilter | null;
  /** All of its words occur; null for any object. */
  readonly words: string | null;
  readonly sort: readonly ListSort[];
  readonly offset: number;
  readonly limit: number;
}

export interface ListPage {
  readonly ids: readonly string[];
  /** `MAX_TOTAL` where not all is counted. */
  readonly total: number;
  /** Whether the total is of all that is found, of the first of more, or of those that were looked at. */
  readonly counted: 'all' | 'more' | 'partly';
}

/** Whether a condition mentions an attribute of the listed type. */
export function mentions(filter: ListFilter | null, attribute: string): boolean {
  if (filter === null) return false;
  if (filter.by === 'not') return mentions(filter.part, attribute);
  if (filter.by === 'all' || filter.by === 'any')
    return filter.parts.some((part) => mentions(part, attribute));
  return filter.attribute === attribute;
}
