/** The OpenAPI description of a batch: its operations are those of the other calls. */
import type { BodyShape } from '../../plugins/objects/server/validate/request-body';
import type { JsonSchema } from '../../plugins/objects/server/kinds/kind';
import { MAX_OPERATIONS, operationsOf, OPTIONS, shapesOf } from '../batch/operations';
import type { AnyOperation } from '../operations';
import { bodySchema } from './action';
import { ref, UUID, whole } from './envelope';

/** The body of a batch, as a schema. */
export function describeBatch(calls: readonly AnyOperation[]): JsonSchema {
  const { creation, other } = shapesOf(operationsOf(calls));
  const operations = {
    type: 'array',
    minItems: 1,
    maxItems: MAX_OPERATIONS,
    items: { oneOf: [creation, other].map((shape) => withProperties(shape, { body: BODY })) },
  };
  return withProperties(OPTIONS, { operations }, 'operations');
}

const BODY: JsonSchema = {
  type: 'object',
  description: 'As the body of the single call. What is wrong with it is told in the results.',
};

/** The schema of a body with further properties. */
function withProperties(
  shape: BodyShape,
  properties: Readonly<Record<string, JsonSchema>>,
  ...required: readonly string[]
): JsonSchema {
  const schema = bodySchema(shape);
  return {
    ...schema,
    required: [...shape.required, ...required],
    properties: { ...(schema['properties'] as object), ...properties },
  };
}

/** `response` of a batch, also of one that fails. */
export const BATCH_RESULTS: JsonSchema = whole({
  results: {
    type: 'array',
    description: 'What the single call of each operation would have been answered.',
    items: {
      type: 'object',
      required: ['status', 'response'],
      properties: {
        status: { type: 'integer' },
        response: {
          type: 'object',
          properties: {
            id: UUID,
            version: { type: 'integer' },
            invalid: { type: 'array', minItems: 1, items: ref('Fault') },
          },
        },
        message: ref('Message'),
      },
    },
  },
});
