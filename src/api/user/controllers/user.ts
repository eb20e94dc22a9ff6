import type { Core } from '@strapi/strapi';
import { callerOf, createController } from '../../../endpoints/controller';
import { objectsOf } from '../../../plugins/objects/server';
import type { Answer, Exchange } from '../../../plugins/wire/server/exchange';
import resource from '../resource';

export default ({ strapi }: { strapi: Core.Strapi }) => ({
  ...createController(resource)({ strapi }),

  async search(exchange: Exchange): Promise<Answer> {
    const found = await objectsOf(strapi).find('user', exchange.query, callerOf(exchange));
    const { ids: matches, total, isTotalExact, limit, next } = found;
    return { matches, response: { total, total_is_exact: isTotalExact, limit, next } };
  },
});
