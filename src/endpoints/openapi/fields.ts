/** What the schemas of a type share: which fields are sent as they are read, and where each is described. */
import {
  createSchema,
  readSchema,
  updateSchema,
} from '../../plugins/objects/server/define/json-schema';
import type { Field, Resource, Resources } from '../../plugins/objects/server/declare/completed';
import type { JsonSchema } from '../../plugins/objects/server/kinds/kind';
import { isShown } from '../../plugins/objects/server/read/reader';
import { pascalCase, ref } from './envelope';

export const fieldsShown = ({ fields }: Resource): Field[] => [...fields.values()].filter(isShown);

/** Whether a field is read alike from every object, whatever its type is. */
export const isReadOfAll = (field: Field, resources: Resources): boolean =>
  [...resources.values()].every((resource) => {
    const other = resource.fields.get(field.name);
    return (
      other !== undefined &&
      isShown(other) &&
      JSON.stringify(readSchema(other)) === JSON.stringify(readSchema(field)) &&
      !commonFields(resource).includes(other)
    );
  });

/** What every object has. */
export function storedSchema(resources: Resources): JsonSchema {
  const [any] = resources.values();
  const fields = any ? fieldsShown(any).filter((field) => isReadOfAll(field, resources)) : [];
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(fields.map((field) => [field.name, readSchema(field)])),
      included: ref('Included'),
    },
  };
}

export const writableFields = ({ fields }: Resource): Field[] =>
  [...fields.values()].filter(({ derived }) => !derived);

/** The fields of an update. */
export const changeableFields = (resource: Resource): Field[] =>
  writableFields(resource).filter(
    ({ input, inverse }) => input !== 'create' && inverse?.input !== 'create',
  );

/** The fields that are created, changed and read alike, but for what is said of their values where they are absent. */
export function commonFields(resource: Resource): readonly Field[] {
  const known = COMMON.get(resource) ?? findCommonFields(resource);
  COMMON.set(resource, known);
  return known;
}

/** They are asked for with every field: to find them once is enough. */
const COMMON = new WeakMap<Resource, readonly Field[]>();

function findCommonFields(resource: Resource): Field[] {
  return changeableFields(resource).filter((field) => {
    const sent = [updateSchema(field), ...(resource.single === null ? [createSchema(field)] : [])];
    const read = JSON.stringify(withoutText(readSchema(field)));
    return (
      isShown(field) &&
      field.input !== 'update' &&
      sent.every((schema) => JSON.stringify(withoutText(schema)) === read)
    );
  });
}

export const commonProperties = (resource: Resource): JsonSchema =>
  Object.fromEntries(commonFields(resource).map((field) => [field.name, readSchema(field)]));

export const bodyBases = (resource: Resource): JsonSchema[] =>
  commonFields(resource).length === 0 ? [] : [ref(`${pascalCase(resource.type)}Fields`)];

export const withoutText = (schema: JsonSchema): JsonSchema => without(schema, 'description');

const without = (schema: JsonSchema, keyword: string): JsonSchema =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => name !== keyword));

/** The schema that has all fields of a type as they are read. */
export const readName = ({ type, single }: Resource): string =>
  `${pascalCase(type)}${single === null ? 'Part' : ''}`;

/** Where a field is described as it is read. */
export function placeOfField(field: Field, resource: Resource, resources: Resources): JsonSchema {
  if (isReadOfAll(field, resources)) return ref(`Stored/properties/${field.name}`);
  const name = commonFields(resource).includes(field)
    ? `${pascalCase(resource.type)}Fields`
    : readName(resource);
  return ref(`${name}/properties/${field.name}`);
}

/** Where a value is described that is what a field is, as it is read; null where it is another one. */
export function sharedPlace(field: Field, value: JsonSchema, resources: Resources) {
  const read = readSchema(field);
  const bare = without(withoutText(read), 'x-darwin-core-term');
  if (JSON.stringify(bare) !== JSON.stringify(value)) return null;
  const text = JSON.stringify(read);
  for (const resource of resources.values()) {
    const same = resource.fields.get(field.name);
    if (same && isShown(same) && JSON.stringify(readSchema(same)) === text)
      return placeOfField(same, resource, resources);
  }
  return null;
}
