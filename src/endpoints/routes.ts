import type { ResourceDeclaration } from '../plugins/objects/server/define/declaration';
import type { RouteDeclaration } from '../plugins/wire/server/request';
import type { StandardOperation } from './operations';

/** The four calls that every type of objects has, for `src/api/<type>/routes`. */
export function createRoutes({ path }: ResourceDeclaration): { routes: RouteDeclaration[] } {
  const operation = (kind: StandardOperation['kind']) => ({
    operation: { kind, type: path } satisfies StandardOperation,
  });
  const one = `/v0/${path}/:id`;
  return {
    routes: [
      {
        method: 'POST',
        path: `/v0/${path}`,
        handler: `${path}.create`,
        config: operation('create'),
      },
      { method: 'GET', path: one, handler: `${path}.read`, config: operation('read') },
      { method: 'PUT', path: one, handler: `${path}.update`, config: operation('update') },
      { method: 'DELETE', path: one, handler: `${path}.delete`, config: operation('delete') },
    ],
  };
}
