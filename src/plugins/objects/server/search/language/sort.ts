/** In which order, and which part of it. */
import type { Field } from '../../declare/completed';
import type { Circle } from './tree';

export interface SortKey {
  readonly field: Field;
  readonly isDescending: boolean;
  /** In place of the field: the distance of the position, as the caller is told it, from the centre. */
  readonly from?: Circle;
}

/** The name of that order, which goes with a search around a centre. */
export const DISTANCE = 'distance';

/** The place of an object in an order: the values of each key, null without one, and its ID. */
export interface Place {
  readonly keys: readonly (readonly (string | number)[] | null)[];
  readonly id: string;
}

/** Which rows of all, in which order. */
export interface Cut {
  readonly sort: readonly SortKey[];
  /** Where they begin; null for the first one. */
  readonly after: Place | null;
  /** Rows at most, after `offset` of them. */
  readonly limit: number;
  readonly offset: number;
}

export const isByDistance = (sort: readonly SortKey[]): boolean =>
  sort.some(({ from }) => from !== undefined);

export const isByIds = (sort: readonly SortKey[]): boolean => sort.length === 0;
