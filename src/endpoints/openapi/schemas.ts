/** The schemas of the types: for reading (whole and with `fields`), creating and updating. */
import { readSchema } from '../../plugins/objects/server/define/json-schema';
import { selectable } from '../../plugins/objects/server/read/reader';
import { toldActions } from '../../plugins/objects/server/read/model';
import { RENDITION_NAMES } from '../../plugins/objects/server/kinds/renditions';
import type { JsonSchema } from '../../plugins/objects/server/kinds/kind';
import type { Resource, Resources } from '../../plugins/objects/server/declare/completed';
import { audienceOf, isAlwaysThere } from './audience';
import { createBody, updateBody, uploadForm } from './bodies';
import { extended, pascalCase, ref, UUID, whole } from './envelope';
import {
  bodyBases,
  commonFields,
  commonProperties,
  fieldsShown,
  isReadOfAll,
  placeOfField,
  readName,
  storedSchema,
} from './fields';

export function typeSchemas(resources: Resources): Record<string, JsonSchema> {
  const schemas: Record<string, JsonSchema> = {
    Included: included(resources),
    Rendition: whole({ path: { type: 'string' }, width: PIXELS, height: PIXELS }),
    Renditions: RENDITION_SIZES,
    Summary: SUMMARY,
    Stored: storedSchema(resources),
  };
  for (const resource of resources.values()) {
    const name = pascalCase(resource.type);
    if (commonFields(resource).length > 0)
      schemas[`${name}Fields`] = { type: 'object', properties: commonProperties(resource) };
    schemas[name] = read(resource, resources);
    schemas[`${name}Summary`] = summary(resource, resources);
    if (resource.single === null) {
      schemas[`${name}Part`] = part(resource, resources);
      schemas[`${name}Column`] = { type: 'string', enum: exportable(resource) };
    }
    if (resource.made === 'upload') schemas[`${name}Form`] = uploadForm(resource, resources);
    else if (resource.single === null) schemas[`${name}Create`] = createBody(resource, resources);
    schemas[`${name}Update`] = updateBody(resource, resources);
  }
  return schemas;
}

/** What stands for an object beside another; with a picture, what goes with that. */
function summary(resource: Resource, resources: Resources): JsonSchema {
  const { type, picture } = resource;
  const pictured = picture?.to ?? type;
  const own = resource.summary.map((field) => [
    field.name,
    placeOfField(field, resource, resources),
  ]);
  return {
    description: `What stands for one ${type}.`,
    ...extended(pictured === type ? 'Summary' : `${pascalCase(pictured)}Summary`, {
      ...(Object.fromEntries(own) as JsonSchema),
      ...(picture && pictured === type ? { renditions: ref('Renditions') } : {}),
    }),
  };
}

/** What the summaries of all types have. */
const SUMMARY: JsonSchema = {
  description:
    'What stands for one object beside another one. A field that the caller is not shown is absent.',
  ...whole({
    id: UUID,
    display_name: {
      type: ['string', 'null'],
      description: 'What to call it; null where it has no name, or not for this caller.',
    },
  }),
};

const PIXELS: JsonSchema = { type: ['integer', 'null'], minimum: 1 };

/** The smaller forms of a picture, with their pixels. */
const RENDITION_SIZES: JsonSchema = {
  ...whole(Object.fromEntries(RENDITION_NAMES.map((name) => [name, ref('Rendition')]))),
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

/** The required properties of a whole object: a field that not every caller sees may be absent. */
function read(resource: Resource, resources: Resources): JsonSchema {
  const always = fieldsShown(resource).filter((field) => isAlwaysThere(field, resource));
  return {
    type: 'object',
    description: [resource.description, ...audienceOf(resource, fieldsShown(resource))].join(' '),
    ...(resource.term === null ? {} : { 'x-darwin-core-class': resource.term }),
    required: [...always.map(({ name }) => name), 'permissions'],
    // A whole object has the fields of a part. Generators look for what is required in what a schema itself extends.
    ...(resource.single === null
      ? { allOf: [ref('Stored'), ...bodyBases(resource), ref(readName(resource))] }
      : properties(resource, resources)),
  };
}

const part = (resource: Resource, resources: Resources): JsonSchema => ({
  description: `One ${resource.type}, of which any field may be absent: it has those that \`fields\` asks for.`,
  ...properties(resource, resources),
});

/** The properties of what is read: those of every object, those that are sent, too, and its own. */
const properties = (resource: Resource, resources: Resources): JsonSchema => ({
  properties: {
    ...Object.fromEntries(
      fieldsShown(resource)
        .filter(
          (field) => !commonFields(resource).includes(field) && !isReadOfAll(field, resources),
        )
        .map((field) => [field.name, readSchema(field)]),
    ),
    permissions: {
      type: 'array',
      items: { type: 'string', enum: toldActions(resource) },
      description: 'What the caller may do.',
    },
  },
  allOf: [ref('Stored'), ...bodyBases(resource)],
});

/** The names of the fields that an export can be cut to. */
export const exportable = (resource: Resource): string[] =>
  selectable(resource).filter((name) => resource.fields.has(name));

/** What the two parameters do that reads and searches have: one text, by which they are one parameter. */
export const INCLUDE_TEXT = 'Adds summaries of these as `included`; searches need `expand`.';
export const FIELDS_TEXT = 'Cuts an object to these; searches need `expand`.';

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
