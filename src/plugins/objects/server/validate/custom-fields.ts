/** Checks `custom_fields` against the definitions of the instance. */
import { isDeepStrictEqual } from 'node:util';
import { issue, type Issue } from '../../../../core/errors';
import { parseTime } from '../../../../core/time';
import { fits } from '../../../../core/text';
import { MAX_CUSTOM_TEXT } from '../kinds/custom-fields';
import type { CustomField, CustomFieldType } from '../site/settings';

/** What is wrong with a value, null when it is right. */
type Check = (path: string, value: unknown, field: CustomField) => Issue | null;

const allowed = (field: CustomField): string[] => field.options.map(({ value }) => value);

const isDate = (value: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(value) && parseTime(value) !== null;

const text: Check = (path, value) => {
  if (typeof value !== 'string') return issue(path, 'TYPE', { expected: 'string' });
  return fits(value, MAX_CUSTOM_TEXT) ? null : issue(path, 'TOO_LONG', { max: MAX_CUSTOM_TEXT });
};

const CHECKS: Record<CustomFieldType, Check> = {
  string: text,
  number: (path, value) =>
    Number.isFinite(value) ? null : issue(path, 'TYPE', { expected: 'number' }),
  integer: (path, value) =>
    Number.isSafeInteger(value) ? null : issue(path, 'TYPE', { expected: 'integer' }),
  boolean: (path, value) =>
    typeof value === 'boolean' ? null : issue(path, 'TYPE', { expected: 'boolean' }),
  date: (path, value) => {
    if (typeof value !== 'string') return issue(path, 'TYPE', { expected: 'string' });
    return isDate(value) ? null : issue(path, 'FORMAT', { expected: 'date' });
  },
  select: (path, value, field) =>
    allowed(field).some((option) => option === value)
      ? null
      : issue(path, 'NOT_ONE_OF', { allowed: allowed(field) }),
  multiselect: (path, value, field) => {
    if (!Array.isArray(value)) return issue(path, 'TYPE', { expected: 'array' });
    return value.every((entry) => allowed(field).some((option) => option === entry))
      ? null
      : issue(path, 'NOT_ONE_OF', { allowed: allowed(field) });
  },
};

/** Values by the keys of the definitions; null counts as absent. */
type Values = Readonly<Record<string, unknown>>;

const valueOf = (values: Values, key: string): unknown =>
  Object.hasOwn(values, key) ? (values[key] ?? null) : null;

/**
 * All that is wrong with the custom fields of an object. What is stored already is right, whatever the definitions have
 * come to say meanwhile.
 *
 * @param path of the field that holds them
 * @param stored as they are, empty for a new object
 */
export function checkCustomFields(
  path: string,
  values: Values,
  stored: Values,
  definitions: readonly CustomField[],
): Issue[] {
  const known = new Set(definitions.map(({ key }) => key));
  const isStored = (key: string): boolean =>
    isDeepStrictEqual(valueOf(values, key), valueOf(stored, key));
  const strangers = Object.keys(values)
    .filter((key) => !known.has(key) && !isStored(key))
    .map((key) => issue(`${path}.${key}`, 'UNKNOWN', {}));
  const faults = definitions.flatMap((field) => {
    const { key, type, required, retired } = field;
    const value = valueOf(values, key);
    const at = `${path}.${key}`;
    if (value === null) return required && !retired ? issue(at, 'REQUIRED', {}) : [];
    if (isStored(key)) return [];
    return retired ? issue(at, 'NOT_WRITABLE', {}) : (CHECKS[type](at, value, field) ?? []);
  });
  return [...strangers, ...faults];
}

/**
 * The custom fields of an object after a change that writes them whole. A form does not show what is retired or gone: that
 * stays, unless null empties it.
 */
export function keepUnshown(
  values: Values,
  stored: Values,
  definitions: readonly CustomField[],
): Values {
  const shown = new Set(definitions.filter(({ retired }) => !retired).map(({ key }) => key));
  const unshown = Object.entries(stored).filter(([key]) => !shown.has(key));
  const all = Object.entries({ ...Object.fromEntries(unshown), ...values });
  return Object.fromEntries(all.filter(([, value]) => value !== null));
}
