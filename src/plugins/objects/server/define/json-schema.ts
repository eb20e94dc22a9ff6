/** JSON Schema (2020-12, as OpenAPI 3.1 has it) of what a field holds, as it is read and as it is written. */
import { definitionOf, emptyOf } from '../kinds';
import type { JsonSchema } from '../kinds/kind';
import type { Field } from './completed';

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

/** Whether a field may read as null. */
const isNullable = (field: Field): boolean =>
  emptyOf(field) === null && !field.required && (field.default === null || field.fill !== null);

const OF_EVERY_OBJECT = new Set(['version', 'created_at', 'updated_at']);

/** A field as it is read. */
export function readSchema(field: Field): JsonSchema {
  const schema = definitionOf(field.kind).schema(field);
  const mayBeNull = isNullable(field) && !OF_EVERY_OBJECT.has(field.name);
  return { ...(mayBeNull ? orNull(schema) : schema), ...documented(field) };
}

/** A field as it is written: null empties it, unless it is required. */
export function writeSchema(field: Field): JsonSchema {
  const schema = spelled(definitionOf(field.kind).schema(field), field);
  const byDefault =
    field.default === null || field.kind === 'customFields' ? {} : { default: field.default };
  return { ...(field.required ? schema : orNull(schema)), ...byDefault, ...documented(field) };
}
