import type { Core } from '@strapi/strapi';
import { claimOf } from '../../../core/claim';
import { messageOf } from '../../../core/notices';
import {
  callerOf,
  createController,
  unknownParameters,
  writeUnless,
  withClaims,
} from '../../../endpoints/controller';
import { createSearch } from '../../../endpoints/search';
import type { Body, CreateChange } from '../../../plugins/objects/server/declare/objects';
import type { Answer, ApiRequest } from '../../../plugins/wire/server/request';
import resource from '../resource';

export default ({ strapi }: { strapi: Core.Strapi }) => ({
  ...createController(resource)({ strapi }),
  ...createSearch(resource)({ strapi }),

  /** A report without an account: claims permit adding its photographs, and the answer has a claim to read it later. */
  async create(request: ApiRequest): Promise<Answer> {
    const caller = withClaims(callerOf(request), request.body);
    const claim = caller.role === 'anonymous' ? claimOf(request.body) : null;
    const change: CreateChange = {
      op: 'create',
      type: 'encounter',
      body: request.body as Body,
      ...(claim === null ? {} : { claim: { hash: claim.hash, endsAt: null, brings: 'assets' } }),
    };
    const { id, notices } = await writeUnless(unknownParameters(request), strapi, change, caller);
    return {
      response: { id, ...(claim === null ? {} : { claim: claim.text }) },
      message: messageOf(notices),
    };
  },
});
