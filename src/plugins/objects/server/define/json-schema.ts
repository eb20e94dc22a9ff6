/** JSON Schema (2020-12, as OpenAPI 3.1 has it) of what a field holds. */
import type { Kind } from './declaration';
import type { Field } from './resource';

export type JsonSchema = Readonly<Record<string, unknown>>;

const uuid = { type: 'string', format: 'uuid' };

const text = ({ minLength, maxLength }: Field): JsonSchema => ({
  type: 'string',
  ...(minLength > 0 ? { minLength } : {}),
  maxLength,
});

const number = ({ kind, min, max }: Field): JsonSchema => ({
  type: kind,
  ...(min === null ? {} : { minimum: min }),
  ...(max === null ? {} : { maximum: max }),
});

const list = (items: JsonSchema, { maxItems }: Field): JsonSchema => ({
  type: 'array',
  items,
  maxItems,
});

const measurement = {
  type: 'object',
  required: ['type', 'value'],
  additionalProperties: false,
  properties: {
    type: { type: 'string', minLength: 1, maxLength: 255 },
    value: { anyOf: [{ type: 'number' }, { type: 'string', maxLength: 255 }] },
    unit: { type: ['string', 'null'], maxLength: 255 },
  },
};

const SCHEMAS: Record<Kind, (field: Field) => JsonSchema> = {
  id: () => uuid,
  text,
  uuid: () => uuid,
  email: (field) => ({ ...text(field), format: 'email' }),
  url: (field) => ({ ...text(field), format: 'uri' }),
  language: (field) => ({ ...text(field), examples: ['en', 'pt-BR'] }),
  country: () => ({ type: 'string', pattern: '^\\s*[A-Za-z]{2}\\s*$' }),
  choice: ({ choices }) => ({ type: 'string', enum: choices }),
  number,
  integer: number,
  boolean: () => ({ type: 'boolean' }),
  time: (field) => ({
    ...text(field),
    examples: ['2021', '2021-06', '2021-06-03', '2021-06-03T14:05+02:00', '2021-06-03/2021-06-05'],
  }),
  instant: () => ({ type: 'string', format: 'date-time' }),
  localized: ({ maxLength }) => ({
    type: 'object',
    maxProperties: 100,
    additionalProperties: { type: 'string', minLength: 1, maxLength },
    examples: [{ en: 'plains zebra', fr: 'zèbre des plaines' }],
  }),
  texts: (field) => list({ type: 'string', minLength: 1, maxLength: field.maxLength }, field),
  measurements: (field) => list(measurement, field),
  customFields: () => ({ type: 'object' }),
  region: text,
  reference: () => uuid,
  references: (field) => list(uuid, field),
  path: text,
  secret: (field) => ({ ...text(field), format: 'password', writeOnly: true }),
};

/** Kinds that are never null: what is absent is empty. */
const NEVER_NULL: ReadonlySet<Kind> = new Set([
  'id',
  'texts',
  'measurements',
  'references',
  'customFields',
]);

function orNull(schema: JsonSchema): JsonSchema {
  const allowed = schema['enum'] as readonly unknown[] | undefined;
  return {
    ...schema,
    type: [schema['type'], 'null'],
    ...(allowed ? { enum: [...allowed, null] } : {}),
  };
}

/** As it may be sent: with the spellings that are only taken. */
function spelled(schema: JsonSchema, { spellings }: Field): JsonSchema {
  const allowed = schema['enum'] as readonly unknown[] | undefined;
  return allowed ? { ...schema, enum: [...allowed, ...Object.keys(spellings)] } : schema;
}

const documented = ({ description, term }: Field): JsonSchema => ({
  description,
  ...(term === null ? {} : { 'x-darwin-core-term': term }),
});

/** A field as it is read. */
export function readSchema(field: Field): JsonSchema {
  const schema = SCHEMAS[field.kind](field);
  const isNullable =
    !NEVER_NULL.has(field.kind) &&
    !field.required &&
    (field.default === null || field.fill !== null);
  const isOfEvery = ['version', 'created_at', 'updated_at'].includes(field.name);
  return { ...(isNullable && !isOfEvery ? orNull(schema) : schema), ...documented(field) };
}

/** A field as it is written: null empties it, unless it is required. */
export function writeSchema(field: Field): JsonSchema {
  const schema = spelled(SCHEMAS[field.kind](field), field);
  const byDefault =
    field.default === null || field.kind === 'customFields' ? {} : { default: field.default };
  return { ...(field.required ? schema : orNull(schema)), ...byDefault, ...documented(field) };
}
