/** The envelope of a success. */
import type { JsonSchema } from '../../plugins/objects/server/kinds/kind';

/** A reference to a named schema: `Encounter`. */
export const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** A reference to a named response: `Changed`. */
export const responseRef = (name: string): JsonSchema => ({
  $ref: `#/components/responses/${name}`,
});

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

/** An object that has what another schema says, and this. */
export const extended = (
  base: string,
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema => ({
  allOf: [ref(base)],
  ...(required.length > 0 ? { required } : {}),
  properties,
});

/** A successful response with this content, that tells nothing beside it. @param base its envelope */
export const success = (response: JsonSchema, base: 'Success' | 'Found' = 'Success') =>
  extended(base, { response }, ['response']);

/** A successful response of a change, which may tell its user more. */
export const successOfChange = (response: JsonSchema): JsonSchema =>
  extended('Success', { response, message: ref('SuccessMessage') }, ['response']);

export const TRANSACTION_ID: JsonSchema = {
  ...UUID,
  description: 'The same as in the header `X-Transaction-Id` and in every log line.',
};

/** The response of a change of an object. */
export const CHANGED = whole({ id: UUID, version: { type: 'integer', minimum: 1 } });

/** What all successes have. */
export const SUCCESS: JsonSchema = {
  description: 'The envelope of a success, beside `response`.',
  ...whole({ success: { type: 'boolean', const: true }, transactionId: ref('TransactionId') }),
};

/** The same of a search. */
export const FOUND: JsonSchema = {
  description: 'The envelope of what a search has found, beside `response`.',
  ...extended(
    'Success',
    { matches: { type: 'array', items: UUID, description: 'The IDs of what was found.' } },
    ['matches'],
  ),
};

/** The answers that many calls have, each a response of its own. */
export const ANSWERS: Readonly<Record<string, JsonSchema>> = {
  Made: successOfChange(whole({ id: UUID })),
  Changed: successOfChange(CHANGED),
  Deleted: success(whole({ id: UUID })),
  Nothing: success({ type: 'object', maxProperties: 0 }),
  HistoryPage: success(ref('History')),
};

/** The answer of a call: one of those, or its own. */
export function answerSchema(schema: JsonSchema): JsonSchema {
  const text = JSON.stringify(schema);
  const known = Object.entries(ANSWERS).find(([, one]) => JSON.stringify(one) === text);
  return { 'application/json': { schema: known ? ref(known[0]) : schema } };
}

/** An answer of bytes, which needs no schema (OpenAPI 3.1, Media Type Object). */
export const bytes = (mediaTypes: readonly string[]): JsonSchema =>
  Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, {}]));

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
