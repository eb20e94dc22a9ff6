/** The OpenAPI description of a type's own action on an object. */
import type { Resources } from '../../plugins/objects/server/define/completed';
import type { JsonSchema } from '../../plugins/objects/server/kinds/kind';
import type { ActOperation } from '../operations';
import { requestBody } from './action';
import { pascalCase, success } from './envelope';
import { ID_PARAMETER } from './parameters';
import { CHANGED, IF_MATCH } from './standard';

/** @param refusals the responses of refusals */
export function describeAct(
  { type, action: name }: ActOperation,
  resources: Resources,
  refusals: JsonSchema,
): JsonSchema {
  const action = resources.get(type)?.actions.get(name);
  if (!action) throw new RangeError(`a route of the action "${name}", which ${type} has not`);
  const { summary, body } = action;
  return {
    operationId: `${name}${pascalCase(type)}`,
    tags: [type],
    summary,
    parameters: [ID_PARAMETER, IF_MATCH],
    requestBody: requestBody(body),
    responses: {
      200: { description: 'Done.', content: { 'application/json': { schema: success(CHANGED) } } },
      ...refusals,
    },
  };
}
