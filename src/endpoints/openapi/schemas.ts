/** The schemas of the types: as they are read, whole and in part, made and changed. */
import {
  createSchema,
  readSchema,
  updateSchema,
} from '../../plugins/objects/server/define/json-schema';
import { isShown } from '../../plugins/objects/server/read/reader';
import { toldActions } from '../../plugins/objects/server/model';
import { ROLES } from '../../core/caller';
import type { JsonSchema } from '../../plugins/objects/server/kinds/kind';
import type { Field, Resource, Resources } from '../../plugins/objects/server/define/completed';
import { isForEverybody } from '../../plugins/objects/server/rights/row';
import { otherViews } from '../../plugins/objects/server/rights/views';
import { pascalCase, ref, UUID, whole } from './envelope';

export function typeSchemas(resources: Resources): Record<string, JsonSchema> {
  const schemas: Record<string, JsonSchema> = {
    Included: included(resources),
    Summary: {
      description: 'What stands for an object beside another.',
      ...whole({
        id: UUID,
        display_name: {
          type: ['string', 'null'],
          description: 'What to call it; null where it has no name, or not for this caller.',
        },
      }),
    },
  };
  for (const resource of resources.values()) {
    const name = pascalCase(resource.type);
    schemas[name] = read(resource);
    if (resource.single === null) {
      schemas[`${name}Part`] = part(resource);
      schemas[`${name}Create`] = create(resource);
    }
    schemas[`${name}Update`] = update(resource);
  }
  return schemas;
}

function included(resources: Resources): JsonSchema {
  const types = [...resources.values()].flatMap(({ type, fields }) => [
    type,
    ...[...fields.values()].flatMap((field) => field.to ?? []),
  ]);
  const byId = { type: 'object', additionalProperties: ref('Summary') };
  return {
    type: 'object',
    description: 'What the answer refers to, by type and ID, as far as the caller may read it.',
    properties: Object.fromEntries([...new Set(types)].map((type) => [type, byId])),
  };
}

const shownFields = ({ fields }: Resource): Field[] => [...fields.values()].filter(isShown);

/** What every answer that is not cut has: a field that not everybody sees is absent where it is not seen. */
function read(resource: Resource): JsonSchema {
  const always = shownFields(resource).filter((field) => isAlwaysThere(field, resource));
  return {
    type: 'object',
    description: resource.description,
    ...(resource.term === null ? {} : { 'x-darwin-core-class': resource.term }),
    required: [...always.map(({ name }) => name), 'permissions'],
    properties: properties(resource),
  };
}

const part = (resource: Resource): JsonSchema => ({
  type: 'object',
  description: `The fields of one ${resource.type} that were asked for by \`fields\`.`,
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

/** Whether a field is in every answer, whoever asks. */
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

/** The fields without which no object is made. */
export const requiredOnCreate = (resource: Resource): string[] =>
  writable(resource)
    .filter(({ input, required }) => input === null && required)
    .map(({ name }) => name);

function create(resource: Resource): JsonSchema {
  const fields = writable(resource).filter(({ input }) => input === null);
  const required = requiredOnCreate(resource);
  const id = resource.fields.get('id');
  return {
    type: 'object',
    additionalProperties: false,
    ...(required.length > 0 ? { required } : {}),
    properties: Object.fromEntries(
      [...(id ? [id] : []), ...fields].map((field) => [field.name, createSchema(field)]),
    ),
  };
}

const update = (resource: Resource): JsonSchema => ({
  type: 'object',
  additionalProperties: false,
  properties: Object.fromEntries(
    writable(resource).map((field) => [field.name, updateSchema(field)]),
  ),
});
