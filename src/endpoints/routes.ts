import type { ErrorKey } from '../core/errors';
import type { ResourceDeclaration } from '../plugins/objects/server/declare/declaration';
import type { RouteDeclaration } from '../plugins/wire/server/request';
import type { ActOperation, HistoryOperation, StandardOperation } from './operations';

type Kind = StandardOperation['kind'];

type Refusals = Readonly<Partial<Record<Kind, readonly ErrorKey[]>>>;

const operationOf =
  (type: string, refusals: Refusals, create: Partial<StandardOperation> = {}) =>
  (kind: Kind) => ({
    operation: {
      ...(kind === 'create' ? create : {}),
      kind,
      type,
      refusals: refusals[kind] ?? [],
    } satisfies StandardOperation,
  });

/** The two calls of a type that has one object. */
export function createSingleRoutes(
  { path, uid }: ResourceDeclaration,
  refusals: Refusals = {},
): RouteDeclaration[] {
  const operation = operationOf(path, refusals);
  const controller = uid.replace(/^.*\./, '');
  const one = `/v0/${path}`;
  return [
    { method: 'GET', path: one, handler: `${controller}.read`, config: operation('read') },
    { method: 'PUT', path: one, handler: `${controller}.update`, config: operation('update') },
  ];
}

/**
 * The calls that every type of objects has, and one for each of its own actions, for `src/api/<type>/routes`.
 *
 * @param refusals with what the type's own rules may refuse each of them
 * @param create what is further to be said of the call that makes an object
 */
export function createRoutes(
  { path, actions = {} }: ResourceDeclaration,
  refusals: Refusals = {},
  create: Partial<StandardOperation> = {},
): RouteDeclaration[] {
  const operation = operationOf(path, refusals, create);
  const history = { kind: 'history', type: path } satisfies HistoryOperation;
  const one = `/v0/${path}/:id`;
  return [
    {
      method: 'POST',
      path: `/v0/${path}`,
      handler: `${path}.create`,
      config: operation('create'),
    },
    { method: 'GET', path: one, handler: `${path}.read`, config: operation('read') },
    { method: 'PUT', path: one, handler: `${path}.update`, config: operation('update') },
    { method: 'DELETE', path: one, handler: `${path}.delete`, config: operation('delete') },
    ...Object.keys(actions).map((action): RouteDeclaration => {
      const operation: ActOperation = { kind: 'act', type: path, action };
      const config = { operation };
      return { method: 'POST', path: `${one}/${action}`, handler: `${path}.act`, config };
    }),
    {
      method: 'GET',
      path: `${one}/history`,
      handler: `${path}.history`,
      config: { operation: history },
    },
  ];
}
