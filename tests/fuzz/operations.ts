import { asObject, type Json } from '../helpers/json';
import { jsonSchema, parametersOf, resolve } from '../helpers/openapi';
import { flat } from '../helpers/schema-parts';

/** An operation of the OpenAPI document; its schemas hold what they refer to. */
export interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Json[];
  /** The schema of its body, undefined where it has none. */
  readonly body: Json | undefined;
  /** The body that the document shows. */
  readonly example: Json;
  /** Whether the body is a form with a file. */
  readonly isForm: boolean;
  /** Whether nobody may call it without an account. */
  readonly needsLogin: boolean;
  /** The type of the objects that it is about: the part of its path that names one. */
  readonly type: string;
}

/** The types of objects, which have IDs. */
export const TYPES = [
  'user',
  'encounter',
  'individual',
  'org',
  'taxonomy',
  'asset',
  'collaboration',
] as const;

export function operationsOf(document: Json): Operation[] {
  const operations = Object.entries(asObject(document['paths'])).flatMap(([path, methods]) =>
    Object.entries(asObject(methods)).map(([method, given]) =>
      operationOf(document, path, method.toUpperCase(), asObject(given)),
    ),
  );
  return operations.map((one) =>
    one.path.endsWith('/batch') ? { ...one, body: batchOf(one, operations) } : one,
  );
}

/** The body of a batch, with what the document says of the bodies of the single calls. */
function batchOf({ body = {} }: Operation, operations: readonly Operation[]): Json {
  const properties = asObject(body['properties']);
  const oneOf = operations.flatMap(({ method, path, type, body: single, isForm }): Json[] => {
    if (isForm || type === 'collaboration') return [];
    if (method === 'POST' && path === `/api/v0/${type}`) return [changeOf('create', type, single)];
    if (path !== `/api/v0/${type}/{id}` || method === 'GET') return [];
    return [changeOf(method === 'PUT' ? 'update' : 'delete', type, single)];
  });
  const list = asObject(properties['operations']);
  return { ...body, properties: { ...properties, operations: { ...list, items: { oneOf } } } };
}

function changeOf(op: string, type: string, body: Json | undefined): Json {
  const id = { type: 'string', format: 'uuid' };
  return {
    type: 'object',
    additionalProperties: false,
    required: ['op', 'type', ...(op === 'create' ? [] : ['id']), ...(body ? ['body'] : [])],
    properties: {
      op: { type: 'string', enum: [op] },
      type: { type: 'string', enum: [type] },
      ...(op === 'create'
        ? {}
        : { id, if_match: { type: ['string', 'null'], enum: ['*', '"1"', null] } }),
      ...(body ? { body } : {}),
    },
  };
}

function operationOf(document: Json, path: string, method: string, given: Json): Operation {
  const request = resolve(document, given['requestBody']);
  const content = asObject(request['content']);
  const form = asObject(content['multipart/form-data']);
  const schema = jsonSchema(request) ?? form['schema'];
  const security = given['security'] as readonly Json[] | undefined;
  return {
    name: `${method} ${path}`,
    method,
    path,
    parameters: parametersOf(document, given).map((one) => asObject(whole(document, one))),
    body: schema === undefined ? undefined : asObject(whole(document, schema)),
    example: asObject(asObject(content['application/json'])['example']),
    isForm: 'multipart/form-data' in content,
    needsLogin: security !== undefined && !security.some((way) => Object.keys(way).length === 0),
    type: TYPES.find((type) => path.split('/').includes(type)) ?? otherType(path),
  };
}

/** The settings tell addresses to everybody; all other calls without a type are about accounts. */
const otherType = (path: string): string =>
  path.endsWith('/site_settings') ? 'site_settings' : 'user';

/** A schema with what it refers to and extends in its place; those of requests end, as none refers to itself. */
function whole(document: Json, schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((one) => whole(document, one));
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(flat(document, schema)).map(([key, value]) => [key, whole(document, value)]),
  );
}
