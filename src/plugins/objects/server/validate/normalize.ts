/**
 * Gives a value the form in which it is kept, before it is checked: text trimmed, in NFC, with LF;
 * identifiers in lower case. What has the wrong type passes unchanged: the check names it.
 */
import type { Kind } from '../define/declaration';
import type { Field } from '../define/resource';
import { canonicalLanguage } from './formats';

type Normalizer = (value: unknown, field: Field) => unknown;

const text = (value: string): string => value.replace(/\r\n?/g, '\n').normalize('NFC').trim();

const folded = (value: string, { fold }: Field): string =>
  fold === 'lower' ? value.toLowerCase() : value;

/** Two letters of ASCII alone: other letters have upper cases there too. */
const country: Normalizer = (value, field) => {
  const code = asText(value, field);
  return typeof code === 'string' && /^[a-z]{2}$/i.test(code) ? code.toUpperCase() : code;
};

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const asText: Normalizer = (value, field) =>
  typeof value === 'string' ? folded(text(value), field) : value;

const lower = (value: unknown): unknown =>
  typeof value === 'string' ? value.toLowerCase() : value;

/** JSON has a negative zero; no measure does, and the databases disagree about it. */
const noNegativeZero = (value: unknown): unknown => (value === 0 ? 0 : value);

const texts: Normalizer = (value, field) => {
  if (!Array.isArray(value)) return value;
  const items = value.map((item: unknown) => asText(item, field));
  return field.distinct ? [...new Set(items)] : items;
};

const localized: Normalizer = (value) => {
  if (!isPlainObject(value)) return value;
  const result: Record<string, unknown> = {};
  for (const [tag, entry] of Object.entries(value)) {
    const canonical = canonicalLanguage(tag) ?? tag;
    const isFree = canonical === tag || !(canonical in value || canonical in result);
    result[isFree ? canonical : tag] = typeof entry === 'string' ? text(entry) : entry;
  }
  return result;
};

/** Every text in a value, whatever its depth. */
function deep(value: unknown): unknown {
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return value.map(deep);
  if (!isPlainObject(value)) return noNegativeZero(value);
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, deep(entry)]));
}

const asItIs: Normalizer = (value) => value;

const language: Normalizer = (value, field) => {
  const tag = asText(value, field);
  return typeof tag === 'string' ? (canonicalLanguage(tag) ?? tag) : tag;
};

const choice: Normalizer = (value, { spellings }) =>
  typeof value === 'string' && Object.hasOwn(spellings, value) ? spellings[value] : value;

const NORMALIZERS: Record<Kind, Normalizer> = {
  id: lower,
  text: asText,
  uuid: lower,
  email: asText,
  url: asText,
  country,
  language,
  choice,
  number: noNegativeZero,
  integer: noNegativeZero,
  boolean: asItIs,
  time: asText,
  instant: asItIs,
  localized,
  texts,
  measurements: deep,
  customFields: deep,
  region: asText,
  reference: lower,
  references: (value) => (Array.isArray(value) ? [...new Set(value.map(lower))] : value),
  path: asText,
  secret: asItIs,
};

/** Of a list that is too long, one item too many says so: nobody looks at the others. */
const bounded = (value: unknown, { maxItems }: Field): unknown =>
  Array.isArray(value) && value.length > maxItems + 1 ? value.slice(0, maxItems + 1) : value;

/** The value in the form in which it is kept; a list that is too long is cut, and stays too long. */
export const normalize = (field: Field, value: unknown): unknown =>
  bounded(NORMALIZERS[field.kind](value, field), field);
