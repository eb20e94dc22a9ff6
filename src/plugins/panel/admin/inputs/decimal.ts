/** Decimal numbers as people write them: with a point or a comma, whatever the language of the panel. */

/** Why a text is not taken, by the name of its message. */
export type DecimalFault = 'notNumber' | 'twoSigns';

/** A number, null for an empty text, or what is wrong. */
export type Parsed = { readonly value: number | null } | { readonly fault: DecimalFault };

/** A latitude and a longitude, in degrees. */
export type Pair = readonly [latitude: number, longitude: number];

const DECIMAL = /^[+-]?(?:\d+[.,]?\d*|[.,]\d+)$/;

/** Groups of digits with signs between them: which of these is the decimal one, if any, is not certain. */
const GROUPED = /^[+-]?\d*(?:[.,'’\s]\d*){2,}$/;

/** One sign before three digits at the end: a decimal one, or one between thousands. */
const OPEN = /^[+-]?[1-9]\d{0,2}([.,])\d{3}$/;

/** What every number that is typed may begin as. */
const BEGINNING = /^[+-]?[.,]?$/;

/** Longer than any number that a field takes. */
const MAX_LENGTH = 40;

/**
 * The value of a text with at most one decimal sign; thousands separators are never guessed.
 *
 * @param thousands the separator that is allowed between thousands; null for numbers that are never that large
 */
export function parseDecimal(given: string, thousands: string | null): Parsed {
  const text = normalized(given);
  if (text === '') return { value: null };
  if (thousands !== null && OPEN.exec(text)?.[1] === thousands) return { fault: 'twoSigns' };
  if (text.length <= MAX_LENGTH && DECIMAL.test(text)) return { value: numberOf(text) };
  return { fault: GROUPED.test(text) ? 'twoSigns' : 'notNumber' };
}

/** Whether a text may still become a number by typing on. */
export const isBeginning = (text: string): boolean => BEGINNING.test(normalized(text));

/**
 * A position as it is copied from a map: `50.699, 4.013`, `50.699,4.013`, `50,699; 4,013`, `50.699 4.013`. Null for
 * everything else, a single number too: a comma without a space parts two numbers only where each has a point.
 */
export function parsePair(given: string): Pair | null {
  const text = normalized(given);
  if (text.length > 2 * MAX_LENGTH) return null;
  const isTight = /^[^\s,;]*\.[^\s,;]*,[^\s,;]*\.[^\s,;]*$/.test(text);
  const parts = text.split(isTight ? ',' : /\s*;\s*|,\s+|\s+/);
  const [latitude = '', longitude = ''] = parts;
  if (parts.length !== 2 || !DECIMAL.test(latitude) || !DECIMAL.test(longitude)) return null;
  return [numberOf(latitude), numberOf(longitude)];
}

/** The sign that a language has between thousands. */
export const thousandsOf = (language: string): string | null =>
  new Intl.NumberFormat(language, { useGrouping: 'always' })
    .formatToParts(12345)
    .find(({ type }) => type === 'group')?.value ?? null;

/** With the decimal sign of a language, every digit, and nothing between thousands. */
export const formatDecimal = (value: number, language: string): string =>
  new Intl.NumberFormat(language, { maximumFractionDigits: 20, useGrouping: false }).format(value);

/** A minus of typography is one; spaces around a number say nothing. */
const normalized = (text: string): string => text.trim().replaceAll('\u2212', '-');

const numberOf = (text: string): number => Number(text.replace(',', '.'));
