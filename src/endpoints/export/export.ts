/** The call that streams all objects that a search finds. */
import type { Core } from '@strapi/strapi';
import type { Readable } from 'node:stream';
import { issue, type Issue } from '../../core/errors';
import { registryOf } from '../../plugins/objects/server';
import type { Resource, Resources } from '../../plugins/objects/server/define/completed';
import type { ResourceDeclaration } from '../../plugins/objects/server/define/declaration';
import { OF_THE_PAGE } from '../../plugins/objects/server/search/query';
import type { Answer, ApiRequest, RouteDeclaration } from '../../plugins/wire/server/request';
import { callerOf } from '../controller';
import { pascalCase } from '../openapi/envelope';
import { queryParameter } from '../openapi/parameters';
import { filterParameters, pageParameters } from '../openapi/search';
import type { ActionOperation } from '../operations';
import type { Terms } from './columns';
import { FORMATS, formatsOf, type Format } from './format';
import { exportsOf } from './under-way';
import { prepareExport, type Wanted } from './write';

const TERMS: readonly Terms[] = ['dwc'];

/** The controller action of the call. */
export const createExport =
  ({ path: type }: ResourceDeclaration) =>
  ({ strapi }: { strapi: Core.Strapi }) => ({
    async export(request: ApiRequest): Promise<Answer> {
      const { resource } = registryOf(strapi).model().type(type);
      const wanted = readWanted(resource, request);
      const { extension, mediaType } = wanted.format;
      const caller = callerOf(request);
      const leave = exportsOf(strapi).enter(caller.id ?? caller.network ?? '');
      let content: Readable | null = null;
      try {
        const write = await prepareExport(strapi, caller, wanted);
        if (request.method !== 'HEAD') content = (await write()).once('close', leave);
      } finally {
        if (!content) leave();
      }
      return {
        headers: { 'Content-Disposition': `attachment; filename="${type}.${extension}"` },
        bytes: { type: mediaType, length: null, content },
      };
    },
  });

/** What a call wants: the parameters that are not those of a search are read, with what is wrong with them. */
export function readWanted(resource: Resource, { query }: Pick<ApiRequest, 'query'>): Wanted {
  const issues: Issue[] = [];
  const formats = formatsOf(resource);
  const given = query.get('format');
  const name = formats.find((one) => one === given);
  const terms = query.get('terms');
  if (given === undefined) issues.push(issue('format', 'REQUIRED', {}));
  else if (name === undefined) issues.push(issue('format', 'NOT_ONE_OF', { allowed: formats }));
  if (terms !== undefined && terms !== 'dwc')
    issues.push(issue('terms', 'NOT_ONE_OF', { allowed: TERMS }));
  for (const one of OF_THE_PAGE) if (query.has(one)) issues.push(issue(one, 'UNKNOWN', {}));
  return {
    type: resource.type,
    format: FORMATS[name ?? 'csv'] as Format,
    terms: terms === 'dwc' ? 'dwc' : 'fields',
    parameters: new Map([...query].filter(([one]) => one !== 'format' && one !== 'terms')),
    issues,
  };
}

const exportParameters = (resource: Resource, resources: Resources) => [
  {
    ...queryParameter(
      'format',
      { type: 'string', enum: formatsOf(resource) },
      'A table, or a collection of features; of encounters also an archive: a zip of tables.',
    ),
    required: true,
  },
  queryParameter(
    'terms',
    { type: 'string', enum: TERMS },
    'Names columns by their Darwin Core terms, where they have any.',
  ),
  ...filterParameters(resource, resources),
  ...pageParameters(resource).filter(({ name }) => name === 'sort'),
];

/** The route of the call. @param rest whether it needs a login */
export function createExportRoute(
  { path: type }: ResourceDeclaration,
  rest: Pick<ActionOperation, 'needsLogin'> = {},
): RouteDeclaration {
  const operation: ActionOperation = {
    kind: 'action',
    name: `export${pascalCase(type)}`,
    tag: type,
    summary: 'Stream all that a search finds, with the fields that a read gives',
    reads: type,
    parameters(resources) {
      const resource = resources.get(type);
      return resource ? exportParameters(resource, resources) : [];
    },
    response: {},
    streams: [...new Set(Object.values(FORMATS).map(({ mediaType }) => mediaType))],
    refusals: ['SEARCH_TOO_SLOW'],
    ...rest,
  };
  return {
    method: 'GET',
    path: `/v0/export/${type}`,
    handler: `${type}.export`,
    config: { operation },
  };
}
