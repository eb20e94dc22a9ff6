/** The limits of searches. */

export const MAX_OFFSET = 10_000;
/** What is counted, unless an exact number is wanted. */
export const MAX_TOTAL = 10_000;
/** Rows that a search may look at beside reads: some milliseconds. */
export const FEW: number = 2000;
/** Rows with words, or in an area, that are listed, even if few of them are looked at: it takes some milliseconds. */
export const MAX_LISTED: number = 20_000;
/** Matches that are collected and sorted; if there are more, they are met by a scan in the order of the page. */
export const MAX_SORTED: number = 2000;
/**
 * IDs have nothing to do with what is found: a scan in their order passes, for each match that it meets, as many rows as there
 * are in all for each match. In a million rows, to pass one takes as long as to collect and sort so many.
 */
export const SORTED_PER_PASSED: number = 10;
/** A page that ends here is met in the order of IDs where more than `MAX_TOTAL` are found, however many more. */
export const MAX_PASSED_PAGE: number = 200;
/** The first rows in the order of time that are examined before anything is counted, apart from reads: some milliseconds. */
export const EXAMINED_EARLY: number = 4000;
/** The same beside reads, for each row of a page, and at most `FEW`: a page of what one row in ten meets is full then. */
export const EXAMINED_EARLY_PER_ROW: number = 16;
/** Objects of an export that are read together. */
export const EXPORT_PAGE: number = 500;
/** Matches of an export that are listed together, where they are collected and sorted. */
export const EXPORT_LIST: number = 20_000;
/**
 * Matches of an export that are collected and sorted; if there are more, they are met by an ordered scan. In a million rows one
 * in the order of random IDs takes some 30 µs for each row, a match or not, and to collect takes 3 µs for each match, once
 * for each list.
 */
export const EXPORT_SORTED: number = 200_000;
/** Values of one filter. */
export const MAX_VALUES = 100;
export const MAX_WORDS = 16;
/** Marks of a caller that are put into one query of words; if it has more, there is a query for each. */
export const MAX_MARKS: number = 64;
/** Names of one query of words with each of these marks. */
export const MAX_MARKED_NAMES: number = 5_000;
export const MAX_SORT_KEYS = 4;
