import * as yup from 'yup';
import {
  CUSTOM_FIELD_TYPES,
  EXTENSIBLE_TYPES,
  hasOptions,
  isClassValue,
  type CustomFieldType,
} from '../site/settings';
import { formatted, isAbsent, knownNames, listCheck, string } from './checks';
import { type JsonSchema, type KindDefinition, jsonColumn } from './kind';
import { localizedSchema, localizedText, normalizeLocalized } from './localized';
import { deep, isPlainObject, mapEntries } from './normalize';
import { fault, validUnless } from './yup-issues';

/** Characters of labels, categories and options; of descriptions; definitions of one type; options of one of them. */
const MAX_LABEL = 255;
const MAX_DESCRIPTION = 2000;
const MAX_FIELDS = 100;
const MAX_OPTIONS = 200;

/** What a key may be: a search names it behind a dot. */
const KEY = /^[a-z][a-z0-9_]{0,62}$/i;
const MAX_KEY = 63;

const required = fault('REQUIRED', {});
const present = (schema: yup.Schema): yup.Schema =>
  (schema.nonNullable(required) as yup.Schema).defined(required) as yup.Schema;

const flag = () => {
  const message = fault('TYPE', { expected: 'boolean' });
  return yup.boolean().typeError(message).nonNullable(message);
};
const label = () => localizedText(MAX_LABEL).nonNullable(fault('TYPE', { expected: 'object' }));
const record = <S extends yup.ObjectShape>(shape: S) =>
  yup
    .object(shape)
    .typeError(fault('TYPE', { expected: 'object' }))
    .nonNullable(fault('TYPE', { expected: 'object' }))
    .test('names', knownNames(new Set(Object.keys(shape))));
/** A list of records that have different values under this name. */
const entries = (maxItems: number, of: yup.Schema, name: string) =>
  (
    listCheck({ maxItems }, of).nonNullable(fault('TYPE', { expected: 'array' })) as yup.Schema
  ).test('different', (given: unknown, context: yup.TestContext) =>
    duplicates(given, name, context),
  );

const option = record({
  value: present(string({ minLength: 1, maxLength: MAX_LABEL })),
  label: label(),
});

const definition = record({
  key: present(formatted({ minLength: 1, maxLength: MAX_KEY }, 'key', (key) => KEY.test(key))),
  type: present(
    yup
      .mixed<CustomFieldType>()
      .test('type', fault('NOT_ONE_OF', { allowed: CUSTOM_FIELD_TYPES }), (type) =>
        isAbsent(type) ? true : CUSTOM_FIELD_TYPES.includes(type),
      ),
  ),
  label: label(),
  description: localizedText(MAX_DESCRIPTION).nullable(),
  category: string({ minLength: 1, maxLength: MAX_LABEL }).nullable(),
  options: entries(MAX_OPTIONS, option, 'value'),
  required: flag(),
  public_when_obscured: flag(),
  retired: flag(),
}).test('options', (given: unknown, context) => {
  if (!isPlainObject(given)) return true;
  const { type, options } = given;
  const isEmpty = !Array.isArray(options) || options.length === 0;
  const path = `${context.path}.options`;
  if (isEmpty && hasOptions(type))
    return context.createError({ path, message: fault('REQUIRED', {}) });
  const isKnown = CUSTOM_FIELD_TYPES.some((known) => known === type);
  if (!isEmpty && isKnown && !hasOptions(type))
    return context.createError({ path, message: fault('CONFLICT', { with: 'type' }) });
  // A text, a number or a date may be that of one animal alone, and join what is hidden with what is told elsewhere.
  return given['public_when_obscured'] === true && isKnown && !isClassValue(type)
    ? context.createError({
        path: `${context.path}.public_when_obscured`,
        message: fault('CONFLICT', { with: 'type' }),
      })
    : true;
});

/** Each of the later entries of a list that has the same value as an earlier one. */
function duplicates(entries: unknown, name: string, context: yup.TestContext) {
  if (!Array.isArray(entries)) return true;
  const seen = new Set<unknown>();
  const faults = entries.flatMap((entry: unknown, at) => {
    const value = isPlainObject(entry) ? entry[name] : undefined;
    if (value === undefined) return [];
    const isTaken = seen.has(value);
    seen.add(value);
    const path = `${context.path}.${at}.${name}`;
    return isTaken ? context.createError({ path, message: fault('TAKEN', {}) }) : [];
  });
  return validUnless(faults);
}

const definitions = record(
  Object.fromEntries(
    EXTENSIBLE_TYPES.map((type) => [type, entries(MAX_FIELDS, definition, 'key')]),
  ),
);

/** What a definition is where nothing is said. */
const DEFAULTS = {
  label: {},
  description: null,
  category: null,
  options: [],
  required: false,
  public_when_obscured: false,
  retired: false,
};

const normalizeDefinition = (given: unknown): unknown =>
  isPlainObject(given) ? { ...DEFAULTS, ...mapEntries(given, normalizePart) } : given;

const normalizeOption = (given: unknown): unknown =>
  isPlainObject(given) ? { label: {}, ...mapEntries(given, normalizePart) } : given;

/** Each text once: normalization takes longer than all else. */
function normalizePart(name: string, value: unknown): unknown {
  if (name === 'label' || name === 'description') return normalizeLocalized(value);
  if (name === 'options' && Array.isArray(value)) return value.map(normalizeOption);
  return deep(value);
}

/** The fields that the instance adds to its types: definitions by the type, in the order in which they are shown. */
export const customFieldDefinitions: KindDefinition = {
  ...jsonColumn,
  empty: Object.fromEntries(EXTENSIBLE_TYPES.map((type) => [type, []])),
  longest: () => MAX_DESCRIPTION,
  normalize: (value) =>
    isPlainObject(value)
      ? {
          ...Object.fromEntries(EXTENSIBLE_TYPES.map((type) => [type, []])),
          ...Object.fromEntries(
            Object.entries(value).map(([type, fields]) => [
              type,
              Array.isArray(fields) ? fields.map(normalizeDefinition) : fields,
            ]),
          ),
        }
      : value,
  check: () => definitions,
  schema: () => ({
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(EXTENSIBLE_TYPES.map((type) => [type, LIST_SCHEMA])),
  }),
  answer: () => ({
    type: 'object',
    required: EXTENSIBLE_TYPES,
    additionalProperties: false,
    properties: Object.fromEntries(EXTENSIBLE_TYPES.map((type) => [type, WHOLE_LIST])),
  }),
  parameter: null,
  referredId: null,
};

const LIST_SCHEMA = {
  type: 'array',
  maxItems: MAX_FIELDS,
  items: {
    type: 'object',
    required: ['key', 'type'],
    additionalProperties: false,
    properties: {
      key: { type: 'string', pattern: KEY.source.replaceAll('a-z', 'A-Za-z') },
      type: { type: 'string', enum: CUSTOM_FIELD_TYPES },
      label: localizedSchema(MAX_LABEL),
      description: { ...localizedSchema(MAX_DESCRIPTION), type: ['object', 'null'] },
      category: { type: ['string', 'null'], minLength: 1, maxLength: MAX_LABEL },
      options: {
        type: 'array',
        maxItems: MAX_OPTIONS,
        description: 'Of `select` and `multiselect` alone.',
        items: {
          type: 'object',
          required: ['value'],
          additionalProperties: false,
          properties: {
            value: { type: 'string', minLength: 1, maxLength: MAX_LABEL },
            label: localizedSchema(MAX_LABEL),
          },
        },
      },
      required: { type: 'boolean' },
      public_when_obscured: {
        type: 'boolean',
        description:
          'Shown also of what is hidden from strangers. Of `boolean`, `select` and `multiselect` alone: other values may be of one animal.',
      },
      retired: {
        type: 'boolean',
        description: 'Hidden in forms: values stay as they are, and no new ones are taken.',
      },
    },
  },
};

/** As it is answered: with all that may be absent when it is sent. */
const WHOLE_LIST = {
  ...LIST_SCHEMA,
  items: {
    ...LIST_SCHEMA.items,
    required: Object.keys(LIST_SCHEMA.items.properties),
    properties: {
      ...LIST_SCHEMA.items.properties,
      options: {
        ...LIST_SCHEMA.items.properties.options,
        items: { ...LIST_SCHEMA.items.properties.options.items, required: ['value', 'label'] },
      },
    },
  },
};

/** A definition by the names that the OpenAPI document has for it: as it is answered, and as it is sent. */
export const CUSTOM_FIELD_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  CustomField: WHOLE_LIST.items,
  CustomFieldInput: LIST_SCHEMA.items,
};
