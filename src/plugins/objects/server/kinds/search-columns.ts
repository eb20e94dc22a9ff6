/** The types of the columns that fields have in a table made for searches. */
import type { SearchColumn, SearchColumnType } from '../database/search-tables';
import type { Field } from '../declare/completed';
import { isInstant, isReference, isSpan, traitsOf } from './traits';

/** The columns of a field, with their types. */
export const searchColumnsOf = (field: Field): SearchColumn[] =>
  field.columns.map((name, at) => ({ name, type: typeOf(field, at) }));

/** @param at which of its columns */
function typeOf(field: Field, at: number): SearchColumnType {
  const { number, isTruth } = traitsOf(field);
  if (isReference(field)) return 'integer';
  if (isSpan(field)) return at === 0 ? 'text' : 'bigint';
  if (isInstant(field)) return 'instant';
  if (isTruth) return 'boolean';
  if (number) return number === 'whole' ? 'integer' : 'double precision';
  return 'text';
}
