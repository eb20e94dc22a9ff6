/** The call by which the objects of a type are searched. */
import type { Core } from '@strapi/strapi';
import { objectsOf } from '../plugins/objects/server';
import type { Resource, Resources } from '../plugins/objects/server/declare/completed';
import type { ResourceDeclaration } from '../plugins/objects/server/declare/declaration';
import type { JsonSchema } from '../plugins/objects/server/kinds/kind';
import { MAX_OFFSET } from '../plugins/objects/server/search/language/limits';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../plugins/objects/server/read/paging';
import type { Matches } from '../plugins/objects/server/declare/objects';
import type { Answer, ApiRequest, RouteDeclaration } from '../plugins/wire/server/request';
import { callerOf } from './controller';
import { createExport, createExportRoute } from './export/export';
import { extended, pascalCase, ref } from './openapi/envelope';
import { queryParameter } from './openapi/parameters';
import { filterParameters, pageParameters } from './openapi/search';
import type { ActionOperation } from './operations';

/** The controller actions of the call, and of that which streams all that is found. */
export const createSearch =
  (declaration: ResourceDeclaration) =>
  ({ strapi }: { strapi: Core.Strapi }) => ({
    ...createExport(declaration)({ strapi }),

    async search(request: ApiRequest): Promise<Answer> {
      const found = await objectsOf(strapi).find(
        declaration.path,
        request.query,
        callerOf(request),
      );
      return { matches: found.ids, response: responseOf(found) };
    },
  });

/** The objects are JSON texts already. */
function responseOf({ total, isTotalExact, limit, next, objects, included }: Matches): string {
  const counted = total === undefined ? {} : { total, total_is_exact: isTotalExact };
  const text = JSON.stringify({ ...counted, limit, next, ...(included ? { included } : {}) });
  return objects ? `${text.slice(0, -1)},"objects":[${objects.join(',')}]}` : text;
}

const response = (type: string): JsonSchema =>
  extended('Page', {
    objects: {
      type: 'array',
      items: { anyOf: [ref(pascalCase(type)), ref(`${pascalCase(type)}Part`)] },
    },
  });

const parametersOf = (resource: Resource, resources: Resources): JsonSchema[] => [
  ...filterParameters(resource, resources),
  queryParameter(
    'limit',
    { type: 'integer', minimum: 0, maximum: MAX_LIMIT },
    `How many IDs at most; ${DEFAULT_LIMIT} where nothing is said, and 0 only counts.`,
  ),
  queryParameter('cursor', { type: 'string' }, 'The `next` of the page before.'),
  queryParameter(
    'offset',
    { type: 'integer', minimum: 0, maximum: MAX_OFFSET },
    'How many are left out before the page; a cursor goes further, and at no cost.',
  ),
  ...pageParameters(resource),
];

/**
 * The route of the call.
 *
 * @param rest whether it needs a login
 */
export function createSearchRoutes(
  declaration: ResourceDeclaration,
  rest: Pick<ActionOperation, 'needsLogin'> = {},
): RouteDeclaration[] {
  const { path: type } = declaration;
  const operation: ActionOperation = {
    kind: 'action',
    name: `search${pascalCase(type)}`,
    tag: type,
    summary: `Find ${type === 'taxonomy' ? 'taxa' : `${type}s`}`,
    finds: true,
    reads: type,
    parameters(resources) {
      const resource = resources.get(type);
      return resource ? parametersOf(resource, resources) : [];
    },
    response: response(type),
    refusals: ['SEARCH_TOO_SLOW'],
    ...rest,
  };
  const config = { operation };
  return [
    { method: 'GET', path: `/v0/search/${type}`, handler: `${type}.search`, config },
    createExportRoute(declaration, rest),
  ];
}
