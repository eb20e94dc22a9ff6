/** Objects as CSV (RFC 4180). */
import type { Body } from '../../plugins/objects/server/declare/objects';
import type { ExportColumn } from './columns';

/** Between the values of a list, as Darwin Core recommends (https://dwc.tdwg.org/terms/#dwc:recordedBy). */
export const BETWEEN = ' | ';

/**
 * What a spreadsheet would take for a formula, and no number
 * (https://owasp.org/www-community/attacks/CSV_Injection).
 */
const FORMULA = /^[=+\-@\t\r＝＋－＠]/;
const NUMBER = /^[+-]?\d+([.,]\d+)?$/;

/** A text that no spreadsheet takes for a formula: an apostrophe before it makes it a text. */
export const defused = (text: string): string =>
  FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;

/** A value as the text of a cell: lists are joined, objects are JSON. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object'))
    return value.map(String).join(BETWEEN);
  return JSON.stringify(value);
}

/** A text as a cell. */
export const quoted = (text: string): string =>
  /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** A cell; a number is none that a spreadsheet calculates with. */
function cell(value: unknown): string {
  // Most cells are empty.
  if (value === null || value === undefined) return '';
  return typeof value === 'number' ? String(value) : quoted(defused(cellText(value)));
}

/** A row of a table for programs: nothing in it is changed for a spreadsheet. It ends with a line feed. */
export const rowText = (values: readonly unknown[]): string =>
  `${values.map((value) => quoted(cellText(value))).join(',')}\n`;

const line = (values: readonly unknown[]): string => `${values.map(cell).join(',')}\r\n`;

export const csvHead = (columns: readonly ExportColumn[]): string =>
  line(columns.map(({ name }) => name));

export const csvLines = (columns: readonly ExportColumn[], objects: readonly Body[]): string =>
  objects.map((object) => line(columns.map(({ value }) => value(object)))).join('');
