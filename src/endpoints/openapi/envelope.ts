/** The envelope and the refusals, from the catalogue of errors. */
import { ERRORS, FIELD_ERRORS, KEY_PREFIX, type ErrorKey } from '../../core/errors';
import type { JsonSchema } from '../../plugins/objects/server/kinds/kind';

const prefixed = (keys: readonly string[]): string[] => keys.map((key) => KEY_PREFIX + key);

const STATUS_TEXTS: Readonly<Record<number, string>> = {
  400: 'The request is malformed, or what it would make exists already.',
  401: 'The call needs a login.',
  402: 'No such object; or one that the caller may not know of.',
  403: 'The caller may not do this.',
  404: 'No such path.',
  405: 'The path does not have this method.',
  409: 'The state of things does not allow it.',
  412: 'The object has moved on from the version in `If-Match`.',
  413: 'The body is too large.',
  414: 'The URL is too long.',
  415: 'The media type is not accepted.',
  429: 'Too often; `Retry-After` says when to try again.',
  500: 'Our fault; nothing more is told.',
  503: 'The service cannot answer now; `Retry-After` says when to try again.',
};

/** Name of a type's schema: `encounter` is `Encounter`. */
export const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** An answer that went well, with this content. */
export const success = (response: JsonSchema, further: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  required: ['success', 'response', 'transactionId', ...Object.keys(further)],
  properties: {
    success: { const: true },
    response,
    transactionId: ref('TransactionId'),
    ...further,
  },
});

export function envelopeSchemas(): Record<string, JsonSchema> {
  return {
    TransactionId: {
      type: 'string',
      format: 'uuid',
      description: 'The same as in the header `X-Transaction-Id` and in every log line.',
    },
    Fault: {
      type: 'object',
      required: ['path', 'key', 'args'],
      properties: {
        path: { type: 'string', description: "The field's path in dots, or the parameter." },
        key: { type: 'string', enum: prefixed(Object.keys(FIELD_ERRORS)) },
        args: { type: 'object' },
      },
    },
  };
}

function failure(keys: readonly ErrorKey[]): JsonSchema {
  return {
    type: 'object',
    required: ['success', 'response', 'transactionId', 'message'],
    properties: {
      success: { const: false },
      response: { type: 'object', properties: { invalid: { type: 'array', items: ref('Fault') } } },
      transactionId: ref('TransactionId'),
      message: {
        type: 'object',
        required: ['key', 'args'],
        properties: {
          key: { type: 'string', enum: prefixed(keys) },
          args: { type: 'object' },
        },
      },
    },
  };
}

/** A response for each status that a refusal can have, by the status. */
export function errorResponses(): Record<string, JsonSchema> {
  const statuses = new Map<number, ErrorKey[]>();
  for (const [key, { status }] of Object.entries(ERRORS)) {
    statuses.set(status, [...(statuses.get(status) ?? []), key as ErrorKey]);
  }
  return Object.fromEntries(
    [...statuses].map(([status, keys]) => [
      String(status),
      {
        description: STATUS_TEXTS[status] ?? '',
        content: { 'application/json': { schema: failure(keys) } },
      },
    ]),
  );
}
