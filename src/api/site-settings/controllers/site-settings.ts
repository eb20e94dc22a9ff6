import type { Core } from '@strapi/strapi';
import { malformed } from '../../../core/errors';
import {
  answerRead,
  callerOf,
  createController,
  tagOf,
  unknownParameters,
} from '../../../endpoints/controller';
import { siteOf } from '../../../plugins/objects/server';
import type { Found } from '../../../plugins/objects/server/types';
import type { Answer, ApiRequest } from '../../../plugins/wire/server/request';
import resource from '../resource';

export default ({ strapi }: { strapi: Core.Strapi }) => {
  const { update } = createController(resource)({ strapi });
  /** The entity tags of the cached settings, by their JSON: the same object until the settings change. */
  const tags = new WeakMap<Found, string>();
  return {
    async read(request: ApiRequest): Promise<Answer> {
      const invalid = unknownParameters(request);
      if (invalid.length > 0) throw malformed(invalid);
      const found = await siteOf(strapi).read(callerOf(request));
      const tag = tags.get(found) ?? tagOf(found);
      tags.set(found, tag);
      return answerRead(request, found, tag);
    },
    async update(request: ApiRequest): Promise<Answer> {
      const answer = await update(request);
      await siteOf(strapi).settled();
      return answer;
    },
  };
};
