/** The schemas of what is sent of the objects of a type: to create one, to change one. */
import {
  createSchema,
  orNull,
  readSchema,
  updateSchema,
} from '../../plugins/objects/server/define/json-schema';
import type { Field, Resource, Resources } from '../../plugins/objects/server/declare/completed';
import type { JsonSchema } from '../../plugins/objects/server/kinds/kind';
import { isShown } from '../../plugins/objects/server/read/reader';
import { pascalCase, ref } from './envelope';
import {
  bodyBases,
  changeableFields,
  commonFields,
  placeOfField,
  withoutText,
  writableFields,
} from './fields';

/** The fields that are required on create. */
export const requiredOnCreate = (resource: Resource): string[] =>
  writableFields(resource)
    .filter(({ input, required }) => input !== 'update' && required)
    .map(({ name }) => name);

/** A body with these fields and no other: those that are read alike, and as they are sent. */
function body(
  resource: Resource,
  fields: readonly Field[],
  schemaOf: (field: Field) => JsonSchema,
  further: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema {
  const shared = commonFields(resource);
  const own = fields.flatMap((field): [string, JsonSchema][] => {
    const schema = schemaOf(field);
    if (!shared.includes(field)) return [[field.name, schema]];
    const { description } = schema;
    return description === field.description ? [] : [[field.name, { description }]];
  });
  return {
    type: 'object',
    properties: { ...further, ...Object.fromEntries(own) },
    ...(shared.length === 0
      ? { additionalProperties: false }
      : { allOf: bodyBases(resource), unevaluatedProperties: false }),
  };
}

export function createBody(
  resource: Resource,
  resources: Resources,
  further?: Readonly<Record<string, JsonSchema>>,
): JsonSchema {
  const sent = (field: Field): JsonSchema =>
    asRead(field, createSchema(field), resource, resources);
  const id = resource.fields.get('id');
  const fields = writableFields(resource).filter(({ input }) => input !== 'update');
  const all = [...(id ? [id] : []), ...fields];
  const required = [...Object.keys(further ?? {}), ...requiredOnCreate(resource)];
  return {
    ...body(resource, all, sent, further),
    ...(required.length > 0 ? { required } : {}),
  };
}

/** A field that is sent as it is read refers to that, with a description where there is more to say. */
function asRead(
  field: Field,
  sent: JsonSchema,
  resource: Resource,
  resources: Resources,
): JsonSchema {
  if (!isShown(field) || commonFields(resource).includes(field)) return sent;
  const [input, read] = [sent, readSchema(field)].map(withoutText) as [JsonSchema, JsonSchema];
  const place = placeOfField(field, resource, resources);
  const more = String(sent['description']).slice(field.description.length).trim();
  const told = more === '' ? {} : { description: more };
  if (JSON.stringify(read) === JSON.stringify(input)) return { ...place, ...told };
  const isOnlyNull = JSON.stringify(orNull(read)) === JSON.stringify(input);
  return isOnlyNull ? { anyOf: [place, { type: 'null' }], ...told } : sent;
}

/** The same as a form, where it takes a file. */
export const uploadForm = (resource: Resource, resources: Resources): JsonSchema =>
  createBody(resource, resources, {
    file: {
      type: 'string',
      contentMediaType: 'application/octet-stream',
      // As OpenAPI 3.0 says it: viewers of documents make an input for a file of it.
      format: 'binary',
      description: 'The file. Its content decides what it is, not its name.',
    },
  });

export const updateBody = (resource: Resource, resources: Resources): JsonSchema =>
  body(resource, changeableFields(resource), (field) => asSent(field, resource, resources));

/** A field of an update, which refers to where it is described already: as it is created, or as it is read. */
function asSent(field: Field, resource: Resource, resources: Resources): JsonSchema {
  const sent = updateSchema(field);
  const isCreated =
    resource.single === null &&
    field.input !== 'update' &&
    !commonFields(resource).includes(field) &&
    JSON.stringify(sent) === JSON.stringify(createSchema(field));
  if (!isCreated) return asRead(field, sent, resource, resources);
  const created = `${pascalCase(resource.type)}${resource.made === 'upload' ? 'Form' : 'Create'}`;
  return ref(`${created}/properties/${field.name}`);
}

/** The same in a body of another call. */
export const asUpdated = (field: Field, resource: Resource, resources: Resources): JsonSchema =>
  commonFields(resource).includes(field)
    ? placeOfField(field, resource, resources)
    : asSent(field, resource, resources);
