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
  /** `MAX_TOTAL` where it is not exact. */
  readonly total: number;
  /** Whether all that is found was counted: not if there are more, or not all were looked at. */
  readonly isTotalExact: boolean;
}
