/** The call that streams all objects that a search finds. */
import type { Core } from '@strapi/strapi';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { issue, type Issue } from '../../core/errors';
import { objectsOf, registryOf } from '../../plugins/objects/server';
import type { Resource, Resources } from '../../plugins/objects/server/define/completed';
import type { ResourceDeclaration } from '../../plugins/objects/server/define/declaration';
import { positionOf } from '../../plugins/objects/server/search/filters';
import { OF_THE_PAGE } from '../../plugins/objects/server/search/query';
import type { Body } from '../../plugins/objects/server/types';
import type { Answer, ApiRequest, RouteDeclaration } from '../../plugins/wire/server/request';
import { callerOf } from '../controller';
import { pascalCase } from '../openapi/envelope';
import { queryParameter } from '../openapi/parameters';
import { filterParameters, pageParameters } from '../openapi/search';
import type { ActionOperation } from '../operations';
import { columnsOf, type Column, type Terms } from './columns';
import { csvHead, csvLines } from './csv';
import { GEOJSON_HEAD, GEOJSON_TAIL, geojsonFeatures } from './geojson';

const MEDIA_TYPES = {
  csv: 'text/csv; charset=utf-8',
  geojson: 'application/geo+json',
} as const;
type Format = keyof typeof MEDIA_TYPES;

/** What a type can be exported as. */
const formatsOf = (resource: Resource): Format[] =>
  positionOf(resource) ? ['csv', 'geojson'] : ['csv'];
const TERMS: readonly Terms[] = ['dwc'];

interface Lifecycle {
  readonly draining: boolean;
}

/** The controller action of the call. */
export const createExport =
  ({ path: type }: ResourceDeclaration) =>
  ({ strapi }: { strapi: Core.Strapi }) => ({
    async export(request: ApiRequest): Promise<Answer> {
      const { model, site } = registryOf(strapi);
      const { resource, ...known } = model().type(type);
      const caller = callerOf(request);
      const { format, terms, parameters, issues } = parametersOf(resource, request);
      const pages = objectsOf(strapi).pages(type, parameters, caller, issues);
      // What is wrong with the query is told before anything is sent.
      const first = await pages.next();
      const { access } = known.for(caller);
      const custom = site().current().customFields[type] ?? [];
      const columns = columnsOf(resource, custom, (field) => access.seen(field).length > 0, terms);
      const isDraining = (): boolean =>
        strapi.config.get<Lifecycle>('oms.lifecycle', { draining: false }).draining;
      const texts = textsOf(format, columns, first, pages, isDraining);
      const content = request.method === 'HEAD' ? null : Readable.from(texts);
      const name = `attachment; filename="${type}.${format}"`;
      return {
        headers: { 'Content-Disposition': name },
        bytes: { type: MEDIA_TYPES[format], length: null, content },
      };
    },
  });

/** The parameters that are not those of the search. */
function parametersOf(resource: Resource, { query }: ApiRequest) {
  const issues: Issue[] = [];
  const formats = formatsOf(resource);
  const given = query.get('format');
  const format = formats.find((one) => one === given) ?? 'csv';
  const terms = query.get('terms');
  if (given === undefined) issues.push(issue('format', 'REQUIRED', {}));
  else if (given !== format) issues.push(issue('format', 'NOT_ONE_OF', { allowed: formats }));
  if (terms !== undefined && terms !== 'dwc')
    issues.push(issue('terms', 'NOT_ONE_OF', { allowed: TERMS }));
  for (const name of OF_THE_PAGE) if (query.has(name)) issues.push(issue(name, 'UNKNOWN', {}));
  const parameters = new Map([...query].filter(([name]) => name !== 'format' && name !== 'terms'));
  return { format, terms: terms === 'dwc' ? 'dwc' : 'fields', parameters, issues } as const;
}

type Pages = AsyncGenerator<readonly Body[], void>;

/** The text of an export, page by page. A service that ends does not wait for the rest: its connection breaks off. */
async function* textsOf(
  format: Format,
  columns: readonly Column[],
  first: IteratorResult<readonly Body[], void>,
  pages: Pages,
  isDraining: () => boolean,
): AsyncGenerator<string> {
  const isCsv = format === 'csv';
  try {
    yield isCsv ? csvHead(columns) : GEOJSON_HEAD;
    let isFirst = true;
    for (let page = first; !page.done; page = await pages.next()) {
      if (isDraining()) throw new Error('the service is ending');
      yield isCsv ? csvLines(columns, page.value) : geojsonFeatures(columns, page.value, isFirst);
      isFirst &&= page.value.length === 0;
      // Others have their turn between two pages.
      await setImmediate();
    }
    if (!isCsv) yield GEOJSON_TAIL;
  } finally {
    await pages.return();
  }
}

const exportParameters = (resource: Resource, resources: Resources) => [
  {
    ...queryParameter(
      'format',
      { type: 'string', enum: formatsOf(resource) },
      'A table, or a collection of features.',
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
    streams: Object.values(MEDIA_TYPES),
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
