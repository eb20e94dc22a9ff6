/** The call by which a type is searched by exact values of its fields. */
import type { Core } from '@strapi/strapi';
import type { ResourceDeclaration } from '../plugins/objects/server/define/declaration';
import { searchSchema } from '../plugins/objects/server/define/json-schema';
import { objectsOf } from '../plugins/objects/server';
import {
  DEFAULT_LIMIT,
  MAX_LIMIT,
  MAX_VALUES,
  searchable,
} from '../plugins/objects/server/search/exact';
import type { Answer, ApiRequest, RouteDeclaration } from '../plugins/wire/server/request';
import { callerOf } from './controller';
import { pascalCase } from './openapi/envelope';
import { listParameter, queryParameter } from './openapi/parameters';
import type { ActionOperation } from './operations';

/** The controller action of the call. */
export const createSearch =
  ({ path: type }: ResourceDeclaration) =>
  ({ strapi }: { strapi: Core.Strapi }) => ({
    async search(request: ApiRequest): Promise<Answer> {
      const found = await objectsOf(strapi).find(type, request.query, callerOf(request));
      const { ids: matches, total, isTotalExact, limit, next } = found;
      return { matches, response: { total, total_is_exact: isTotalExact, limit, next } };
    },
  });

const field = (type: string): string =>
  `Any of these values; \`null\` is none. A comma in a value has a backslash before it. What the caller does not see of a ${type} matches nothing.`;

const RESPONSE = {
  type: 'object',
  required: ['total', 'total_is_exact', 'limit', 'next'],
  properties: {
    total: { type: 'integer', description: 'Exact up to 10,000.' },
    total_is_exact: { type: 'boolean' },
    limit: { type: 'integer' },
    next: { type: ['string', 'null'], description: 'Where the next page begins.' },
  },
};

/**
 * The route of the call.
 *
 * @param rest whether it needs a login
 */
export function createSearchRoutes(
  { path: type }: ResourceDeclaration,
  rest: Pick<ActionOperation, 'needsLogin'> = {},
): { routes: RouteDeclaration[] } {
  const operation: ActionOperation = {
    kind: 'action',
    name: `search${pascalCase(type)}`,
    tag: type,
    summary: `Find ${type}s by what their fields are`,
    finds: true,
    parameters(resources) {
      const resource = resources.get(type);
      return [
        ...(resource ? searchable(resource) : []).map((one) =>
          listParameter(one.name, searchSchema(one), field(type), { maxItems: MAX_VALUES }),
        ),
        queryParameter(
          'limit',
          { type: 'integer', minimum: 0, maximum: MAX_LIMIT },
          `How many IDs at most; ${DEFAULT_LIMIT} where nothing is said, and 0 only counts.`,
        ),
        queryParameter('cursor', { type: 'string' }, 'The `next` of the page before.'),
      ];
    },
    response: RESPONSE,
    refusals: [],
    ...rest,
  };
  const config = { operation };
  return {
    routes: [{ method: 'GET', path: `/v0/search/${type}`, handler: `${type}.search`, config }],
  };
}
