/** A list of the panel: conditions on attributes, a page, and an order. */
import type { Condition } from './tree';

export interface ListSort {
  readonly attribute: string;
  /** Sorts by this attribute of what the other one refers to. */
  readonly of: string | null;
  readonly isDescending: boolean;
}

export interface ListQuery {
  readonly filter: Condition | null;
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
