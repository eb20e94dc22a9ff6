import { join, raw, sql, type Sql } from './sql';

/** First and last number. */
export type NumberRange = readonly [from: number, to: number];

/** The table `r(column1, column2)` of these ranges: both databases name the columns of values so. */
export const rangeRows = (ranges: readonly NumberRange[]): Sql =>
  sql`(values ${join(ranges.map(([from, to]) => raw(`(${from}, ${to})`)))}) r`;
