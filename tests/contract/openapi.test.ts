import { createSchemaCompiler } from '../helpers/closed-schema';
import { asObject, at, type Json } from '../helpers/json';
import { jsonSchema, resolve } from '../helpers/openapi';
import { registryOf } from '#app/plugins/objects/server';
import { isShown } from '#app/plugins/objects/server/read/reader';
import { wireOf } from '#app/plugins/wire/server';
import { useWorld } from '../helpers/world';

const world = useWorld();

interface Operation {
  readonly name: string;
  readonly path: string;
  readonly operation: Json;
}

function operations(): Operation[] {
  return Object.entries(asObject(world().document['paths'])).flatMap(([path, methods]) =>
    Object.entries(asObject(methods)).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      path,
      operation: asObject(operation),
    })),
  );
}

const schemas = (): Json => asObject(at(world().document, 'components', 'schemas'));

/** Every `$ref` in a value. */
function references(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(references);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, entry]) =>
    key === '$ref' ? [String(entry)] : references(entry),
  );
}

describe('the OpenAPI document', () => {
  test('is of version 3.1, and tells what it is', () => {
    expect(world().document).toMatchObject({
      openapi: '3.1.0',
      info: { title: expect.any(String) as string, version: expect.any(String) as string },
    });
  });

  test('has every route of the service, and no other', () => {
    const routes = wireOf(world().service.strapi)
      .routes()
      .map(({ method, path }) => `${method} /api${path.replace(/:(\w+)/g, '{$1}')}`);
    expect(
      operations()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(routes.sort());
    expect(routes.length).toBeGreaterThanOrEqual(9);
  });

  test('points to nothing that is not there, and has nothing that nothing points to', () => {
    const { document } = world();
    const refs = new Set(references(document));
    for (const ref of refs) {
      expect([ref, at(document, ...ref.slice(2).split('/'))]).not.toEqual([ref, undefined]);
    }
    for (const name of Object.keys(schemas())) {
      expect(refs).toContain(`#/components/schemas/${name}`);
    }
  });

  test('names each operation once, and each parameter of its path', () => {
    const ids = operations().map(({ operation }) => operation['operationId']);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { name, path, operation } of operations()) {
      const declared = ((operation['parameters'] as Json[] | undefined) ?? [])
        .filter((parameter) => parameter['in'] === 'path')
        .map((parameter) => parameter['name']);
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
      expect([name, declared]).toEqual([name, inPath]);
    }
  });

  test('has a text for every operation, every field, every status', () => {
    const { document } = world();
    for (const { name, operation } of operations()) {
      expect([name, operation['summary']]).toEqual([name, expect.stringMatching(/\w{3}/)]);
      for (const [status, response] of Object.entries(asObject(operation['responses'])))
        expect([name, status, resolve(document, response)['description']]).toEqual([
          name,
          status,
          expect.stringMatching(/\w{3}/),
        ]);
    }
    for (const { type, fields } of registryOf(world().service.strapi).model().resources.values()) {
      for (const field of fields.values())
        expect([type, field.name, field.description]).toEqual([
          type,
          field.name,
          expect.stringMatching(/\w.*\.$/),
        ]);
    }
  });

  test('holds schemas that can be compiled, answers closed and requests as they are', () => {
    const compiler = createSchemaCompiler(world().document);
    for (const { operation } of operations()) {
      for (const response of Object.values(asObject(operation['responses']))) {
        const schema = jsonSchema(resolve(world().document, response));
        if (schema) compiler.response(schema);
      }
      const body = jsonSchema(asObject(operation['requestBody']));
      if (body) compiler.request(body);
      for (const parameter of (operation['parameters'] as Json[] | undefined) ?? [])
        compiler.request(asObject(parameter['schema']));
    }
  });

  test('lets nobody send a field that it does not list', () => {
    for (const [name, schema] of Object.entries(schemas())) {
      if (!/(Create|Update)$/.test(name)) continue;
      expect([name, asObject(schema)['additionalProperties']]).toEqual([name, false]);
    }
  });

  test("lists a type's fields as they are declared: read, made, changed", () => {
    for (const { type, fields } of registryOf(world().service.strapi).model().resources.values()) {
      const name = type.charAt(0).toUpperCase() + type.slice(1);
      const of = (schema: string): string[] =>
        Object.keys(asObject(at(schemas(), schema, 'properties'))).sort();
      const all = [...fields.values()];
      const writable = all.filter(({ derived }) => !derived).map((field) => field.name);
      const shown = all.filter(isShown);
      expect(of(name)).toEqual(
        [...shown.map((field) => field.name), 'included', 'permissions'].sort(),
      );
      const ofUpdates = all.filter(({ input }) => input === 'update').map((field) => field.name);
      const made = writable.filter((field) => !ofUpdates.includes(field));
      expect(of(`${name}Create`)).toEqual(['id', ...made].sort());
      expect(of(`${name}Update`)).toEqual([...writable].sort());
    }
  });

  test('gives the terms of Darwin Core', () => {
    expect(at(schemas(), 'Encounter')).toMatchObject({
      'x-darwin-core-class': 'Occurrence',
      properties: {
        time: { 'x-darwin-core-term': 'eventDate' },
        latitude: { 'x-darwin-core-term': 'decimalLatitude', minimum: -90, maximum: 90 },
        license: { enum: ['CC0-1.0', 'CC-BY-4.0', 'CC-BY-NC-4.0', null] },
      },
    });
    expect(at(schemas(), 'Taxonomy')).toMatchObject({
      'x-darwin-core-class': 'Taxon',
      properties: { scientific_name: { 'x-darwin-core-term': 'scientificName' } },
    });
  });
});
