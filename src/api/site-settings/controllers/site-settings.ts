import type { Core } from '@strapi/strapi';
import { malformed } from '../../../core/errors';
import { andThen, type Soon } from '../../../core/soon';
import {
  answerRead,
  callerOf,
  createController,
  tagOf,
  unknownParameters,
} from '../../../endpoints/controller';
import { siteOf } from '../../../plugins/objects/server';
import type { Found } from '../../../plugins/objects/server/declare/objects';
import type { Answer, ApiRequest } from '../../../plugins/wire/server/request';
import resource from '../resource';

export default ({ strapi }: { strapi: Core.Strapi }) => {
  const { update } = createController(resource)({ strapi });
  /** The entity tags of the cached settings, by their JSON: the same object until the settings change. */
  const tags = new WeakMap<Found, string>();
  return {
    read(request: ApiRequest): Soon<Answer> {
      const invalid = unknownParameters(request);
      if (invalid.length > 0) throw malformed(invalid);
      return andThen(siteOf(strapi).read(callerOf(request)), (found) => {
        let tag = tags.get(found);
        if (tag === undefined) tags.set(found, (tag = tagOf(found)));
        return answerRead(request, found, tag);
      });
    },
    async update(request: ApiRequest): Promise<Answer> {
      const answer = await update(request);
      await siteOf(strapi).settled();
      return answer;
    },
  };
};
