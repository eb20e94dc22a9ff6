/** The checks that the kinds are composed of. */
import * as yup from 'yup';
import { MAX_FAULTS, type Expected } from '../../../../core/errors';
import { fits, isAtLeast } from '../../../../core/text';
import type { Bounds } from '../declare/completed';
import { ValidValues } from './valid-values';
import { fault, validUnless } from './yup-issues';

/** Whether a value is required is checked separately. */
export const isAbsent = (value: unknown): value is null | undefined =>
  value === null || value === undefined;

/** A text within its bounds. */
export function string({ minLength, maxLength }: Pick<Bounds, 'minLength' | 'maxLength'>) {
  return yup
    .string()
    .typeError(fault('TYPE', { expected: 'string' }))
    .test(
      'short',
      fault('TOO_SHORT', { min: minLength }),
      (text) => isAbsent(text) || isAtLeast(text, minLength),
    )
    .test(
      'long',
      fault('TOO_LONG', { max: maxLength }),
      (text) => isAbsent(text) || fits(text, maxLength),
    );
}

/** Whether a text is within its bounds; what is not is told that alone. */
export const isWithin = (
  { minLength, maxLength }: Pick<Bounds, 'minLength' | 'maxLength'>,
  text: string,
): boolean => isAtLeast(text, minLength) && fits(text, maxLength);

/** A text in a certain format; of one that has another, its length is not told. */
export const formatted = (
  { minLength, maxLength }: Pick<Bounds, 'minLength' | 'maxLength'>,
  expected: Expected,
  matches: (text: string) => boolean,
): yup.StringSchema =>
  yup
    .string()
    .typeError(fault('TYPE', { expected: 'string' }))
    .test('format', (text, context) => {
      if (isAbsent(text)) return true;
      if (!matches(text)) return context.createError({ message: fault('FORMAT', { expected }) });
      if (!isAtLeast(text, minLength))
        return context.createError({ message: fault('TOO_SHORT', { min: minLength }) });
      return (
        fits(text, maxLength) ||
        context.createError({ message: fault('TOO_LONG', { max: maxLength }) })
      );
    });

/** A number within its bounds. */
export function numberCheck(
  expected: 'number' | 'integer',
  { min, max }: Pick<Bounds, 'min' | 'max'>,
): yup.NumberSchema {
  return yup
    .number()
    .typeError(fault('TYPE', { expected }))
    .test(
      'finite',
      fault('TYPE', { expected }),
      (value) => isAbsent(value) || Number.isFinite(value),
    )
    .test('small', (value, context) =>
      Number.isFinite(value) && min !== null && Number(value) < min
        ? context.createError({ message: fault('TOO_SMALL', { value: Number(value), min }) })
        : true,
    )
    .test('large', (value, context) =>
      Number.isFinite(value) && max !== null && Number(value) > max
        ? context.createError({ message: fault('TOO_LARGE', { value: Number(value), max }) })
        : true,
    );
}

/** A list of values with this check. */
export function listCheck({ maxItems }: Pick<Bounds, 'maxItems'>, of: yup.Schema): yup.Schema {
  const valid = new ValidValues();
  return yup
    .array()
    .typeError(fault('TYPE', { expected: 'array' }))
    .max(maxItems, fault('TOO_LONG', { max: maxItems }))
    .test('items', (items: unknown, context) =>
      validUnless(faultsOfItems(items, of, context, valid)),
    );
}

/** The faults of the items of a list. Items after as many faults as an answer lists are not checked. */
function faultsOfItems(
  items: unknown,
  of: yup.Schema,
  { path, options }: yup.TestContext,
  valid: ValidValues,
): yup.ValidationError[] {
  const faults: yup.ValidationError[] = [];
  for (const [at, value] of (Array.isArray(items) ? (items as unknown[]) : []).entries()) {
    if (faults.length >= MAX_FAULTS) break;
    // Whether a text is valid depends on nothing else; most texts in lists recur, such as the names of observers.
    if (typeof value === 'string' && valid.has(value)) continue;
    try {
      of.validateSync(value, { ...options, path: `${path}[${at}]` } as yup.ValidateOptions);
      if (typeof value === 'string') valid.add(value);
    } catch (error) {
      if (!yup.ValidationError.isError(error)) throw error;
      faults.push(...(error.inner.length > 0 ? error.inner : [error]));
    }
  }
  return faults;
}

/** The check of a list's item, which is never null. */
export const item = <S extends yup.StringSchema>(schema: S, expected: Expected) =>
  schema.nonNullable(fault('TYPE', { expected })).defined(fault('TYPE', { expected }));

/** An object with any properties. */
export const object = () =>
  yup
    .mixed<Record<string, unknown>>(
      (value): value is Record<string, unknown> =>
        typeof value === 'object' && value !== null && !Array.isArray(value),
    )
    .typeError(fault('TYPE', { expected: 'object' }));

/** A test that every property of an object is one of these; there is one issue for each other one. */
export const knownNames =
  (known: ReadonlySet<string>) =>
  (value: unknown, context: yup.TestContext): true | yup.ValidationError => {
    if (typeof value !== 'object' || value === null) return true;
    const strangers = Object.keys(value)
      .filter((name) => !known.has(name))
      .slice(0, MAX_FAULTS);
    return validUnless(
      strangers.map((name) =>
        context.createError({ path: `${context.path}.${name}`, message: fault('UNKNOWN', {}) }),
      ),
    );
  };
