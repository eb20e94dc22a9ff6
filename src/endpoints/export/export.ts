/** The call that streams all objects that a search finds. */
import type { Core } from '@strapi/strapi';
import type { Readable } from 'node:stream';
import { originOf } from '../../core/caller';
import { issue, type Issue } from '../../core/errors';
import { registryOf } from '../../plugins/objects/server';
import type { Resource, Resources } from '../../plugins/objects/server/declare/completed';
import type { ResourceDeclaration } from '../../plugins/objects/server/declare/declaration';
import { OF_THE_PAGE } from '../../plugins/objects/server/search/language/query';
import type { Answer, ApiRequest, RouteDeclaration } from '../../plugins/wire/server/request';
import { callerOf } from '../controller';
import { pascalCase, ref } from '../openapi/envelope';
import { listParameter, queryParameter } from '../openapi/parameters';
import { exportable } from '../openapi/schemas';
import { filterParameters, pageParameters } from '../openapi/search';
import type { ActionOperation } from '../operations';
import type { Terms } from './columns';
import { EXPORT_FORMATS, formatsOf, type Format, type Options } from './format';
import { admissionOf, paced } from './under-way';
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
      const transfer = admissionOf(strapi, wanted.format).enter(originOf(caller));
      let content: Readable | null = null;
      try {
        const write = await prepareExport(strapi, caller, wanted);
        if (request.method !== 'HEAD') content = paced(await write(), transfer);
      } finally {
        if (!content) transfer.leave();
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
  for (const one of OF_THE_PAGE)
    if (query.has(one) && !OWN.has(one)) issues.push(issue(one, 'UNKNOWN', {}));
  const options: Options = {
    terms: terms === 'dwc' ? 'dwc' : 'fields',
    fields: readFields(resource, name, query.get('fields'), issues),
    bom: readMark(name, query.get('bom'), issues),
  };
  return {
    type: resource.type,
    format: EXPORT_FORMATS[name ?? 'csv'] as Format,
    options,
    parameters: new Map([...query].filter(([one]) => !OWN.has(one))),
    issues,
  };
}

/** The parameters that are not those of a search, or have another meaning there. */
const OWN: ReadonlySet<string> = new Set(['format', 'terms', 'fields', 'bom']);

/** The fields to which it is cut; an archive has what its standard asks for. */
function readFields(
  resource: Resource,
  format: string | undefined,
  given: string | undefined,
  issues: Issue[],
): readonly string[] | null {
  if (given === undefined) return null;
  const allowed = exportable(resource);
  const names = [...new Set(given.split(','))];
  if (!names.every((name) => allowed.includes(name)))
    issues.push(issue('fields', 'NOT_ONE_OF', { allowed }));
  else if (format !== undefined && !EXPORT_FORMATS[format]?.isTable)
    issues.push(issue('fields', 'CONFLICT', { with: 'format' }));
  return names;
}

/** Whether it begins with a byte order mark, by which Excel knows that a CSV is UTF-8. */
function readMark(format: string | undefined, given: string | undefined, issues: Issue[]): boolean {
  if (given === undefined) return false;
  if (!MARKS.includes(given)) issues.push(issue('bom', 'NOT_ONE_OF', { allowed: MARKS }));
  else if (given === 'true' && format !== undefined && format !== 'csv')
    issues.push(issue('bom', 'CONFLICT', { with: 'format' }));
  return given === 'true';
}

const MARKS: readonly string[] = ['true', 'false'];

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
  listParameter('fields', ref(`${pascalCase(resource.type)}Column`), 'Only these, in this order.'),
  queryParameter(
    'bom',
    { type: 'string', enum: MARKS },
    'Whether a CSV begins with a byte order mark, without which Excel reads it as another encoding than UTF-8.',
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
    summary: 'Export what a search finds',
    reads: type,
    parameters(resources) {
      const resource = resources.get(type);
      return resource ? exportParameters(resource, resources) : [];
    },
    response: {},
    streams: [...new Set(Object.values(EXPORT_FORMATS).map(({ mediaType }) => mediaType))],
    refusals: type === 'encounter' ? ['SEARCH_TOO_SLOW', 'EXPORT_EMPTY'] : ['SEARCH_TOO_SLOW'],
    ...rest,
  };
  return {
    method: 'GET',
    path: `/v0/export/${type}`,
    handler: `${type}.export`,
    config: { operation },
  };
}
