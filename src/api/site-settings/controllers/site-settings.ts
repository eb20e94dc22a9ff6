import type { Core } from '@strapi/strapi';
import { malformed } from '../../../core/errors';
import {
  answerRead,
  callerOf,
  createController,
  unknownParameters,
} from '../../../endpoints/controller';
import { siteOf } from '../../../plugins/objects/server';
import type { Answer, ApiRequest } from '../../../plugins/wire/server/request';
import resource from '../resource';

export default ({ strapi }: { strapi: Core.Strapi }) => {
  const { update } = createController(resource)({ strapi });
  return {
    async read(request: ApiRequest): Promise<Answer> {
      const invalid = unknownParameters(request);
      if (invalid.length > 0) throw malformed(invalid);
      return answerRead(request, await siteOf(strapi).read(callerOf(request)));
    },
    async update(request: ApiRequest): Promise<Answer> {
      const answer = await update(request);
      await siteOf(strapi).load();
      return answer;
    },
  };
};
