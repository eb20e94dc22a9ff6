/** How values become columns, for the kinds that have one. */
import type { SqlValue } from '../database/sql';

export const plain = (value: unknown): SqlValue[] => [(value ?? null) as SqlValue];

export const json = (value: unknown): SqlValue[] => [
  value === null || value === undefined ? null : JSON.stringify(value),
];
