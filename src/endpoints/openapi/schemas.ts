/** The schemas of the types: for reading (whole and with `fields`), creating and updating. */
import {
  createSchema,
  readSchema,
  updateSchema,
} from '../../plugins/objects/server/define/json-schema';
import { isShown, selectable } from '../../plugins/objects/server/read/reader';
import { toldActions } from '../../plugins/objects/server/read/model';
import { ROLES } from '../../core/caller';
import { RENDITION_NAMES } from '../../plugins/objects/server/kinds/renditions';
import type { JsonSchema } from '../../plugins/objects/server/kinds/kind';
import type { Field, Resource, Resources } from '../../plugins/objects/server/declare/completed';
import { isForEverybody } from '../../plugins/objects/server/declare/row';
import { otherViews } from '../../plugins/objects/server/declare/views';
import { pascalCase, ref, UUID, whole } from './envelope';

export function typeSchemas(resources: Resources): Record<string, JsonSchema> {
  const schemas: Record<string, JsonSchema> = {
    Included: included(resources),
    Renditions: RENDITION_SIZES,
  };
  for (const resource of resources.values()) {
    const name = pascalCase(resource.type);
    schemas[name] = read(resource);
    schemas[`${name}Summary`] = summary(resource, resources);
    if (resource.single === null) {
      schemas[`${name}Part`] = part(resource);
      schemas[`${name}Column`] = { type: 'string', enum: exportable(resource) };
    }
    if (resource.made === 'upload') schemas[`${name}Form`] = form(resource);
    else if (resource.single === null) schemas[`${name}Create`] = create(resource);
    schemas[`${name}Update`] = update(resource);
  }
  return schemas;
}

/** What stands for an object beside another; with a picture, what goes with that. */
function summary(resource: Resource, resources: Resources): JsonSchema {
  const { type, picture } = resource;
  const pictured = picture?.to ? resources.get(picture.to) : undefined;
  const further = [...(pictured?.summary ?? []), ...resource.summary];
  return {
    type: 'object',
    description: `What stands for one ${type} beside another object. A field that the caller is not shown is absent.`,
    required: ['id', 'display_name'],
    properties: {
      id: UUID,
      display_name: {
        type: ['string', 'null'],
        description: 'What to call it; null where it has no name, or not for this caller.',
      },
      ...Object.fromEntries(
        further.map((field) => [
          field.name,
          { ...readSchema(field), description: field.description },
        ]),
      ),
      ...(picture ? { renditions: ref('Renditions') } : {}),
    },
  };
}

const PIXELS: JsonSchema = { type: ['integer', 'null'], minimum: 1 };

/** The smaller forms of a picture, with their pixels. */
const RENDITION_SIZES: JsonSchema = {
  ...whole(
    Object.fromEntries(
      RENDITION_NAMES.map((name) => [
        name,
        whole({ path: { type: 'string' }, width: PIXELS, height: PIXELS }),
      ]),
    ),
  ),
  description: 'The smaller forms of its picture: WebP, each with its path and its pixels.',
};

function included(resources: Resources): JsonSchema {
  const types = [...resources.values()].flatMap(({ type, fields }) => [
    type,
    ...[...fields.values()].flatMap((field) => field.to ?? []),
  ]);
  const byId = (type: string): JsonSchema => ({
    type: 'object',
    additionalProperties: ref(`${pascalCase(type)}Summary`),
  });
  return {
    type: 'object',
    description: 'What the answer refers to, by type and ID, as far as the caller may read it.',
    properties: Object.fromEntries([...new Set(types)].map((type) => [type, byId(type)])),
  };
}

const shownFields = ({ fields }: Resource): Field[] => [...fields.values()].filter(isShown);

/** The required properties of a whole object: a field that not every caller sees may be absent. */
function read(resource: Resource): JsonSchema {
  const always = shownFields(resource).filter((field) => isAlwaysThere(field, resource));
  return {
    type: 'object',
    description: resource.description,
    ...(resource.term === null ? {} : { 'x-darwin-core-class': resource.term }),
    required: [...always.map(({ name }) => name), 'permissions'],
    // A whole object has the fields of a part.
    ...(resource.single === null
      ? { allOf: [ref(readName(resource))] }
      : { properties: properties(resource) }),
  };
}

const part = (resource: Resource): JsonSchema => ({
  type: 'object',
  description: `One ${resource.type}, of which any field may be absent: it has those that \`fields\` asks for.`,
  properties: properties(resource),
});

const properties = (resource: Resource): JsonSchema => ({
  ...Object.fromEntries(
    shownFields(resource).map((field) => [field.name, withAudience(field, resource)]),
  ),
  permissions: {
    type: 'array',
    items: { type: 'string', enum: toldActions(resource) },
    description: 'What this caller may do with the object.',
  },
  included: ref('Included'),
});

/** Whether a field is in the answer to every caller. */
const isAlwaysThere = (field: Field, { views }: Resource): boolean =>
  isForEverybody(field.seen) && otherViews(field, views).length === 0;

function withAudience(field: Field, { views }: Resource): JsonSchema {
  const readers = ROLES.flatMap((role) =>
    field.seen[role].map(({ relation }) => (relation === null ? role : `${role} (${relation})`)),
  );
  const others = otherViews(field, views);
  const sentences = [
    field.description,
    ...(isForEverybody(field.seen)
      ? []
      : [`Seen by: ${readers.join(', ')}; absent for everybody else.`]),
    ...(others.length === 0 ? [] : [`Hidden or generalized in views: ${others.join(', ')}.`]),
  ];
  return { ...readSchema(field), description: sentences.join(' ') };
}

const writable = ({ fields }: Resource): Field[] =>
  [...fields.values()].filter(({ derived }) => !derived);

/** The fields that are required on create. */
export const requiredOnCreate = (resource: Resource): string[] =>
  writable(resource)
    .filter(({ input, required }) => input !== 'update' && required)
    .map(({ name }) => name);

function create(resource: Resource): JsonSchema {
  const fields = writable(resource).filter(({ input }) => input !== 'update');
  const required = requiredOnCreate(resource);
  const id = resource.fields.get('id');
  return {
    type: 'object',
    additionalProperties: false,
    ...(required.length > 0 ? { required } : {}),
    properties: Object.fromEntries(
      [...(id ? [id] : []), ...fields].map((field) => [
        field.name,
        asRead(field, createSchema(field), resource),
      ]),
    ),
  };
}

/** A field that is sent as it is read refers to that, with a description where there is more to say. */
function asRead(field: Field, sent: JsonSchema, resource: Resource): JsonSchema {
  if (!isShown(field) || field.required) return sent;
  const { description } = sent;
  const [input, read] = [sent, readSchema(field)].map(withoutText) as [JsonSchema, JsonSchema];
  const told = description === field.description ? {} : { description };
  const place = ref(`${readName(resource)}/properties/${field.name}`);
  if (JSON.stringify(read) === JSON.stringify(input)) return { ...place, ...told };
  const orNull = { ...read, type: [read['type'], 'null'] };
  const isOnlyNull = JSON.stringify(orNull) === JSON.stringify(input) && !('enum' in read);
  return isOnlyNull ? { anyOf: [place, { type: 'null' }], ...told } : sent;
}

const withoutText = (schema: JsonSchema): JsonSchema =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => name !== 'description'));

/** The schema that has the fields of a type as they are read. */
const readName = ({ type, single }: Resource): string =>
  `${pascalCase(type)}${single === null ? 'Part' : ''}`;

/** The same as a form, where it takes a file. */
function form(resource: Resource): JsonSchema {
  const { properties } = create(resource) as { properties: object };
  const file = {
    type: 'string',
    contentMediaType: 'application/octet-stream',
    description: 'The file. Its content decides what it is, not its name.',
  };
  return {
    type: 'object',
    additionalProperties: false,
    required: ['file'],
    properties: { file, ...properties },
  };
}

const update = (resource: Resource): JsonSchema => ({
  type: 'object',
  additionalProperties: false,
  properties: Object.fromEntries(
    writable(resource)
      .filter(({ input, inverse }) => input !== 'create' && inverse?.input !== 'create')
      .map((field) => [field.name, asSent(field, resource)]),
  ),
});

/** A field of an update, which refers to where it is described already: as it is read, or as it is created. */
function asSent(field: Field, resource: Resource): JsonSchema {
  const sent = updateSchema(field);
  const read = asRead(field, sent, resource);
  if (read !== sent || resource.single !== null || field.input === 'update') return read;
  if (JSON.stringify(sent) !== JSON.stringify(createSchema(field))) return sent;
  const created = `${pascalCase(resource.type)}${resource.made === 'upload' ? 'Form' : 'Create'}`;
  return ref(`${created}/properties/${field.name}`);
}

/** The names of the fields that an export can be cut to. */
export const exportable = (resource: Resource): string[] =>
  selectable(resource).filter((name) => resource.fields.has(name));

/** What a read or a search can be cut to: those, and what is no field. */
export const selectableSchema = (resource: Resource): JsonSchema => ({
  anyOf: [
    ref(`${pascalCase(resource.type)}Column`),
    {
      type: 'string',
      enum: selectable(resource).filter((name) => !resource.fields.has(name)),
    },
  ],
});
