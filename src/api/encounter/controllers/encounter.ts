import type { Core } from '@strapi/strapi';
import type { Caller } from '../../../core/caller';
import { hashOfClaim, newClaim } from '../../../core/claim';
import {
  callerOf,
  createController,
  unknownParameters,
  writeUnless,
} from '../../../endpoints/controller';
import type { Body, CreateChange } from '../../../plugins/objects/server/types';
import type { Answer, ApiRequest } from '../../../plugins/wire/server/request';
import resource from '../resource';

export default ({ strapi }: { strapi: Core.Strapi }) => ({
  ...createController(resource)({ strapi }),

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

/** The caller with the claims of a body; invalid ones are reported with the other fields. */
function withClaims(caller: Caller, body: unknown): Caller {
  const given: unknown =
    typeof body === 'object' && body !== null ? (body as Body)['claims'] : undefined;
  if (!Array.isArray(given)) return caller;
  const hashes = given.flatMap((claim) =>
    typeof claim === 'string' ? (hashOfClaim(claim) ?? []) : [],
  );
  return { ...caller, claims: [...caller.claims, ...hashes.slice(0, MAX_CLAIMS)] };
}

/** The maximum number of photographs of an encounter. */
const MAX_CLAIMS = 100;
