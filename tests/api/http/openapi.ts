import type { ValidateFunction } from 'ajv/dist/2020';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generatedFiles } from '#app/endpoints/generated-files';
import { createSchemaCompiler } from '../../helpers/closed-schema';
import { asObject, at, type Json } from '../../helpers/json';
import { jsonSchema, parametersOf, refusalKeys, resolve } from '../../helpers/openapi';
import { flat } from '../../helpers/schema-parts';
import { registryOf } from '#app/plugins/objects/server';
import { pascalCase } from '#app/endpoints/openapi/envelope';
import { filtersOf, type Comparison } from '#app/plugins/objects/server/search/language/filters';
import { isShown } from '#app/plugins/objects/server/read/reader';
import { wireOf } from '#app/plugins/wire/server';
import { messageFaults } from '../../helpers/message-catalog';
import { openClientFolder, programOf, type ClientFolder } from '../../helpers/typed-client';
import { type World } from '../../helpers/world';

/** The OpenAPI document, against the routes, the declarations and the generated client. */
export function testOpenApi(world: () => World): void {
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

  /** Every object in a value, the value itself included. */
  function objectsIn(value: unknown): Json[] {
    if (Array.isArray(value)) return value.flatMap(objectsIn);
    if (typeof value !== 'object' || value === null) return [];
    return [asObject(value), ...Object.values(value).flatMap(objectsIn)];
  }

  const OF_ALL = ['MALFORMED', 'URL_TOO_LONG', 'INTERNAL_ERROR', 'UNAVAILABLE'];
  const OF_READS = [...OF_ALL, 'TOO_MANY_REQUESTS'];
  const OF_CHANGES = [...OF_ALL, 'CROSS_SITE', 'BODY_TOO_LARGE', 'MEDIA_TYPE_NOT_ACCEPTED'];

  const references = (value: unknown): string[] =>
    objectsIn(value).flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : []));

  describe('the OpenAPI document', () => {
    test('is of version 3.1, and has a title and description', () => {
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
      for (const kind of ['schemas', 'responses', 'parameters', 'headers']) {
        const named = Object.keys(asObject(at(document, 'components', kind)));
        expect(named.filter((name) => !refs.has(`#/components/${kind}/${name}`))).toEqual([]);
      }
    });

    test('is sent in 250 kB at most, though each search has a parameter for each field', () => {
      const { length } = Buffer.from(JSON.stringify(world().document));
      expect(length).toBeLessThan(250_000);
    });

    test('says by which ends filters are made of filters: `_not` of all, a range of numbers and times', () => {
      const { resources } = registryOf(world().service.strapi).model();
      for (const [type, resource] of resources) {
        const search = operations().find(({ path }) => path === `/api/v0/search/${type}`);
        if (!search) continue;
        const parameters = parametersOf(world().document, search.operation);
        const filters = filtersOf(resource);
        const having = (comparison: Comparison): string[] =>
          filters
            .filter((filter) => filter.comparison === comparison)
            .map(({ name }) => name.replace(/_(min|max|not)$/, ''));
        const documented = (isOne: (schema: Json) => boolean): unknown[] =>
          parameters
            .filter(({ name }) => having('is').includes(String(name)))
            .filter(({ schema }) => isOne(flat(world().document, schema)))
            .map(({ name }) => name);
        expect(documented(() => true)).toEqual(having('is'));
        expect(having('not')).toEqual(having('is'));
        const ranged = documented((schema) => {
          const { type: types, examples } = flat(world().document, schema['items']);
          return /number|integer/.test(String(types)) || /\d{4}/.test(String(examples));
        });
        expect([type, ranged]).toEqual([type, having('min')]);
        expect(having('max')).toEqual(having('min'));
        const patterns = parameters
          .filter(({ name }) => name === 'not' || name === 'range')
          .flatMap(({ schema }) => Object.keys(asObject(at(schema, 'patternProperties'))));
        expect(patterns).toEqual(['_not$', '_(min|max)$']);
      }
    });

    test('names each operation once, and each parameter of its path', () => {
      const ids = operations().map(({ operation }) => operation['operationId']);
      expect(new Set(ids).size).toBe(ids.length);
      for (const { name, path, operation } of operations()) {
        const declared = parametersOf(world().document, operation)
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
        const description = String(operation['description']);
        const sentences = description.match(/[.?](?=\s|$)/g) ?? [];
        expect([name, description, sentences.length >= 2 && sentences.length <= 5]).toEqual([
          name,
          expect.not.stringContaining(String(operation['summary'])),
          true,
        ]);
        for (const [status, response] of Object.entries(asObject(operation['responses'])))
          expect([name, status, resolve(document, response)['description']]).toEqual([
            name,
            status,
            expect.stringMatching(/\w{3}/),
          ]);
      }
      for (const { type, fields } of registryOf(world().service.strapi)
        .model()
        .resources.values()) {
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
        for (const parameter of parametersOf(world().document, operation))
          compiler.request(asObject(parameter['schema']));
      }
    });

    test('has examples that fit their schemas', () => {
      const compiler = createSchemaCompiler(world().document);
      const withExamples = objectsIn(world().document).filter(({ examples }) =>
        Array.isArray(examples),
      );
      expect(withExamples.length).toBeGreaterThan(5);
      for (const { examples, ...schema } of withExamples)
        for (const example of examples as unknown[])
          expect([example, compiler.request(schema)(example)]).toEqual([example, true]);
    });

    test('has an example of every body and every answer but bytes, and each fits its schema', () => {
      const { document } = world();
      const compiler = createSchemaCompiler(document);
      const lacking: string[] = [];
      for (const { name, operation } of operations()) {
        const bodies = Object.values(asObject(at(operation, 'requestBody', 'content')));
        const { content } = resolve(document, at(operation, 'responses', '200'));
        const answers = Object.entries(asObject(content));
        for (const described of bodies) {
          const example = at(described, 'example');
          if (example === undefined) lacking.push(`${name}: body`);
          else check(name, compiler.request(asObject(at(described, 'schema'))), example);
        }
        for (const [type, described] of answers) {
          const [shown] = Object.values(asObject(at(described, 'examples')));
          const example = at(described, 'example') ?? at(shown, 'value');
          if (example === undefined) lacking.push(`${name}: ${type}`);
          else if (type === 'application/json')
            check(name, compiler.response(asObject(at(described, 'schema'))), example);
        }
      }
      const ofFiles = /\/file: image|export.*: application|openapi\.json: /;
      expect(lacking.filter((name) => !ofFiles.test(name))).toEqual([]);
    });

    function check(name: string, validate: ValidateFunction, example: unknown): void {
      validate(example);
      expect([name, validate.errors ?? []]).toEqual([name, []]);
    }

    test('has an example of every refusal, each with its key', () => {
      const { document } = world();
      const compiler = createSchemaCompiler(document);
      for (const { $ref } of at(schemas(), 'AnyError', 'anyOf') as Json[]) {
        const schema = resolve(document, { $ref });
        const [example] = schema['examples'] as unknown[];
        check(String($ref), compiler.response({ $ref }), example);
        const { key, args } = asObject(at(example, 'message'));
        expect([$ref, messageFaults(String(key), asObject(args), 'request')]).toEqual([$ref, []]);
      }
    });

    test('has no keyword `default`, by which generated clients take a field to be always there', () => {
      const schemasIn = objectsIn(schemas()).filter((schema) => 'type' in schema);
      expect(schemasIn.filter((schema) => 'default' in schema)).toEqual([]);
      const told = (name: string, field: string): unknown => {
        const { properties } = flat(world().document, at(schemas(), name));
        return flat(world().document, at(properties, field))['description'];
      };
      expect(told('TaxonomyCreate', 'status')).toMatch(/^Absent or null: `"accepted"`\.$/);
      expect(told('TaxonomyUpdate', 'status')).toMatch(/^Null makes it: `"accepted"`\.$/);
      expect(told('UserUpdate', 'blocked')).toBe('Null makes it: `false`.');
      expect(told('EncounterCreate', 'basis_of_record')).toMatch(
        / Absent: `"human_observation"`\.$/,
      );
      expect(told('EncounterUpdate', 'basis_of_record')).not.toMatch(/human_observation/);
    });

    test.each([
      [
        'createEncounter',
        '400: MALFORMED ENTITY_EXISTS, 401: LOGIN_REQUIRED SESSION_ENDED, 403: CROSS_SITE FIELD_NOT_PERMITTED, 429: TOO_MANY_REQUESTS',
      ],
      ['readEncounter', '401: LOGIN_REQUIRED SESSION_ENDED, 402: ENTITY_NOT_FOUND'],
      [
        'createUser',
        '400: MALFORMED ENTITY_EXISTS, 403: CROSS_SITE FIELD_NOT_PERMITTED REGISTRATION_CLOSED, 429: TOO_MANY_REQUESTS',
      ],
      [
        'deleteUser',
        '401: LOGIN_REQUIRED SESSION_ENDED, 402: ENTITY_NOT_FOUND, 403: CROSS_SITE NOT_PERMITTED, 409: LAST_ADMINISTRATOR, 412: VERSION_MISMATCH',
      ],
      [
        'updateTaxonomy',
        '400: MALFORMED ENTITY_EXISTS TOO_MANY_BELOW, 401: LOGIN_REQUIRED SESSION_ENDED, 402: ENTITY_NOT_FOUND, 403: CROSS_SITE NOT_PERMITTED, 412: VERSION_MISMATCH',
      ],
      [
        'deleteTaxonomy',
        '400: MALFORMED IN_USE, 401: LOGIN_REQUIRED SESSION_ENDED, 402: ENTITY_NOT_FOUND, 403: CROSS_SITE NOT_PERMITTED, 412: VERSION_MISMATCH',
      ],
      ['login', '401: LOGIN_FAILED, 403: CROSS_SITE EMAIL_NOT_VERIFIED, 429: TOO_MANY_REQUESTS'],
      [
        'readEncounterHistory',
        '401: LOGIN_REQUIRED SESSION_ENDED, 402: ENTITY_NOT_FOUND, 403: NOT_PERMITTED',
      ],
      ['searchHistory', '401: LOGIN_REQUIRED SESSION_ENDED, 403: NOT_PERMITTED'],
      ['searchUser', '400: MALFORMED, 503: SEARCH_TOO_SLOW UNAVAILABLE'],
    ])('names the keys with which %s may be refused, beside those of any call', (id, expected) => {
      const found = operations().find(({ operation }) => operation['operationId'] === id);
      const keys = refusalKeys(world().document, found?.operation);
      const general = new Set(keys.get('default'));
      keys.delete('default');
      expect([...keys].map(([status, own]) => `${status}: ${own.join(' ')}`).join(', ')).toEqual(
        expected,
      );
      const isRead = /^(read|search)/.test(id);
      expect([...general].filter((key) => !(isRead ? OF_READS : OF_CHANGES).includes(key))).toEqual(
        id === 'login' ? [] : ['SESSION_ENDED'],
      );
    });

    test('lets nobody send a field that it does not list', () => {
      for (const [name, schema] of Object.entries(schemas())) {
        if (!/(Create|Update)$/.test(name)) continue;
        const { additionalProperties, unevaluatedProperties } = asObject(schema);
        expect([name, additionalProperties ?? unevaluatedProperties]).toEqual([name, false]);
      }
    });

    test('says of each field that is not for everybody who sees it, and which views change it', () => {
      const text = String(at(schemas(), 'Encounter', 'description'));
      expect(text).toContain('Seen by moderator, administrator alone: `submitter_email`.');
      expect(text).toMatch(/ Hidden or generalized in the views obscured, private: all but `id`/);
      expect(text).not.toContain('`latitude`');
    });

    test("lists a type's fields as they are declared: read, made, changed", () => {
      const { resources } = registryOf(world().service.strapi).model();
      for (const { type, fields, single } of resources.values()) {
        const name = pascalCase(type);
        const of = (schema: string): string[] =>
          Object.keys(asObject(flat(world().document, at(schemas(), schema))['properties'])).sort();
        const all = [...fields.values()];
        const shown = all.filter(isShown);
        const told = [...shown.map((field) => field.name), 'included', 'permissions'].sort();
        expect(of(name)).toEqual(told);
        const without = (input: 'create' | 'update'): string[] =>
          all
            .filter((field) => !field.derived && field.input !== input)
            .filter((field) => input === 'update' || field.inverse === null)
            .map((field) => field.name);
        expect(of(`${name}Update`)).toEqual(without('create').sort());
        if (single !== null) {
          expect(schemas()).not.toHaveProperty(`${name}Create`);
          continue;
        }
        expect(of(`${name}Part`)).toEqual(told);
        expect(at(schemas(), `${name}Part`, 'required')).toBeUndefined();
        const made = ['id', ...without('update')];
        if (type === 'asset') expect(of(`${name}Form`)).toEqual(['file', ...made].sort());
        else expect(of(`${name}Create`)).toEqual(made.sort());
      }
    });

    test('gives the terms of Darwin Core', () => {
      expect(at(schemas(), 'Encounter', 'x-darwin-core-class')).toBe('Occurrence');
      expect(at(schemas(), 'EncounterFields')).toMatchObject({
        properties: {
          time: { 'x-darwin-core-term': 'eventDate' },
          latitude: { 'x-darwin-core-term': 'decimalLatitude', minimum: -90, maximum: 90 },
          license: { enum: ['CC0-1.0', 'CC-BY-4.0', 'CC-BY-NC-4.0', null] },
        },
      });
      expect(at(schemas(), 'Taxonomy', 'x-darwin-core-class')).toBe('Taxon');
      expect(at(schemas(), 'TaxonomyFields')).toMatchObject({
        properties: { scientific_name: { 'x-darwin-core-term': 'scientificName' } },
      });
    });
  });

  describe('a client in TypeScript', () => {
    let folder: ClientFolder;
    beforeAll(async () => {
      folder = await openClientFolder(world().document);
    });
    afterAll(() => folder.remove());

    test('finds a document that the schema of OpenAPI 3.1 allows', async () => {
      const validator = 'node_modules/@seriousme/openapi-schema-validator/bin/validate-api-cli.js';
      const { text } = await folder.run(validator, ['openapi.json']);
      expect(JSON.parse(text)).toEqual({ valid: true });
    });

    test('compiles with the types that follow from the document, and runs', async () => {
      await folder.write('main.ts', await programOf('typescript.md'));
      const generator = 'node_modules/openapi-typescript/bin/cli.js';
      const generated = await folder.run(generator, ['openapi.json', '-o', 'api.ts']);
      expect(generated).toMatchObject({ code: 0 });
      const compiler = 'node_modules/typescript/bin/tsc';
      expect(await folder.run(compiler, ['--pretty', 'false'])).toEqual({ code: 0, text: '' });
      const { code, text } = await folder.run('main.js', [], { OMS_URL: world().service.url });
      expect({ code, lines: text.trim().split('\n') }).toEqual({
        code: 0,
        lines: [
          "female null [ 'update', 'delete', 'review' ]",
          "null [ 'id', 'time' ]",
          '[] true',
          'somebody else was faster 1',
          'tags.0 100',
          'API_RESPONSE_MALFORMED {} (36)',
          'undefined',
          'false',
          'undefined',
        ],
      });
    });
  });

  test('the committed documents are up to date: `npm run docs` has been run', () => {
    const files = [...generatedFiles(world().service.strapi)];
    expect(files).toHaveLength(3);
    for (const [path, text] of files) {
      expect({ path, text: readFileSync(join(__dirname, '..', '..', '..', path), 'utf8') }).toEqual(
        {
          path,
          text,
        },
      );
    }
  });
}
