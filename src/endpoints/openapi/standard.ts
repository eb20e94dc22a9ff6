/** What the OpenAPI document says of each kind of operation. */
import type { JsonSchema } from '../../plugins/objects/server/kinds/kind';
import type { Resource, Resources } from '../../plugins/objects/server/define/completed';
import type { DocumentOperation, StandardOperation } from '../operations';
import { isShown } from '../../plugins/objects/server/read/reader';
import { ref, success } from './envelope';
import { schemaName } from './schemas';

type Kind = StandardOperation['kind'];

const uuid = { type: 'string', format: 'uuid' };
export const ID_PARAMETER = { name: 'id', in: 'path', required: true, schema: uuid };
const IF_MATCH = {
  name: 'If-Match',
  in: 'header',
  schema: { type: 'string' },
  description:
    'The ETag that was read, or `"<version>"`: refused with 412 when the object has moved on.',
};
const IF_NONE_MATCH = {
  name: 'If-None-Match',
  in: 'header',
  schema: { type: 'string' },
  description: 'The ETag that was read: 304 when it still holds.',
};

/** Statuses of every call, and of every call with a body. */
export const EVERYWHERE = [400, 401, 403, 414, 429, 500, 503];
export const WITH_BODY = [413, 415];

/** The statuses that each kind can refuse with. */
const REFUSALS: Record<Kind, readonly number[]> = {
  create: [...EVERYWHERE, ...WITH_BODY],
  read: [...EVERYWHERE, 402],
  update: [...EVERYWHERE, ...WITH_BODY, 402, 409, 412],
  delete: [...EVERYWHERE, ...WITH_BODY, 402, 409, 412],
};

const SUMMARIES: Record<Kind, (type: string) => string> = {
  create: (type) => `Make a new ${type}`,
  read: (type) => `Read one ${type}`,
  update: (type) => `Change fields of one ${type}`,
  delete: (type) => `Delete one ${type}, and the references to it`,
};

const PARAMETERS: Record<Kind, (resource: Resource) => readonly JsonSchema[]> = {
  create: () => [],
  read: (resource) => [ID_PARAMETER, IF_NONE_MATCH, ...listParameters(resource)],
  update: () => [ID_PARAMETER, IF_MATCH],
  delete: () => [ID_PARAMETER, IF_MATCH],
};

function listParameters({ fields }: Resource): JsonSchema[] {
  const all = [...fields.values()].filter(isShown);
  const list = (name: string, values: readonly string[], description: string): JsonSchema => ({
    name,
    in: 'query',
    style: 'form',
    explode: false,
    schema: { type: 'array', items: { type: 'string', enum: values } },
    description,
  });
  const references = all.filter((field) => field.to !== null).map((field) => field.name);
  return [
    list('include', references, 'Adds summaries of what these fields refer to.'),
    list('fields', [...all.map((field) => field.name), 'permissions'], 'Cuts the object to these.'),
  ];
}

const BODIES: Record<Kind, 'Create' | 'Update' | null> = {
  create: 'Create',
  read: null,
  update: 'Update',
  delete: null,
};

const RESPONSES: Record<Kind, (name: string) => JsonSchema> = {
  create: () => ({ type: 'object', required: ['id'], properties: { id: uuid } }),
  read: (name) => ref(name),
  update: () => ({
    type: 'object',
    required: ['id', 'version'],
    properties: { id: uuid, version: { type: 'integer', minimum: 1 } },
  }),
  delete: () => ({ type: 'object', required: ['id'], properties: { id: uuid } }),
};

const ETAG = {
  ETag: { schema: { type: 'string' }, description: 'Moves when what this caller sees moves.' },
};

/** References to the answers that refuse. */
export const refusals = (statuses: readonly number[]): Record<string, JsonSchema> =>
  Object.fromEntries(
    [...statuses]
      .sort((a, b) => a - b)
      .map((status) => [String(status), { $ref: `#/components/responses/${status}` }]),
  );

/** One of the four calls of a type. */
export function describeStandard(
  { kind, type }: StandardOperation,
  resources: Resources,
): JsonSchema {
  const resource = resources.get(type);
  if (!resource) throw new RangeError(`a route of the type "${type}", which has no resource`);
  const name = schemaName(type);
  const body = BODIES[kind];
  const content = { 'application/json': { schema: success(RESPONSES[kind](name)) } };
  return {
    operationId: `${kind}${name}`,
    tags: [type],
    summary: SUMMARIES[kind](type),
    parameters: PARAMETERS[kind](resource),
    ...(body
      ? {
          requestBody: {
            required: body === 'Create',
            content: { 'application/json': { schema: ref(`${name}${body}`) } },
          },
        }
      : {}),
    responses: {
      200: { description: 'Done.', content, ...(kind === 'read' ? { headers: ETAG } : {}) },
      ...(kind === 'read' ? { 304: { description: 'It is as it was.' } } : {}),
      ...refusals(REFUSALS[kind]),
    },
  };
}

/** A call that answers a document, outside the envelope. */
export function describeDocument({ summary }: DocumentOperation): JsonSchema {
  return {
    operationId: 'readOpenApi',
    summary,
    responses: {
      200: {
        description: 'The document.',
        content: { 'application/json': { schema: { type: 'object' } } },
      },
      304: { description: 'It is as it was.' },
      ...refusals([400, 414, 500, 503]),
    },
  };
}
