import type { Request } from '../helpers/http';
import { asObject, type Json } from '../helpers/json';
import { operationsOf } from './operations';
import type { Door, Who } from './people';

/** A place in a request that can hold any text. */
export interface Place {
  readonly name: string;
  readonly door: Door;
  readonly who: Who;
  /** Characters that the document allows there. */
  readonly max: number | null;
  /** The number of times that the text occurs there. */
  readonly times: number;
  readonly in: 'body' | 'url' | 'header';
  readonly request: (text: string) => Request;
}

/** Where a text may stand in a value of a schema: a path of names, and the value with the text in it. */
interface Spot {
  readonly path: string;
  readonly max: number | null;
  readonly times: number;
  readonly value: (text: string) => unknown;
}

/** Languages of a localized text, and keys of an object, that a value is given. */
const MANY = 100;

/** The places in a value. Values that the schema declares as another type are replaced by text, too. */
function spotsOf(schema: Json, path: string): Spot[] {
  const max = typeof schema['maxLength'] === 'number' ? schema['maxLength'] : null;
  const plain: Spot = { path, max, times: 1, value: (text) => text };
  const items = asObject(schema['items']);
  const properties = Object.entries(asObject(schema['properties']));
  const further = schema['additionalProperties'];
  const within = (spots: readonly Spot[], wrap: (value: unknown) => unknown, times = 1): Spot[] =>
    spots.map((spot) => ({
      ...spot,
      times: spot.times * times,
      value: (text) => wrap(spot.value(text)),
    }));
  const alternatives = ((schema['anyOf'] as readonly Json[] | undefined) ?? []).filter(
    ({ maxLength }) => typeof maxLength === 'number',
  );
  const count = typeof schema['maxItems'] === 'number' ? schema['maxItems'] : 1;
  return [
    plain,
    ...alternatives.flatMap((alternative) => spotsOf(alternative, path)),
    ...(schema['items'] === undefined
      ? []
      : [
          ...within(spotsOf(items, `${path}.0`), (value) => [value]),
          ...within(
            spotsOf(items, `${path}.*`),
            (value) => Array<unknown>(count).fill(value),
            count,
          ),
        ]),
    ...properties.flatMap(([name, property]) =>
      within(spotsOf(asObject(property), `${path}.${name}`), (value) => ({
        type: 'weight',
        value: 1,
        [name]: value,
      })),
    ),
    ...(typeOf(schema).includes('object') && properties.length === 0
      ? [
          ...within(spotsOf(asObject(further), `${path}.en`), (value) => ({ en: value })),
          ...within(
            spotsOf(asObject(further), `${path}.*`),
            (value) =>
              Object.fromEntries(Array.from({ length: MANY }, (_, n) => [languageOf(n), value])),
            MANY,
          ),
          {
            path: `${path} (a name)`,
            max: 256,
            times: 1,
            value: (text: string) => ({ [text]: 'x' }),
          },
        ]
      : []),
  ];
}

const typeOf = ({ type }: Json): readonly unknown[] => (Array.isArray(type) ? type : [type]);

/** Language tags that have a meaning: `aa`, `ab`, ... */
const languageOf = (n: number): string =>
  String.fromCharCode(97 + Math.floor(n / 26), 97 + (n % 26)) + 'a';

/** An ID that no object has. */
const NOTHING = '00000000-0000-4000-8000-00000000dead';

const filled = (path: string, text: string): string => path.replace(/\{\w+\}/, text);

/** The fields that a body needs before any other is checked. */
const requiredOf = (schema: Json): Json =>
  Object.fromEntries(
    ((schema['required'] as readonly string[] | undefined) ?? []).map((name) => [
      name,
      name === 'email' ? 'somebody@example.org' : 'A long one, 1 please',
    ]),
  );

/** Headers that the service, Strapi or Node reads. */
const HEADERS = [
  'Authorization',
  'Cookie',
  'If-Match',
  'If-None-Match',
  'Accept-Language',
  'Accept',
  'Origin',
  'Sec-Fetch-Site',
  'X-Transaction-Id',
  'X-Forwarded-For',
  'X-Forwarded-Proto',
  'X-Forwarded-Host',
  'User-Agent',
  'Content-Type',
  'Range',
];

/** The bytes of a text as Node's client takes a header. */
const asHeader = (text: string): string =>
  Buffer.from(text.replace(/[\0-\x1f\x7f]/g, ' '), 'utf8').toString('latin1');

/** A place in each of these headers. */
export const headerPlaces = (
  door: Door,
  url: string,
  { method = 'GET', who = 'nobody' }: { method?: string; who?: Who } = {},
): Place[] =>
  HEADERS.map((header) => ({
    name: `${method} ${url} ${header}`,
    door,
    who,
    max: null,
    times: 1,
    in: 'header',
    request: (text) => ({
      method,
      url,
      headers: {
        [header]: header === 'Authorization' ? `Bearer ${asHeader(text)}` : asHeader(text),
      },
      ...(method === 'GET' ? {} : { raw: '{}' }),
    }),
  }));

/** Every place of the interface: of each call its body, parameters, path and headers. */
export function placesOf(document: Json): Place[] {
  return operationsOf(document).flatMap(({ method, path, parameters, body }): Place[] => {
    const who: Who = 'administrator';
    const url = filled(path, NOTHING);
    const inBody = body
      ? Object.entries(asObject(body['properties'])).flatMap(([name, schema]) =>
          spotsOf(asObject(schema), name).map((spot): Place => ({
            name: `${method} ${path} ${spot.path}`,
            door: 'api',
            who,
            max: spot.max,
            times: spot.times,
            in: 'body',
            request: (text) => ({
              method,
              url,
              body: { ...requiredOf(body), [name]: spot.value(text) },
            }),
          })),
        )
      : [];
    const elsewhere = (name: string, at: (text: string) => string): Place => ({
      name: `${method} ${path} ${name}`,
      door: 'api',
      who,
      max: null,
      times: 1,
      in: 'url',
      request: (text) => ({ method, url: at(encodeURIComponent(text)) }),
    });
    return [
      ...inBody,
      ...(body ? [everything(method, path, url, body)] : []),
      ...parameters
        .filter((parameter) => parameter['in'] === 'query')
        .map(({ name }) =>
          elsewhere(`?${String(name)}`, (text) => `${url}?${String(name)}=${text}`),
        ),
      elsewhere('? (a name)', (text) => `${url}?${text}=1`),
      ...(path.includes('{') ? [elsewhere('{id}', (text) => filled(path, text))] : []),
      ...headerPlaces('api', url, { method, who }),
    ];
  });
}

/** A body with the text in all of its fields. */
function everything(method: string, path: string, url: string, body: Json): Place {
  const spots = Object.entries(asObject(body['properties'])).flatMap(([name, schema]) => {
    const [last] = spotsOf(asObject(schema), name)
      .filter(({ max }) => max !== null)
      .slice(-1);
    return last ? [{ name, last }] : [];
  });
  return {
    name: `${method} ${path} (all fields)`,
    door: 'api',
    who: 'administrator',
    max: null,
    times: 1,
    in: 'body',
    request: (text) => ({
      method,
      url,
      body: Object.fromEntries(
        spots.map(({ name, last }) => {
          const share = Math.floor(text.length / spots.length / last.times);
          return [name, last.value(text.slice(0, Math.min(last.max ?? 0, share)))];
        }),
      ),
    }),
  };
}
