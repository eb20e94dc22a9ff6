/** The steps that the normalizations of the kinds are composed of. Each returns values of other types unchanged. */
import { normalizeText } from '../../../../core/text';
import type { Field } from '../declare/completed';

export const asText = (value: unknown, { fold }: Pick<Field, 'fold'>): unknown => {
  if (typeof value !== 'string') return value;
  const text = normalizeText(value);
  if (fold === 'blanks') return text.replace(/\s+/gu, ' ');
  return fold === 'lower' ? text.toLowerCase() : text;
};

export const asLowerCase = (value: unknown): unknown =>
  typeof value === 'string' ? value.toLowerCase() : value;

/** JSON has a negative zero, which is meaningless in a measurement, and the databases treat it differently. */
export const withoutNegativeZero = (value: unknown): unknown => (value === 0 ? 0 : value);

export const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Normalizes every text and number in a value, at any depth. */
export function deep(value: unknown): unknown {
  if (typeof value === 'string') return normalizeText(value);
  if (Array.isArray(value)) return value.map(deep);
  if (!isPlainObject(value)) return withoutNegativeZero(value);
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, deep(entry)]));
}

/** An object with each of its values in another form. */
export const mapEntries = (
  object: Readonly<Record<string, unknown>>,
  map: (name: string, value: unknown) => unknown,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(name, value)]));

export const asItIs = (value: unknown): unknown => value;
