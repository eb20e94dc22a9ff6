/** Requests that are made from the operations of the OpenAPI document. */
import * as fc from 'fast-check';
import { asObject, at, type Json } from '../helpers/json';
import { wild, wildName } from './hostile';
import type { Operation } from './operations';
import { bodyOf, encode, inUrl, named, parameter, queryOf, seldom, shot } from './requests';
import type { FormFile, Kind, Shot } from './shot';
import { alternativesOf, known, valid } from './values';
import { TOO_DEEP, violationsOf } from './violations';

/** The parts of a request that is as the document allows. */
interface Parts {
  readonly path: string;
  readonly query: readonly Parameter[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly file: FormFile | undefined;
}

/** A parameter with the value that its text says. */
interface Parameter {
  readonly name: string;
  readonly value: unknown;
  readonly schema: Json;
}

/** A change of the parts, which the document does not allow. */
interface Changed {
  readonly parts: Partial<Parts> & { readonly method?: string; readonly raw?: string };
  readonly violation: string;
  readonly isTidy?: boolean;
}

/** What a request of an operation and a kind is made by. */
export function requestsOf(operation: Operation, kind: Kind): fc.Arbitrary<Shot> {
  if (kind === 'hostile') return hostile(operation);
  const right = partsOf(operation);
  if (kind === 'valid')
    return right.map((parts) => shotOf(operation, kind, parts, { isTidy: true }));
  return fc.tuple(right, fc.nat(), fc.nat()).map(([parts, which, how]) => {
    const { parts: changed, violation, isTidy = true } = violate(operation, parts, which, how);
    return shotOf(operation, kind, { ...parts, ...changed }, { isTidy, violation });
  });
}

function shotOf(
  operation: Operation,
  kind: Kind,
  parts: Parts & Changed['parts'],
  { isTidy, violation }: { isTidy: boolean; violation?: string },
): Shot {
  const { method = operation.method, path, query, headers, body, raw, file } = parts;
  const search = query
    .filter(({ value }) => value !== undefined)
    .map(({ name, value }) => `${encode(name)}=${asText(value)}`)
    .join('&');
  const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  return {
    door: 'api',
    who: 'nobody',
    kind,
    isTidy,
    operation,
    ...(violation === undefined ? {} : { violation }),
    ...(file === undefined ? {} : { file }),
    request: {
      method,
      url: search === '' ? path : `${path}?${search}`,
      headers: {
        ...(content === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(content === undefined ? {} : { raw: content }),
    },
  };
}

/** A list is one parameter, whose commas separate. */
function asText(value: unknown): string {
  if (Array.isArray(value))
    return value.map((item) => asText(item).replaceAll('%2C', '%5C%2C')).join(',');
  return encode(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
}

function partsOf(operation: Operation): fc.Arbitrary<Parts> {
  return fc.record({
    path: pathOf(operation),
    query: parametersFor(operation),
    headers: headersFor(operation),
    body: operation.body ? bodyFor(operation, operation.body) : fc.constant(undefined),
    file: fc.constant(operation.isForm ? 'a photograph' : undefined),
  });
}

const pathOf = ({ path, type }: Operation): fc.Arbitrary<string> =>
  fc
    .oneof(
      { weight: 6, arbitrary: known(path.includes('sessions') ? 'session' : type) },
      { weight: 1, arbitrary: known(`gone_${type}`) },
      { weight: type === 'user' ? 2 : 0, arbitrary: fc.constant('{{own:id}}') },
    )
    .map((id) => path.replace('{id}', id));

/** Few of the many parameters of a search, and those that it needs. */
function parametersFor({ parameters, type }: Operation): fc.Arbitrary<Parameter[]> {
  const given = parameters
    .filter((parameter) => parameter['in'] === 'query')
    .map((parameter) => ({
      isRequired: parameter['required'] === true,
      made: parameterOf(parameter, type, parameters),
    }));
  const optional = given.filter(({ isRequired }) => !isRequired);
  const required = given.filter(({ isRequired }) => isRequired).map(({ made }) => made);
  return fc
    .subarray(optional, { maxLength: Math.min(optional.length, 3) })
    .chain((chosen) => fc.tuple(...required, ...chosen.map(({ made }) => made)))
    .map((all) => all.flat());
}

/** The ends that make another filter of a filter, by the names of the parameters that describe these. */
const ENDS: Readonly<Record<string, readonly string[]>> = {
  not: ['_not'],
  range: ['_min', '_max'],
};

/** @param all the parameters of the call */
function parameterOf(
  parameter: Json,
  type: string,
  all: readonly Json[],
): fc.Arbitrary<Parameter[]> {
  const schema = asObject(parameter['schema']);
  const name = String(parameter['name']);
  const [pattern] = Object.keys(asObject(schema['patternProperties']));
  const ends = ENDS[name];
  if (name === 'cursor') return fc.constant([{ name, value: '{{cursor:0}}', schema }]);
  if (ends) return derived(all.filter(isFilter), type, ends);
  if (pattern !== undefined)
    return fc
      .tuple(fc.stringMatching(new RegExp(pattern)), fc.lorem({ maxCount: 1 }))
      .map(([key, value]) => [{ name: key, value, schema: { type: 'string' } }]);
  // An ID in a query is that of an object, and none for a new one.
  const spot = { name: name === 'id' ? type : name, type };
  return valid(schema, spot).map((value) => [{ name, value, schema }]);
}

const isFilter = ({ name, schema }: Json): boolean =>
  at(schema, 'maxItems') !== undefined && name !== 'sort';

/** One of the filters with an end, and a value that it has without. */
const derived = (
  filters: readonly Json[],
  type: string,
  ends: readonly string[],
): fc.Arbitrary<Parameter[]> =>
  fc
    .tuple(fc.constantFrom(...filters), fc.constantFrom(...ends))
    .chain(([filter, end]) =>
      parameterOf(filter, type, []).map((made) =>
        made.map((one) => ({ ...one, name: `${one.name}${end}` })),
      ),
    );

/** Values for the headers of the document. */
const HEADERS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'If-Match': fc.constantFrom('{{etag:0}}', '{{etag:0}}', '*', '"1"', '{{etag:0}}, "1"'),
  'If-None-Match': fc.constantFrom('{{etag:0}}', '{{etag:0}}', '*', 'W/{{etag:0}}'),
  Range: fc.constantFrom('bytes=0-9', 'bytes=-5', 'bytes=99999999-'),
  'If-Range': fc.constantFrom('{{etag:0}}', '"x"'),
  'X-Claim': known('claim'),
  'Accept-Language': fc.constantFrom('fr', 'es;q=0.5, en', '*'),
};

function headersFor({ parameters }: Operation): fc.Arbitrary<Record<string, string>> {
  const named = parameters
    .filter((parameter) => parameter['in'] === 'header')
    .map(({ name }) => [String(name), HEADERS[String(name)] ?? fc.constant('x')] as const);
  return fc
    .record(Object.fromEntries(named), { requiredKeys: [] })
    .map((all) => all as Record<string, string>);
}

/** A body by its schema, or the example of the document with some of it. */
function bodyFor({ example, type, name }: Operation, schema: Json): fc.Arbitrary<unknown> {
  const made = valid(schema, { name: '', type });
  if (name.endsWith('/login'))
    return fc.oneof(made, fc.constant({ username: '{{own:email}}', password: '{{own:password}}' }));
  const properties = asObject(schema['properties']);
  // IDs of the example are of no object here.
  const shown = Object.entries(example).filter(
    ([, value]) => !/-4\d{3}-|@/.test(JSON.stringify(value)),
  );
  const linked = Object.keys(example).filter((key) => !shown.some(([name]) => name === key));
  const links = fc.record(
    Object.fromEntries(
      linked.map((key) => [key, valid(asObject(properties[key]), { name: key, type })]),
    ),
  );
  const some = fc.tuple(made, links, fc.nat(3)).map(([value, link, count]) => ({
    ...Object.fromEntries([...shown, ...Object.entries(asObject(value)).slice(0, count)]),
    ...link,
  }));
  return alternativesOf(schema).length > 0 ? made : fc.oneof(made, { weight: 2, arbitrary: some });
}

/** How a request is changed, the likelier ones more than once. */
const CHANGES: readonly ((operation: Operation, parts: Parts, how: number) => Changed | null)[] = [
  ...Array.from({ length: 6 }, () => inBody),
  ...Array.from({ length: 3 }, () => inQuery),
  ...Array.from({ length: 2 }, () => inPath),
  inHeaders,
  inForm,
  elsewhere,
];

/** One violation in the first part, from a random one on, that has any. */
function violate(operation: Operation, parts: Parts, which: number, how: number): Changed {
  for (let n = 0; n < CHANGES.length; n += 1) {
    const changed = CHANGES[(which + n) % CHANGES.length]?.(operation, parts, how);
    if (changed) return changed;
  }
  return { parts: {}, violation: 'none' };
}

const chosen = <T>(values: readonly T[], how: number): T | undefined => values[how % values.length];

function inBody({ body }: Operation, parts: Parts, how: number): Changed | null {
  const violation = body && chosen(violationsOf(body, parts.body), how);
  if (!violation) return null;
  const isTidy = !violation.name.startsWith(TOO_DEEP);
  return { parts: { body: violation.make() }, violation: `body: ${violation.name}`, isTidy };
}

function inQuery({ method, parameters }: Operation, { query }: Parts, how: number): Changed | null {
  if (method !== 'GET') return null;
  const schema: Json = { type: 'string' };
  const stranger = [...query, { name: 'nothing', value: 'x', schema }];
  const [first, ...others] = query;
  if (!first || how % 4 === 0)
    return { parts: { query: stranger }, violation: 'query: unknown parameter' };
  if (how % 4 === 1)
    return { parts: { query: [...query, first] }, violation: 'query: given twice', isTidy: false };
  if (how % 4 === 2 && parameters.some(({ name, required }) => name === first.name && required))
    return { parts: { query: others }, violation: `query: missing ${first.name}` };
  const violation = chosen(violationsOf(first.schema, first.value), how >> 2);
  if (!violation) return null;
  const changed = { ...first, value: violation.make() };
  return {
    parts: { query: [changed, ...others] },
    violation: `query: ${first.name} ${violation.name}`,
  };
}

/** What is the ID of nothing. */
export const NO_IDS = [
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  '0a0b0c0d-0000-4000-8000-00000000dead',
  'x',
  '1',
  '%7B%7D',
];

function inPath({ path }: Operation, _: Parts, how: number): Changed | null {
  if (!path.includes('{id}')) return null;
  return {
    parts: { path: path.replace('{id}', chosen(NO_IDS, how) ?? 'x') },
    violation: 'path: the ID of nothing',
  };
}

function inHeaders({ parameters }: Operation, { headers }: Parts, how: number): Changed | null {
  const hasMatch = parameters.some(({ name }) => name === 'If-Match');
  if (!hasMatch) return null;
  const value = how % 2 === 0 ? '"999999999"' : 'x';
  return {
    parts: { headers: { ...headers, 'If-Match': value } },
    violation: how % 2 === 0 ? STALE : 'header: malformed If-Match',
  };
}

/** The violation of a request for a version that no object has. */
export const STALE = 'header: the ETag of another version';

function inForm({ isForm }: Operation, _: Parts, how: number): Changed | null {
  const files: readonly FormFile[] = ['a broken photograph', 'a text', 'nothing'];
  return isForm ? { parts: { file: chosen(files, how) }, violation: 'form: its file' } : null;
}

const METHODS = ['PATCH', 'PUT', 'DELETE', 'POST', 'TRACE'];

function elsewhere({ method }: Operation, { body, headers }: Parts, how: number): Changed {
  const text = JSON.stringify(body ?? {});
  const type = { ...headers, 'Content-Type': chosen(['text/plain', 'application/xml'], how) ?? '' };
  const changes: readonly Changed[] = [
    {
      parts: {
        method:
          chosen(
            METHODS.filter((one) => one !== method),
            how,
          ) ?? 'PATCH',
      },
      violation: 'method',
    },
    { parts: { raw: text.slice(0, -1) }, violation: 'body: JSON that ends too early' },
    { parts: { raw: text, headers: type }, violation: 'header: media type' },
    { parts: { raw: '[]' }, violation: 'body: a list' },
  ];
  return { ...(chosen(changes, how >> 3) ?? { parts: {}, violation: 'none' }), isTidy: false };
}

/** Any JSON in some fields, any text in parameters, headers and the path. */
function hostile(operation: Operation): fc.Arbitrary<Shot> {
  const { method, path, body, type } = operation;
  const query = operation.parameters
    .filter((given) => given['in'] === 'query')
    .map(({ name, schema }) => {
      const values = valid(asObject(schema), { name: String(name), type });
      return named(
        String(name),
        parameter(values.map((value) => (Array.isArray(value) ? value.join(',') : value))),
      );
    });
  return shot({
    door: 'api',
    method,
    path: seldom(known(type), inUrl).map((id) => path.replace('{id}', id)),
    query: queryOf(query),
    body: body ? bodyOf(withStrange(body, type)) : null,
  }).map((given) => ({ ...given, operation }));
}

/** A body of which some fields hold anything, and some names are strange. */
const withStrange = (schema: Json, type: string): fc.Arbitrary<unknown> => {
  const names = Object.keys(asObject(schema['properties']));
  const name =
    names.length === 0
      ? wildName
      : fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...names) }, wildName);
  return fc
    .tuple(
      valid(schema, { name: '', type }),
      fc.array(fc.tuple(name, wild), { minLength: 1, maxLength: 2 }),
    )
    .map(([value, strange]) => ({ ...asObject(value), ...Object.fromEntries(strange) }));
};
