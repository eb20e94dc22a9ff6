/** The OpenAPI description of a type's own action on an object. */
import type { Action, Resource, Resources } from '../../plugins/objects/server/declare/completed';
import type { JsonSchema } from '../../plugins/objects/server/kinds/kind';
import type { ActOperation } from '../operations';
import { requestBody } from './action';
import { asUpdated } from './bodies';
import { answerSchema, CHANGED, pascalCase, successOfChange, whole } from './envelope';
import { header, ID_PARAMETER } from './parameters';
import { IF_MATCH } from './standard';

const CLAIM = header('X-Claim', 'The claim of the object, by which the caller may know of it.');

/** @param refusals the responses of refusals */
export function describeAct(
  { type, action: name }: ActOperation,
  resources: Resources,
  refusals: JsonSchema,
): JsonSchema {
  const resource = resources.get(type);
  const action = resource?.actions.get(name);
  if (!resource || !action)
    throw new RangeError(`a route of the action "${name}", which ${type} has not`);
  const { summary } = action;
  return {
    operationId: `${name}${pascalCase(type)}`,
    tags: [type],
    summary,
    parameters: [ID_PARAMETER, IF_MATCH, ...(action.reveals ? [CLAIM] : [])],
    requestBody: bodyOf(action, resource, resources),
    responses: {
      200: {
        description: 'Done.',
        content: answerSchema(successOfChange(answerOf(action))),
      },
      ...refusals,
    },
  };
}

/** The body of an action; that of a merge may give fields of the object, too. */
function bodyOf(action: Action, resource: Resource, resources: Resources): JsonSchema {
  if (!action.merges) return requestBody(action.body);
  const fields = action.merges.fields.flatMap((name) => resource.fields.get(name) ?? []);
  return requestBody(
    action.body,
    Object.fromEntries(fields.map((field) => [field.name, asUpdated(field, resource, resources)])),
  );
}

const answerOf = (action: Action): JsonSchema =>
  action.merges
    ? {
        description: 'With `dry_run` what the merge would do.',
        anyOf: [CHANGED, whole(action.merges.preview)],
      }
    : CHANGED;
