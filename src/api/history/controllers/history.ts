import type { Core } from '@strapi/strapi';
import { callerOf } from '../../../endpoints/controller';
import { objectsOf } from '../../../plugins/objects/server';
import type { Answer, ApiRequest } from '../../../plugins/wire/server/request';

export default ({ strapi }: { strapi: Core.Strapi }) => ({
  async search(request: ApiRequest): Promise<Answer> {
    return { response: await objectsOf(strapi).searchHistory(request.query, callerOf(request)) };
  },
});
