/** The envelope of a success. */
import type { JsonSchema } from '../../plugins/objects/server/kinds/kind';

/** A reference to a named schema: `Encounter`. */
export const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** The name of a schema: `site_settings` gives `SiteSettings`. */
export const pascalCase = (name: string): string =>
  name.toLowerCase().replace(/(^|[_-])([a-z])/g, (_, __, letter: string) => letter.toUpperCase());

export const UUID: JsonSchema = { type: 'string', format: 'uuid' };

/** An object with these properties, all of them required. */
export const whole = (properties: Readonly<Record<string, JsonSchema>>) => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});

/** A successful response with this content, that tells nothing beside it. */
export const success = (response: JsonSchema, further: Record<string, JsonSchema> = {}) =>
  whole({
    success: { type: 'boolean', const: true },
    response,
    transactionId: ref('TransactionId'),
    ...further,
  });

/** A successful response of a change, which may tell its user more. */
export function successOfChange(response: JsonSchema): JsonSchema {
  const schema = success(response);
  return { ...schema, properties: { ...schema.properties, message: ref('SuccessMessage') } };
}

export const TRANSACTION_ID: JsonSchema = {
  ...UUID,
  description: 'The same as in the header `X-Transaction-Id` and in every log line.',
};

/** The response of a change of an object. */
export const CHANGED = whole({ id: UUID, version: { type: 'integer', minimum: 1 } });

/** The answers that many calls have. */
export const ANSWERS: Readonly<Record<string, JsonSchema>> = {
  Made: successOfChange(whole({ id: UUID })),
  Changed: successOfChange(CHANGED),
  Deleted: success(whole({ id: UUID })),
  Nothing: success({ type: 'object', maxProperties: 0 }),
};

/** The answer of a call: one of those, or its own. */
export function answerSchema(schema: JsonSchema): JsonSchema {
  const text = JSON.stringify(schema);
  const known = Object.entries(ANSWERS).find(([, one]) => JSON.stringify(one) === text);
  return { 'application/json': { schema: known ? ref(known[0]) : schema } };
}

/** The headers that several answers have. */
export const HEADERS: Readonly<Record<string, JsonSchema>> = {
  ETag: {
    required: true,
    schema: { type: 'string' },
    description: 'Changes whenever what this caller sees of the object changes.',
  },
  'Retry-After': {
    required: true,
    schema: { type: 'integer', minimum: 1 },
    description: 'Seconds.',
  },
  'X-Session': {
    schema: { type: 'string', enum: ['ended'] },
    description: 'The session of the cookie has ended: the answer is the one that anybody gets.',
  },
};
