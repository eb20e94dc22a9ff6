/** Whether a call needs a login, from the table of rights: asked before limits are counted. */
import type { Core } from '@strapi/strapi';
import { ApiError } from '../core/errors';
import { registryOf } from '../plugins/objects/server';
import type { ApiRequest } from '../plugins/wire/server/request';
import { callerOf } from './controller';
import type { AnyOperation } from './operations';

/** @throws ApiError LOGIN_REQUIRED, or what else the table says to whoever may never make the call */
export const createLoginCheck =
  (strapi: Core.Strapi) =>
  (request: ApiRequest): void => {
    const operation = request.route?.config.operation as AnyOperation | undefined;
    const caller = callerOf(request);
    if (!operation || caller.id !== null) return;
    if (operation.kind === 'action' || operation.kind === 'document') {
      if (operation.needsLogin) throw new ApiError('LOGIN_REQUIRED');
      return;
    }
    const { access } = registryOf(strapi).model().type(operation.type).for(caller);
    if (access.extent(operation.kind).length === 0)
      throw new ApiError(access.refusal(operation.kind));
  };
