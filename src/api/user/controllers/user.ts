import type { Core } from '@strapi/strapi';
import { callerOf, createController } from '../../../endpoints/controller';
import { objectsOf } from '../../../plugins/objects/server';
import type { Answer, ApiRequest } from '../../../plugins/wire/server/request';
import resource from '../resource';

export default ({ strapi }: { strapi: Core.Strapi }) => ({
  ...createController(resource)({ strapi }),

  async search(request: ApiRequest): Promise<Answer> {
    const found = await objectsOf(strapi).find('user', request.query, callerOf(request));
    const { ids: matches, total, isTotalExact, limit, next } = found;
    return { matches, response: { total, total_is_exact: isTotalExact, limit, next } };
  },
});
