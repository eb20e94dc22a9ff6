/** The OpenAPI description of each kind of operation. */
import type { JsonSchema } from '../../plugins/objects/server/kinds/kind';
import type { Field, Resource, Resources } from '../../plugins/objects/server/declare/completed';
import { includable } from '../../plugins/objects/server/read/reader';
import type { DocumentOperation, StandardOperation } from '../operations';
import {
  answerSchema,
  CHANGED,
  pascalCase,
  ref,
  success,
  successOfChange,
  UUID,
  whole,
} from './envelope';
import { header, ID_PARAMETER, listParameter } from './parameters';
import { requiredOnCreate } from './bodies';
import { FIELDS_TEXT, INCLUDE_TEXT, selectableSchema } from './schemas';

type Kind = StandardOperation['kind'];

export const IF_MATCH = header(
  'If-Match',
  'The ETag that was read, or `"<version>"`: refused with 412 when the object has moved on.',
);
export const IF_NONE_MATCH = header(
  'If-None-Match',
  'The ETag that was read: 304 when it still holds.',
);

const named = ({ type, single }: Resource): string =>
  single === null ? `one ${type}` : `the ${type.replaceAll('_', ' ')}`;

const SUMMARIES: Record<Kind, (resource: Resource) => string> = {
  create: ({ type }) => `Make a new ${type}`,
  read: (resource) => `Read ${named(resource)}`,
  update: (resource) => `Change fields of ${named(resource)}`,
  delete: ({ type }) => `Delete one ${type}, and the references to it`,
};

const PARAMETERS: Record<Kind, (resource: Resource) => readonly JsonSchema[]> = {
  create: () => [],
  read: (resource) =>
    resource.single === null
      ? [ID_PARAMETER, IF_NONE_MATCH, ...readParameters(resource)]
      : [IF_NONE_MATCH],
  update: ({ single }) => (single === null ? [ID_PARAMETER, IF_MATCH] : [IF_MATCH]),
  delete: () => [ID_PARAMETER, IF_MATCH],
};

function readParameters(resource: Resource): JsonSchema[] {
  const names = (values: readonly string[]): JsonSchema => ({ type: 'string', enum: values });
  return [
    listParameter('include', names(includable(resource)), INCLUDE_TEXT),
    listParameter('fields', selectableSchema(resource), FIELDS_TEXT),
  ];
}

const BODIES: Record<Kind, ((resource: Resource) => JsonSchema) | null> = {
  create: (resource) => ({
    ...(requiredOnCreate(resource).length > 0 ? { required: true } : {}),
    ...json(ref(`${pascalCase(resource.type)}Create`)),
  }),
  read: null,
  update: ({ type }) => json(ref(`${pascalCase(type)}Update`)),
  delete: null,
};

const json = (schema: JsonSchema): JsonSchema => ({ content: { 'application/json': { schema } } });

/** What is left of an object that was merged into another one. */
const merged = ({ name, description }: Field): JsonSchema => ({
  ...whole({ id: UUID, [name]: { ...UUID, description } }),
  additionalProperties: false,
});

const RESPONSES: Record<Kind, (name: string, resource: Resource) => JsonSchema> = {
  create: () => whole({ id: UUID }),
  read: (name, { single, mergedInto }) =>
    single === null
      ? {
          anyOf: [ref(name), ...(mergedInto ? [merged(mergedInto)] : []), ref(`${name}Part`)],
        }
      : ref(name),
  update: () => CHANGED,
  delete: () => whole({ id: UUID }),
};

/** The properties of a response besides those that every call of its kind has. */
function withMore(
  schema: JsonSchema,
  always: Readonly<Record<string, JsonSchema>>,
  sometimes: Readonly<Record<string, JsonSchema>>,
): JsonSchema {
  if (Object.keys({ ...always, ...sometimes }).length === 0) return schema;
  const { required, properties } = schema as { required: string[]; properties: object };
  return {
    ...schema,
    required: [...required, ...Object.keys(always)],
    properties: { ...properties, ...always, ...sometimes },
  };
}

/** The body of an upload, as a form: the file, and the fields, those that are not text as JSON. */
function formBody({ type }: Resource): JsonSchema {
  const schema = ref(`${pascalCase(type)}Form`);
  return { required: true, content: { 'multipart/form-data': { schema } } };
}

export const ETAG = { ETag: { $ref: '#/components/headers/ETag' } };

export const UNCHANGED: JsonSchema = { description: 'It is as it was.', headers: ETAG };

/**
 * One of the four calls of a type.
 *
 * @param refusals the responses of refusals
 */
export function describeStandard(
  { kind, type, isMultipart, answers = {}, mayAnswer = {} }: StandardOperation,
  resources: Resources,
  refusals: JsonSchema,
): JsonSchema {
  const resource = resources.get(type);
  if (!resource) throw new RangeError(`a route of the type "${type}", which has no resource`);
  const name = pascalCase(type);
  const body = isMultipart ? formBody(resource) : BODIES[kind]?.(resource);
  const isRead = kind === 'read';
  const envelope = kind === 'create' || kind === 'update' ? successOfChange : success;
  return {
    operationId: `${kind}${name}`,
    tags: [type],
    summary: SUMMARIES[kind](resource),
    parameters: PARAMETERS[kind](resource),
    ...(body ? { requestBody: body } : {}),
    responses: {
      200: {
        description: 'Done.',
        ...(isRead ? { headers: ETAG } : {}),
        content: answerSchema(
          envelope(withMore(RESPONSES[kind](name, resource), answers, mayAnswer)),
        ),
      },
      ...(isRead ? { 304: UNCHANGED } : {}),
      ...refusals,
    },
  };
}

/** The tag of the call for the document. */
export const DOCUMENT_TAG = { name: 'openapi', description: 'This document.' };

/** A call that answers with a document outside the envelope. */
export const describeDocument = (
  { summary }: DocumentOperation,
  refusals: JsonSchema,
): JsonSchema => ({
  operationId: 'readOpenApi',
  tags: [DOCUMENT_TAG.name],
  summary,
  parameters: [IF_NONE_MATCH],
  responses: {
    200: {
      description: 'The document.',
      headers: ETAG,
      ...json({ type: 'object', additionalProperties: true }),
    },
    304: UNCHANGED,
    ...refusals,
    default: { description: 'Any refusal at all.', ...json(ref('AnyError')) },
  },
});
