import type { Core } from '@strapi/strapi';
import { createBatchReader, operationsOf } from '../../../endpoints/batch/operations';
import { resultsOf } from '../../../endpoints/batch/results';
import { callerOf, unknownParameters, withClaims } from '../../../endpoints/controller';
import { ApiError, malformed } from '../../../core/errors';
import { objectsOf } from '../../../plugins/objects/server';
import { wireOf } from '../../../plugins/wire/server';
import type { Answer, ApiRequest } from '../../../plugins/wire/server/request';

/** Many changes in one call, with the rights of the single calls; accounts are an administrator's. */
export default ({ strapi }: { strapi: Core.Strapi }) => {
  let reader: ReturnType<typeof createBatchReader> | null = null;
  return {
    async carryOut(request: ApiRequest): Promise<Answer> {
      const invalid = unknownParameters(request);
      if (invalid.length > 0) throw malformed(invalid);
      const calls = wireOf(strapi)
        .routes()
        .map(({ config }) => config.operation);
      reader ??= createBatchReader(operationsOf(calls));
      const batch = reader(request.body);
      const bodies = batch.changes.map((change) => ('body' in change ? change.body : null));
      const caller = withClaims(callerOf(request), ...bodies);
      const changes = batch.changes.map((change) =>
        change.type === 'user' && caller.role !== 'administrator'
          ? new ApiError('NOT_PERMITTED')
          : change,
      );
      const outcomes = await objectsOf(strapi).writeAll(changes, caller, batch);
      return { response: { results: resultsOf(batch, outcomes) } };
    },
  };
};
