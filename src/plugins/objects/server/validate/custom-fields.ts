/** Checks `custom_fields` against the definitions of the instance. */
import { issue, type Issue } from '../../../../core/errors';
import { parseTime } from '../../../../core/time';
import { fits } from '../../../../core/text';
import { MAX_CUSTOM_TEXT } from '../kinds/custom-fields';
import type { CustomField, CustomFieldType } from '../site';

/** What is wrong with a value, null when it is right. */
type Check = (path: string, value: unknown, field: CustomField) => Issue | null;

const allowed = (field: CustomField): string[] => (field.options ?? []).map(({ value }) => value);

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

/**
 * All that is wrong with the custom fields of an object.
 *
 * @param path of the field that holds them
 * @param values by the keys of the definitions; null counts as absent
 */
export function checkCustomFields(
  path: string,
  values: Readonly<Record<string, unknown>>,
  definitions: readonly CustomField[],
): Issue[] {
  const known = new Set(definitions.map(({ key }) => key));
  const strangers = Object.keys(values)
    .filter((key) => !known.has(key))
    .map((key) => issue(`${path}.${key}`, 'UNKNOWN', {}));
  const faults = definitions.flatMap((field) => {
    const value = Object.hasOwn(values, field.key) ? values[field.key] : null;
    const at = `${path}.${field.key}`;
    if (value !== null) return CHECKS[field.type](at, value, field) ?? [];
    return field.required === true ? issue(at, 'REQUIRED', {}) : [];
  });
  return [...strangers, ...faults];
}
