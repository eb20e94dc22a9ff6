/** The JSON Schema (2020-12, as in OpenAPI 3.1) of a field, for reading and for writing. */
import { definitionOf, emptyOf } from '../kinds';
import type { JsonSchema } from '../kinds/kind';
import { MAX_DERIVED } from '../declare/common';
import type { Field } from '../declare/completed';

/** A schema that takes null, too. */
export function orNull(schema: JsonSchema): JsonSchema {
  const allowed = schema['enum'] as readonly unknown[] | undefined;
  return {
    ...schema,
    type: [schema['type'], 'null'],
    ...(allowed ? { enum: [...allowed, null] } : {}),
  };
}

/** As it may be sent: with the spellings that are accepted in input only. */
function spelled(schema: JsonSchema, { spellings }: Field): JsonSchema {
  const allowed = schema['enum'] as readonly unknown[] | undefined;
  return allowed ? { ...schema, enum: [...allowed, ...Object.keys(spellings)] } : schema;
}

const documented = ({ description, term }: Field) => ({
  description,
  ...(term === null ? {} : { 'x-darwin-core-term': term }),
});

const OF_EVERY_OBJECT = new Set(['version', 'created_at', 'updated_at']);

/** Whether a field may be null when it is read. */
const isNullable = (field: Field): boolean =>
  emptyOf(field) === null &&
  !field.required &&
  field.computed === null &&
  !OF_EVERY_OBJECT.has(field.name) &&
  // A figure is withheld while it is computed anew.
  (field.default === null || field.nullable || field.fill !== null || field.figure !== null);

/** The length of a list that follows from elsewhere; one that belongs to the object is as long as it is. */
function lengthOf({ inverse, listed }: Field): JsonSchema {
  if (!inverse && !listed) return {};
  return { maxItems: listed?.isOwn ? undefined : MAX_DERIVED };
}

/** A field as it is read. */
export function readSchema(field: Field): JsonSchema {
  const kind = definitionOf(field.kind);
  const schema = kind.answer?.(field) ?? kind.schema(field);
  return {
    ...(isNullable(field) ? orNull(schema) : schema),
    ...lengthOf(field),
    ...documented(field),
  };
}

/** What is said of every list and object once: absent on create, or null, it is empty. */
const EMPTY = new Set(['[]', '{}']);

/** A field as it is written: null clears it, unless it is required. */
function writeSchema(field: Field, standard: string | null): JsonSchema {
  const schema = spelled(definitionOf(field.kind).schema(field), field);
  const { description, ...terms } = documented(field);
  const value = JSON.stringify(field.default);
  // Not with the keyword `default`: generated clients conclude from it that the field is always present.
  const hasDefault = field.default !== null && !field.required && standard !== null;
  const byDefault = hasDefault && !EMPTY.has(value) ? ` ${standard}: \`${value}\`.` : '';
  return {
    ...(field.required ? schema : orNull(schema)),
    description: description + byDefault,
    ...terms,
  };
}

export const createSchema = (field: Field): JsonSchema =>
  writeSchema(field, field.nullable ? 'Absent' : 'Absent or null');

/** An absent field stays as it is. */
export const updateSchema = (field: Field): JsonSchema =>
  writeSchema(field, field.nullable ? null : 'Null makes it');

/** A value that a search compares a field with; null finds objects without a value. */
export const searchSchema = (field: Field): JsonSchema =>
  orNull(spelled(definitionOf(field.kind).schema(field), field));
