/**
 * Two worlds that differ only in what is hidden from strangers have to look the same to them. The requests of strangers
 * are generated from the routes and the declarations; so are the changes of what is hidden.
 */
import { Agent } from 'node:http';
import type { Field, Resource } from '#app/plugins/objects/server/declare/completed';
import { registryOf, siteOf } from '#app/plugins/objects/server';
import { isShown } from '#app/plugins/objects/server/read/reader';
import { isForEverybody } from '#app/plugins/objects/server/declare/row';
import { otherViews, viewOf } from '#app/plugins/objects/server/declare/views';
import { hiddenAttributes } from '#app/plugins/panel/server/roles';
import { unzipped } from './archive';
import { send, type Answer, type Request } from './http';
import { sortable } from '#app/plugins/objects/server/search/language/filters';
import { at, asObject, parsed } from './json';
import { parametersOf } from './openapi';
import type { World } from './world';

type Headers = Readonly<Record<string, string>>;

/** An object of the small world. */
export interface Thing {
  readonly type: string;
  readonly id: string;
  /** The view that strangers have of it; `exact` where they see it as it is stored. */
  readonly view: string;
}

export const resourceOf = (world: World, type: string): Resource => {
  const resource = registryOf(world.service.strapi).model().resources.get(type);
  if (!resource) throw new Error(`no type ${type}`);
  return resource;
};

const shownFields = (world: World, type: string): Field[] =>
  [...resourceOf(world, type).fields.values()].filter(isShown);

/** Whether not every reader is told what is stored. */
const isHidden = (world: World, field: Field, view: string): boolean =>
  !isForEverybody(field.seen) ||
  viewOf(field, view, siteOf(world.service.strapi).current()) !== 'shown';

/**
 * The fields of a thing that somebody writes, and that are hidden from a stranger or told in general terms; none where
 * a stranger is told the version, which every change moves.
 */
export function hiddenFields(world: World, { type, view }: Thing): Field[] {
  const { fields } = resourceOf(world, type);
  const version = fields.get('version');
  if (!version || !isHidden(world, version, view)) return [];
  return [...fields.values()].filter(
    (field) =>
      field.input === null &&
      !field.derived &&
      field.kind !== 'secret' &&
      isHidden(world, field, view),
  );
}

/** The fields of a thing that are stored as they are written, and that a moderator does not see in the panel. */
export function hiddenFromModerators(world: World, { type }: Thing): Field[] {
  const resource = resourceOf(world, type);
  const attributes = hiddenAttributes(resource);
  return [...resource.fields.values()].filter(
    ({ attribute, input, derived, kind, columns }) =>
      attributes.has(attribute ?? '') &&
      input === null &&
      !derived &&
      kind !== 'secret' &&
      columns.length > 0,
  );
}

/** Whether a type has anything that a stranger may not see. */
export const hasSecrets = (world: World, type: string): boolean => {
  const { fields, views } = resourceOf(world, type);
  return [...fields.values()].some(
    (field) => !isForEverybody(field.seen) || otherViews(field, views).length > 0,
  );
};

/** The paths of the calls that only read, as the OpenAPI document has them. */
const readPaths = ({ document }: World): string[] =>
  Object.entries(asObject(at(document, 'paths'))).flatMap(([path, calls]) =>
    'get' in asObject(calls) ? [path] : [],
  );

/** The path that calls on one object of a type begin with. */
const pathOf = ({ type }: Thing): string => `/api/v0/${type}/{id}`;

/** Each call that reads a thing: as it is, with summaries of all that it refers to, and cut to some fields. */
function readsOf(world: World, thing: Thing, isThorough: boolean): Request[] {
  const fields = shownFields(world, thing.type);
  const names = fields.map(({ name }) => name);
  const references = fields.flatMap(({ name, to }) => (to === null ? [] : [name]));
  const queries = [
    '',
    `?fields=${[...names].reverse().join()}`,
    ...(references.length > 0 ? [`?include=${references.join()}`] : []),
    ...(isThorough ? names.map((name) => `?fields=${name}`) : []),
    ...(isThorough ? references.map((name) => `?fields=id&include=${name}`) : []),
    '?nope=1',
  ];
  return readPaths(world)
    .filter((path) => path.startsWith(pathOf(thing)))
    .flatMap((path) => {
      const url = path.replace('{id}', thing.id);
      const asked = path === pathOf(thing) ? queries : ['', '?size=small'];
      return [
        ...asked.map((query) => ({ method: 'GET', url: url + query })),
        { method: 'HEAD', url },
        { method: 'GET', url, headers: { Range: 'bytes=0-9' } },
      ];
    });
}

/** Changes that are refused to a stranger, whatever is stored: each is wrong in itself, too. */
function refusalsOf({ type, id }: Thing): Request[] {
  const url = `/api/v0/${type}/${id}`;
  const conditions: Headers[] = [{}, ...['"1"', '"2-x"', '*'].map((tag) => ({ 'If-Match': tag }))];
  return [
    ...conditions.map((headers) => ({ method: 'PUT', url, body: { nope: 1 }, headers })),
    { method: 'DELETE', url, body: { nope: 1 } },
  ];
}

/** A body that refers to a thing from each field that can, and that is wrong beside. */
const referrals = (world: World, { type, id }: Thing): Request[] =>
  [...registryOf(world.service.strapi).model().resources.values()].flatMap((resource) => {
    const names = [...resource.fields.values()].filter(
      ({ to, kind, derived, columns, link }) =>
        to === type && kind !== 'path' && !derived && (columns.length > 0 || link !== null),
    );
    if (resource.made !== null || resource.single !== null) return [];
    return names.map(({ name, kind }) => ({
      method: 'POST',
      url: `/api/v0/${resource.type}`,
      body: { nope: 1, [name]: kind === 'references' ? [id] : id },
    }));
  });

/** Values that are hidden in the small world before they are changed, or after it. */
const PROBES: readonly string[] = [
  ...['null', '2021-06-13', '2021-06-29', '2021-11-03', '-2.333', '34.8333', 'camp', 'serengeti'],
  ...['with a calf', 'by the third tree', 'TZ', 'KE', '1500', '77', 'E1', 'third', 'tusker', 'Ada'],
  ...['true', 'obscured', 'private', 'approved', 'another@example.org', 'fr'],
];

/** Each parameter of a search with values that are hidden, each order, and each way to be answered. */
function searches(world: World, url: string, isThorough: boolean): Request[] {
  const type = url.replace(/^.*\//, '');
  const resource = registryOf(world.service.strapi).model().resources.get(type);
  const get = (query: string): Request => ({ method: 'GET', url: `${url}?${query}` });
  const pages = ['expand=true', 'count=exact', 'count=none', 'limit=2', 'offset=1', 'limit=0'].map(
    get,
  );
  if (!resource) return [];
  const names = parametersOf(world.document, at(world.document, 'paths', url, 'get'));
  const custom = ['herd', 'tree'].flatMap((key) => [
    `custom_fields.${key}=third`,
    `custom_fields.${key}_not=north`,
  ]);
  const orders = sortable(resource).flatMap(({ name }) => [
    get(`sort=${name}&limit=3`),
    get(`sort=-${name}&limit=3`),
    get(`sort=-${name}&limit=1&offset=2`),
  ]);
  const words = ['calf', 'tree', 'tusker', 'another', 'E1', 'tembo', 'loxodonta', 'ada', 'shared'];
  const places = ['bbox=34.8,-2.4,34.9,-2.3', 'near=-2.333,34.8333,1', 'near=-2.3,34.9,20'];
  const filters = names.flatMap(({ name }) =>
    PROBES.map((value) => get(`${String(name)}=${encodeURIComponent(value)}`)),
  );
  return [
    ...pages,
    ...orders,
    ...words.map((word) => get(`q=${word}`)),
    ...(type === 'encounter' ? [...places, ...custom].map(get) : []),
    ...(isThorough ? filters : []),
  ];
}

/** Names that are told, that are hidden, and both with a typo. */
const TYPED = [
  ...[
    'tem',
    'tembo',
    'tmebo',
    'teembo',
    'loxodonta',
    'loxodnota',
    'ada',
    'aad',
    'camp',
    'another_nmae',
  ],
  ...['anothertext', 'shared', 'shaerd', 'E1', 'wanother', 'other words', 'otehr words'],
];

/** Each format of an export, also of what is found by something hidden. */
const exportsOf = (url: string, isThorough: boolean): string[] => [
  ...['format=csv', 'format=geojson', 'format=csv&terms=dwc&sort=-updated_at', 'format=csv&q=calf'],
  ...(url.endsWith('/encounter')
    ? ['dwca', 'camtrap_dp'].flatMap((format) => [
        `format=${format}`,
        ...(isThorough
          ? [`format=${format}&sort=-time`, `format=${format}&time_max=2021-06-20&tags=tusker`]
          : []),
      ])
    : []),
];

/** The collections that need no ID: searches with and without filters, the site settings. */
function collections(world: World, things: readonly Thing[], isThorough: boolean): Request[] {
  const others = readPaths(world).filter(
    (path) => !path.includes('{') && !/openapi|session/.test(path),
  );
  const ids = things.map(({ id }) => id);
  return others.flatMap((url) => [
    { method: 'GET', url },
    ...(url.includes('/export/') ? exportsOf(url, isThorough) : []).map((query) => ({
      method: 'GET',
      url: `${url}?${query}`,
    })),
    ...(url.includes('/suggest/') ? TYPED : []).map((typed) => ({
      method: 'GET',
      url: `${url}?q=${encodeURIComponent(typed)}`,
    })),
    ...(url.includes('/search/')
      ? [
          { method: 'GET', url: `${url}?limit=1` },
          ...ids.map((id) => ({ method: 'GET', url: `${url}?id=${id}` })),
          ...searches(world, url, isThorough),
        ]
      : []),
  ]);
}

/** What the panel is asked for: `all` is each comparison with each attribute. */
type PanelExtent = 'first pages' | 'pages' | 'all';

/** What the panel is asked: lists in each order and with each filter, documents, and what is offered for references. */
export const panelLists = (
  world: World,
  things: readonly Thing[],
  extent: PanelExtent,
): Request[] => {
  const types = [...new Set(things.map(({ type }) => type))];
  return [
    ...things.map(({ type, id }) => panelGet(`${collectionOf(world, type)}/${id}`)),
    ...types.flatMap((type) => listsOf(world, type, extent)),
  ];
};

const panelGet = (url: string): Request => ({ method: 'GET', url: encodeURI(url) });

const collectionOf = (world: World, type: string): string =>
  `/content-manager/collection-types/${resourceOf(world, type).uid}`;

const NAMES = ['calf', 'another', 'camp', 'fr', 'tusker', 'approved'];

function listsOf(world: World, type: string, extent: PanelExtent): Request[] {
  const { fields, uid } = resourceOf(world, type);
  const url = collectionOf(world, type);
  const attributes = [...fields.values()].flatMap(({ attribute, columns }) =>
    attribute !== null && columns.length > 0 ? [attribute] : [],
  );
  const references = [...fields.values()].filter(({ to, attribute }) => to !== null && attribute);
  const pages = ['', '?page=1&pageSize=10', ...NAMES.map((word) => `?_q=${word}`)];
  const offered = references.flatMap(({ attribute }) =>
    ['', '?_q=another'].map((query) =>
      panelGet(`/content-manager/relations/${uid}/${attribute ?? ''}${query}`),
    ),
  );
  const through = references.flatMap(({ attribute, to }) => [
    `?sort=${attribute ?? ''}.language:ASC`,
    ...(to === 'user' ? [`?filters[${attribute ?? ''}][language][$eq]=fr`] : []),
  ]);
  const compared = attributes.flatMap((attribute) => [
    `?sort=${attribute}:ASC`,
    `?sort=${attribute}:DESC&pageSize=1`,
    `?filters[$and][0][${attribute}][$null]=true`,
    ...NAMES.map((value) => `?filters[$and][0][${attribute}][$containsi]=${value}`),
    ...PROBES.map((value) => `?filters[$and][0][${attribute}][$eq]=${value}`),
  ]);
  if (extent === 'first pages') return [panelGet(url)];
  const asked = [...pages, ...through, ...(extent === 'all' ? compared : [])];
  return [...asked.map((query) => panelGet(url + query)), ...offered];
}

/** All requests. @param isThorough with each field by itself */
export const requestsFor = (
  world: World,
  things: readonly Thing[],
  isThorough: boolean,
): Request[] => [
  ...things.flatMap((thing) => [
    ...readsOf(world, thing, isThorough),
    ...refusalsOf(thing),
    ...(isThorough ? referrals(world, thing) : []),
  ]),
  ...collections(world, things, isThorough),
  // Whoever has no access to the panel is refused whatever the query.
  ...panelLists(world, things, isThorough ? 'pages' : 'first pages'),
];

/** What may differ between two answers that are the same. */
async function comparable({ status, headers, text, bytes }: Answer): Promise<string> {
  const kept = { ...headers, date: null };
  const id = asObject(text.startsWith('{') ? parsed(text) : {})['transactionId'];
  const isArchive = headers['content-type'] === 'application/zip' && bytes.length > 0;
  const content = isArchive ? filesOf(await unzipped(bytes)) : text;
  const whole = JSON.stringify([status, kept, content]);
  const transaction = typeof id === 'string' ? id : headers['x-transaction-id'];
  return transaction === undefined ? whole : whole.replaceAll(String(transaction), 'transaction');
}

/** The files of an archive, without the time at which it was made. */
const filesOf = (files: ReadonlyMap<string, string>): [string, string][] =>
  [...files].map(([name, text]) => [
    name,
    text.replace(/"created":"[^"]*"/, '').replace(/<pubDate>[^<]*/, ''),
  ]);

const described = ({ method, url, headers = {}, body }: Request): string =>
  [method, url, JSON.stringify(headers), body === undefined ? '' : JSON.stringify(body)].join(' ');

/**
 * The answers to all requests of each caller, by the request.
 *
 * @param isThorough also whether the same is not modified by its ETag; the ETags themselves are recorded in any case
 */
export async function record(
  { service }: World,
  requests: readonly Request[],
  callers: Readonly<Record<string, Headers>>,
  isThorough = false,
): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  const agent = new Agent({ keepAlive: true });
  const ask = async (who: string, given: Request): Promise<Answer> => {
    const headers = { ...given.headers, ...callers[who] };
    const answer = await send(service.url, { ...given, headers }, agent);
    answers.set(`${who}: ${described(given)}`, await comparable(answer));
    return answer;
  };
  for (const who of Object.keys(callers)) {
    for (const request of requests) {
      const { headers } = await ask(who, request);
      if (!isThorough || request.method !== 'GET' || headers.etag === undefined) continue;
      const known = { ...callers[who], 'If-None-Match': headers.etag };
      const again = await send(service.url, { ...request, headers: known }, agent);
      answers.set(`${who} again: ${described(request)}`, String(again.status));
    }
  }
  agent.destroy();
  return answers;
}

/** The requests whose answers are not the same, each with the place where they part. */
export const differences = (
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string[] =>
  [...after].flatMap(([request, answer]) => {
    const known = before.get(request) ?? '';
    if (known === answer) return [];
    const at = [...answer].findIndex((character, place) => character !== known[place]);
    const around = (text: string): string => text.slice(Math.max(at - 80, 0), at + 80);
    return [`${request.slice(0, 200)}\n    ${around(known)}\n    ${around(answer)}`];
  });
