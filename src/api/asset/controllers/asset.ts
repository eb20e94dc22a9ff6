import type { Core } from '@strapi/strapi';
import { callerOf, createController, unknownParameters } from '../../../endpoints/controller';
import { createSearch } from '../../../endpoints/search';
import { answerFile } from '../../../plugins/assets/server/serve';
import { upload } from '../../../plugins/assets/server/upload';
import { filePath } from '../../../plugins/objects/server/kinds/path';
import type { Answer, ApiRequest } from '../../../plugins/wire/server/request';
import resource from '../resource';

export default ({ strapi }: { strapi: Core.Strapi }) => ({
  ...createController(resource)({ strapi }),
  ...createSearch(resource)({ strapi }),

  async create(request: ApiRequest): Promise<Answer> {
    const caller = callerOf(request);
    const { id, claim } = await upload(strapi, request, caller, unknownParameters(request));
    return { response: { id, path: filePath('asset', id), ...(claim === null ? {} : { claim }) } };
  },

  file: (request: ApiRequest): Promise<Answer> => answerFile(strapi, request, callerOf(request)),
});
