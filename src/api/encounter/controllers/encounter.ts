import type { Core } from '@strapi/strapi';
import { hashOfClaim, newClaim } from '../../../core/claim';
import { withClaims } from '../../../endpoints/claims';
import {
  callerOf,
  createController,
  unknownParameters,
  writeUnless,
} from '../../../endpoints/controller';
import { createSearch } from '../../../endpoints/search';
import type { Body, CreateChange } from '../../../plugins/objects/server/types';
import type { Answer, ApiRequest } from '../../../plugins/wire/server/request';
import resource from '../resource';

export default ({ strapi }: { strapi: Core.Strapi }) => ({
  ...createController(resource)({ strapi }),
  ...createSearch(resource)({ strapi }),

  /** A report without an account: claims permit adding its photographs, and the answer has a claim to read it later. */
  async create(request: ApiRequest): Promise<Answer> {
    const caller = withClaims(callerOf(request), request.body);
    const claim = caller.role === 'anonymous' ? newClaim() : null;
    const hash = claim && hashOfClaim(claim);
    const change: CreateChange = {
      op: 'create',
      type: 'encounter',
      body: request.body as Body,
      ...(hash ? { claim: { hash, endsAt: null } } : {}),
    };
    const { id } = await writeUnless(unknownParameters(request), strapi, change, caller);
    return { response: { id, ...(claim === null ? {} : { claim }) } };
  },
});
