/** The yup schema of one field's value, by its kind. Built once, when the declarations are completed. */
import * as yup from 'yup';
import type { Kind } from '../define/declaration';
import type { Field } from '../define/resource';
import { latestStart, parseTime } from '../domain/time';
import { complain } from './complain';
import { canonicalLanguage, isCountryCode, isEmail, isWebUrl } from './formats';
import { fits, reaches } from './length';
import { isCommon } from '../../../accounts/server/passwords/policy';
import { isUuid } from '../../../wire/server/uuid';

/** What a check is told beside the value. */
export interface CheckContext {
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What an `integer` column holds on both databases. */
const MAX_INTEGER = 2_147_483_647;
const DAY = 86_400_000;
const MAX_LANGUAGES = 100;
const MAX_MEASUREMENT_TEXT = 255;

/** Presence is checked apart from the value. */
const isAbsent = (value: unknown): value is null | undefined =>
  value === null || value === undefined;

function string(minLength: number, maxLength: number): yup.StringSchema {
  return yup
    .string()
    .typeError(complain('TYPE', { expected: 'string' }))
    .test(
      'short',
      complain('TOO_SHORT', { min: minLength }),
      (text) => isAbsent(text) || reaches(text, minLength),
    )
    .test(
      'long',
      complain('TOO_LONG', { max: maxLength }),
      (text) => isAbsent(text) || fits(text, maxLength),
    );
}

const formatted = (
  field: Field,
  expected: string,
  matches: (text: string) => boolean,
): yup.StringSchema =>
  string(field.minLength, field.maxLength).test(
    'format',
    complain('FORMAT', { expected }),
    (text) => isAbsent(text) || matches(text),
  );

function number(field: Field, min: number | null, max: number | null): yup.NumberSchema {
  return yup
    .number()
    .typeError(complain('TYPE', { expected: field.kind }))
    .test(
      'finite',
      complain('TYPE', { expected: field.kind }),
      (value) => isAbsent(value) || Number.isFinite(value),
    )
    .test('small', (value, context) =>
      Number.isFinite(value) && min !== null && Number(value) < min
        ? context.createError({ message: complain('TOO_SMALL', { value, min }) })
        : true,
    )
    .test('large', (value, context) =>
      Number.isFinite(value) && max !== null && Number(value) > max
        ? context.createError({ message: complain('TOO_LARGE', { value, max }) })
        : true,
    );
}

const integer = (field: Field): yup.NumberSchema =>
  number(field, field.min ?? -MAX_INTEGER, field.max ?? MAX_INTEGER).test(
    'whole',
    complain('TYPE', { expected: 'integer' }),
    (value) => isAbsent(value) || !Number.isFinite(value) || Number.isInteger(value),
  );

const time = (field: Field): yup.StringSchema =>
  formatted(field, 'EDTF level 0', (text) => parseTime(text) !== null).test(
    'future',
    (text, context) => {
      const limit = (context.options.context as CheckContext).now + DAY;
      const start = isAbsent(text) ? null : latestStart(text);
      if (start === null || start <= limit) return true;
      const max = new Date(limit).toISOString();
      return context.createError({ message: complain('TOO_LARGE', { value: text, max }) });
    },
  );

const list = (field: Field, of: yup.Schema): yup.Schema =>
  yup
    .array()
    .typeError(complain('TYPE', { expected: 'array' }))
    .of(of)
    .max(field.maxItems, complain('TOO_LONG', { max: field.maxItems }));

/** Every key of the object is one of these; the others are told one by one. */
function noStrangers(value: unknown, context: yup.TestContext, known: ReadonlySet<string>) {
  if (typeof value !== 'object' || value === null) return true;
  const strangers = Object.keys(value).filter((key) => !known.has(key));
  if (strangers.length === 0) return true;
  return new yup.ValidationError(
    strangers.map((key) =>
      context.createError({ path: `${context.path}.${key}`, message: complain('UNKNOWN', {}) }),
    ),
  );
}

const MEASUREMENT_KEYS = new Set(['type', 'value', 'unit']);

const measurement = yup
  .object({
    type: string(1, MAX_MEASUREMENT_TEXT)
      .nonNullable(complain('REQUIRED', {}))
      .defined(complain('REQUIRED', {})),
    value: yup
      .mixed()
      .required(complain('REQUIRED', {}))
      .test('scalar', complain('TYPE', { expected: 'number or string' }), (value) =>
        typeof value === 'string'
          ? fits(value, MAX_MEASUREMENT_TEXT)
          : isAbsent(value) || Number.isFinite(value),
      ),
    unit: string(0, MAX_MEASUREMENT_TEXT).nullable(),
  })
  .typeError(complain('TYPE', { expected: 'object' }))
  .nonNullable(complain('TYPE', { expected: 'object' }))
  .test('strangers', (value, context) => noStrangers(value, context, MEASUREMENT_KEYS));

/** What is wrong with the entry of one language, as yup's error; null when it is right. */
function languageFault(tag: string, entry: unknown, max: number, context: yup.TestContext) {
  const path = `${context.path}.${tag}`;
  const canonical = canonicalLanguage(tag);
  if (canonical === null)
    return context.createError({ path, message: complain('FORMAT', { expected: 'BCP 47' }) });
  if (canonical !== tag)
    return context.createError({ path, message: complain('CONFLICT', { with: canonical }) });
  if (typeof entry !== 'string')
    return context.createError({ path, message: complain('TYPE', { expected: 'string' }) });
  if (entry === '')
    return context.createError({ path, message: complain('TOO_SHORT', { min: 1 }) });
  return !fits(entry, max)
    ? context.createError({ path, message: complain('TOO_LONG', { max }) })
    : null;
}

const object = () =>
  yup
    .mixed<Record<string, unknown>>(
      (value): value is Record<string, unknown> =>
        typeof value === 'object' && value !== null && !Array.isArray(value),
    )
    .typeError(complain('TYPE', { expected: 'object' }));

const localized = (field: Field) =>
  object().test('languages', (value, context) => {
    if (isAbsent(value)) return true;
    const entries = Object.entries(value);
    if (entries.length > MAX_LANGUAGES)
      return context.createError({ message: complain('TOO_LONG', { max: MAX_LANGUAGES }) });
    const faults = entries.flatMap(
      ([tag, entry]) => languageFault(tag, entry, field.maxLength, context) ?? [],
    );
    return faults.length === 0 || new yup.ValidationError(faults);
  });

const identifier = (field: Field): yup.StringSchema =>
  formatted({ ...field, maxLength: 36 }, 'UUID', isUuid);

const item = <S extends yup.StringSchema>(schema: S, expected: string) =>
  schema.nonNullable(complain('TYPE', { expected })).defined(complain('TYPE', { expected }));

const SCHEMAS: Record<Kind, (field: Field) => yup.Schema> = {
  id: identifier,
  text: (field) => string(field.minLength, field.maxLength),
  uuid: identifier,
  email: (field) => formatted(field, 'e-mail address', isEmail),
  url: (field) => formatted(field, 'http or https URL', isWebUrl),
  country: (field) => formatted(field, 'ISO 3166-1 alpha-2', isCountryCode),
  language: (field) => formatted(field, 'BCP 47', (tag) => canonicalLanguage(tag) !== null),
  choice: (field) =>
    yup
      .mixed()
      .test(
        'choice',
        complain('NOT_ONE_OF', { allowed: field.choices }),
        (value) => isAbsent(value) || field.choices.some((choice) => choice === value),
      ),
  number: (field) => number(field, field.min, field.max),
  integer,
  boolean: () => yup.boolean().typeError(complain('TYPE', { expected: 'boolean' })),
  time,
  instant: () => yup.mixed(),
  localized,
  texts: (field) => list(field, item(string(1, field.maxLength), 'string')),
  measurements: (field) => list(field, measurement),
  customFields: object,
  region: (field) => string(1, field.maxLength),
  reference: identifier,
  references: (field) => list(field, item(identifier(field), 'UUID')),
  path: (field) => string(1, field.maxLength),
  secret: (field) =>
    string(field.minLength, field.maxLength).test(
      'common',
      complain('FORMAT', { expected: 'a password that is not among the most common' }),
      (text) => isAbsent(text) || field.input !== false || !isCommon(text),
    ),
};

/** The check of a field's value; null passes where the field is not required. */
export function valueSchema(field: Field): yup.Schema {
  const schema = SCHEMAS[field.kind](field);
  if (!field.required) return schema.nullable() as yup.Schema;
  const present = schema.nonNullable(complain('REQUIRED', {})) as yup.Schema;
  return present.defined(complain('REQUIRED', {})) as yup.Schema;
}
