/** The OpenAPI description of a call that belongs to no type. */
import { createSchema } from '../../plugins/objects/server/define/json-schema';
import type { JsonSchema } from '../../plugins/objects/server/kinds/kind';
import type { Resources } from '../../plugins/objects/server/declare/completed';
import type { BodyShape } from '../../plugins/objects/server/validate/request-body';
import type { ActionOperation, AnyOperation } from '../operations';
import { answerSchema, bytes, success } from './envelope';
import { ID_PARAMETER } from './parameters';

/**
 * @param hasId whether its path has the ID of an object
 * @param calls all that there are
 * @param refusals the responses of refusals
 */
export function describeAction(
  operation: ActionOperation,
  hasId: boolean,
  calls: readonly AnyOperation[],
  resources: Resources,
  refusals: JsonSchema,
): JsonSchema {
  const { name, tag, summary, body, input, response, finds } = operation;
  const answered = typeof response === 'function' ? response(resources) : response;
  const content = operation.streams
    ? bytes(operation.streams)
    : answerSchema(success(answered, finds ? 'Found' : 'Success'));
  const parameters = [
    ...(hasId ? [ID_PARAMETER] : []),
    ...(operation.parameters?.(resources) ?? []),
  ];
  return {
    operationId: name,
    tags: [tag],
    summary,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: requestBody(body) } : {}),
    ...(input ? { requestBody: requestOf(input(calls), true) } : {}),
    responses: { 200: { description: 'Done.', content }, ...refusals },
  };
}

/** The body of a call. @param further properties beside those of its own */
export const requestBody = (
  body: BodyShape,
  further: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema => requestOf(bodySchema(body, further), body.required.length > 0);

const requestOf = (schema: JsonSchema, required: boolean): JsonSchema => ({
  ...(required ? { required } : {}),
  content: { 'application/json': { schema } },
});

/** The body of a call, as a schema. */
export const bodySchema = (
  { fields, required }: BodyShape,
  further: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema => ({
  type: 'object',
  additionalProperties: false,
  ...(required.length > 0 ? { required } : {}),
  properties: {
    ...Object.fromEntries(fields.map((field) => [field.name, createSchema(field)])),
    ...further,
  },
});
