/** Checks the table of rights before the object is loaded. */
import type { Core } from '@strapi/strapi';
import { ApiError } from '../core/errors';
import { registryOf } from '../plugins/objects/server';
import type { ApiRequest, Operation } from '../plugins/wire/server/request';
import { callerOf } from './controller';
import type {
  ActOperation,
  AnyOperation,
  FileOperation,
  HistoryOperation,
  StandardOperation,
} from './operations';

/**
 * Refuses an anonymous call that needs an account, before limits are counted.
 *
 * @throws ApiError LOGIN_REQUIRED, or the refusal of the table for a caller who may never make the call
 */
export function createLoginCheck(strapi: Core.Strapi): (request: ApiRequest) => void {
  const registry = registryOf(strapi);
  return (request) => {
    const operation = request.route?.config.operation as AnyOperation | undefined;
    const caller = callerOf(request);
    if (!operation || caller.id !== null) return;
    if (operation.kind === 'action' || operation.kind === 'document') {
      if (operation.needsLogin) throw new ApiError('LOGIN_REQUIRED');
      return;
    }
    const { access } = registry.model().type(operation.type).for(caller);
    const right = rightOf(operation);
    if (access.extent(right).length === 0) throw new ApiError(access.refusal(right));
  };
}

/** The row of the table by which a call is judged. */
const rightOf = (
  operation: StandardOperation | ActOperation | HistoryOperation | FileOperation,
): string => {
  if (operation.kind === 'act') return operation.action;
  return operation.kind === 'file' ? 'read' : operation.kind;
};

/** Whether a table has a row for an operation. An operation without a type declares in its route who may call it. */
export const createRightsCheck =
  (strapi: Core.Strapi) =>
  (given: Operation): boolean => {
    const operation = given as AnyOperation;
    if (operation.kind === 'action' || operation.kind === 'document') return true;
    const resource = registryOf(strapi).model().resources.get(operation.type);
    return resource?.rights.has(rightOf(operation)) === true;
  };
