/** Values of fields by their kinds. What is not certain is null, and a fault of the row. */
import type { Kind } from '../../../objects/server/declare/kinds';
import type { TableRow } from '../package/row';
import type { ImportedField } from '../package/dataset';
import { choiceOf } from '../vocabularies/vocabulary';
import { sexOfCounts } from './sex';

interface Range {
  readonly min: number | null;
  readonly max: number | null;
}

type Read = (
  row: TableRow,
  term: string,
  field: ImportedField,
  separator: string | null,
) => unknown;

/** How a value is read; kinds that are not here are read elsewhere, or have no column. */
const READ: Partial<Record<Kind, Read>> = {
  text: (row, term) => row.text(term),
  number: (row, term, field) => decimal(row, term, field),
  integer: (row, term, field) => wholeOfCell(row, term, field),
  choice: (row, term, { name, choices }) => choice(row, term, name, choices),
  texts: (row, term, _field, separator) => listOfCell(row, term, separator),
};

/** The value of a field in the column of its term; null for none, and for a kind that has no column. */
export function readValue(row: TableRow, field: ImportedField, separator: string | null): unknown {
  return field.term === null
    ? null
    : (READ[field.kind]?.(row, field.term, field, separator) ?? null);
}

/** Whether values of this kind are read from a column. */
export const hasColumn = ({ kind, term }: ImportedField): boolean =>
  term !== null && READ[kind] !== undefined;

/**
 * A number, also with a decimal comma. Digits that a comma divides into thousands or that it could (`1,250`) are not
 * certain, except in degrees, of which there are no thousands.
 */
export function decimal(
  row: TableRow,
  term: string,
  { min, max }: Range,
  { isDegrees = false } = {},
): number | null {
  const text = row.text(term);
  if (text === null) return null;
  const plain = text.replace(/^\u2212/, '-');
  const mayBeThousands = /^[+-]?[1-9]\d{0,2},\d{3}$/.test(plain) && !isDegrees;
  const number = /^[+-]?\d+,\d+$/.test(plain) && !mayBeThousands ? plain.replace(',', '.') : plain;
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(number))
    return row.refuse(term, 'is not a number');
  // Without the sign of a negative zero.
  const value = Number(number) + 0;
  if (min !== null && value < min) return row.refuse(term, `is less than ${min}`);
  if (max !== null && value > max) return row.refuse(term, `is more than ${max}`);
  return value;
}

export function wholeOfCell(row: TableRow, term: string, range: Range): number | null {
  const value = decimal(row, term, range);
  return value === null || Number.isSafeInteger(value)
    ? value
    : row.refuse(term, 'is not a whole number');
}

function choice(
  row: TableRow,
  term: string,
  name: string,
  choices: readonly string[],
): string | null {
  const text = row.text(term);
  if (text === null) return null;
  const word = name === 'sex' ? sexOfCounts(text) : text;
  return (
    choiceOf(name, choices, word) ??
    row.refuse(term, `means none of ${choices.join(', ')} for certain`)
  );
}

/** Divided at the separator of the descriptor, else at `|`, else at `;`. */
export function listOfCell(row: TableRow, term: string, separator: string | null): string[] {
  const text = row.text(term);
  if (text === null) return [];
  const mark = separator ?? (text.includes('|') ? '|' : ';');
  return text.split(mark).flatMap((value) => value.trim() || []);
}
