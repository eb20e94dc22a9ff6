/** The schemas of the types: as they are read, made and changed. */
import { readSchema, writeSchema } from '../../plugins/objects/server/define/json-schema';
import { isShown } from '../../plugins/objects/server/read/reader';
import { toldActions } from '../../plugins/objects/server/model';
import { ROLES } from '../../core/caller';
import type { JsonSchema } from '../../plugins/objects/server/kinds/kind';
import type { Field, Resource, Resources } from '../../plugins/objects/server/define/completed';

/** The name of a type's schema: `encounter` gives `Encounter`. */
export const schemaName = (type: string): string =>
  type.replace(/(^|[_-])([a-z])/g, (_, __, letter: string) => letter.toUpperCase());

export function typeSchemas(resources: Resources): Record<string, JsonSchema> {
  const schemas: Record<string, JsonSchema> = { Included: included(resources) };
  for (const resource of resources.values()) {
    const name = schemaName(resource.type);
    schemas[name] = read(resource);
    schemas[`${name}Create`] = written(resource, 'create');
    schemas[`${name}Update`] = written(resource, 'update');
  }
  return schemas;
}

function included(resources: Resources): JsonSchema {
  const summary = {
    type: 'object',
    required: ['id', 'display_name'],
    properties: {
      id: { type: 'string', format: 'uuid' },
      display_name: { type: ['string', 'null'] },
    },
  };
  const types = [...resources.values()].flatMap(({ type, fields }) => [
    type,
    ...[...fields.values()].flatMap((field) => field.to ?? []),
  ]);
  const byId = { type: 'object', additionalProperties: summary };
  return {
    type: 'object',
    description: 'What the answer refers to, by type and ID, as far as the caller may read it.',
    properties: Object.fromEntries([...new Set(types)].map((type) => [type, byId])),
  };
}

function read(resource: Resource): JsonSchema {
  const fields = [...resource.fields.values()].filter(isShown);
  const always = fields.filter(isAlwaysThere).map((field) => field.name);
  return {
    type: 'object',
    description: resource.description,
    ...(resource.term === null ? {} : { 'x-darwin-core-class': resource.term }),
    required: [...always, 'permissions'],
    properties: {
      ...Object.fromEntries(fields.map((field) => [field.name, withAudience(field)])),
      permissions: {
        type: 'array',
        items: { type: 'string', enum: toldActions(resource) },
        description: 'What this caller may do with the object.',
      },
      included: { $ref: '#/components/schemas/Included' },
    },
  };
}

/** Whether a field is in every answer, whoever asks. */
const isAlwaysThere = ({ seen, views }: Field): boolean =>
  ROLES.every((role) => seen[role].some(({ relation }) => relation === null)) &&
  [...views.values()].every((view) => view === 'shown');

function withAudience(field: Field): JsonSchema {
  const schema = readSchema(field);
  if (isAlwaysThere(field)) return schema;
  const readers = ROLES.flatMap((role) =>
    field.seen[role].map(({ relation }) => (relation === null ? role : `${role} (${relation})`)),
  );
  return { ...schema, description: `${field.description} Seen by: ${readers.join(', ')}.` };
}

function written(resource: Resource, mode: 'create' | 'update'): JsonSchema {
  const fields = [...resource.fields.values()].filter(
    ({ derived, input }) => !derived && (mode === 'update' || input === null),
  );
  const required = fields.filter((field) => field.required).map((field) => field.name);
  const id = resource.fields.get('id');
  return {
    type: 'object',
    additionalProperties: false,
    ...(mode === 'create' && required.length > 0 ? { required } : {}),
    properties: {
      ...(mode === 'create' && id ? { id: writeSchema(id) } : {}),
      ...Object.fromEntries(fields.map((field) => [field.name, writeSchema(field)])),
    },
  };
}
