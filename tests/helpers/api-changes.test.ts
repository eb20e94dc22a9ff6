/** The interface against that of the last release: `v0` may only grow. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { changesOf } from './api-changes';
import { asObject, at, parsed, type Json } from './json';

const root = join(__dirname, '..', '..');
const documentAt = (path: string): Json => asObject(parsed(readFileSync(join(root, path), 'utf8')));

const present = documentAt('docs/openapi.json');
/** A copy of `docs/openapi.json` at the last release; before the first one, of what is to be kept from here on. */
const released = documentAt('tests/contract/released-openapi.json');

test('takes away nothing, accepts no less, and answers nothing that clients do not expect', () => {
  expect(changesOf(released, present).breaking).toEqual([]);
});

test('names what is new in the changelog', () => {
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const [unreleased = ''] = changelog.split(/^## (?!Unreleased)/m);
  const { added } = changesOf(released, present);
  expect(added.filter((name) => !unreleased.includes(name.replaceAll('"', '')))).toEqual([]);
});

describe('the comparison', () => {
  /** A copy of the document with something else at a path. @param value undefined removes it */
  function changed(path: readonly string[], value: unknown): Json {
    const copy = structuredClone(present) as Record<string, unknown>;
    const last = path.at(-1) ?? '';
    const holder = path
      .slice(0, -1)
      .reduce<Record<string, unknown>>(
        (current, name) => current[name] as Record<string, unknown>,
        copy,
      );
    if (value === undefined) delete holder[last];
    else holder[last] = value;
    return copy;
  }

  const schemas = ['components', 'schemas'];
  const part = [...schemas, 'EncounterPart', 'properties'];
  /** The fields that are sent as they are read. */
  const fields = [...schemas, 'EncounterFields', 'properties'];
  const stored = [...schemas, 'Stored', 'properties'];
  const fieldsOfUser = [...schemas, 'UserFields', 'properties'];
  const create = [...schemas, 'UserCreate'];
  const valueAt = (path: readonly string[]): unknown => at(present, ...path);
  const listAt = (path: readonly string[]): unknown[] => valueAt(path) as unknown[];
  const read = ['paths', '/api/v0/encounter/{id}', 'get'];

  test.each<[string, readonly string[], unknown, string]>([
    ['a call', read, undefined, 'GET /api/v0/encounter/{id} is removed'],
    ['a field', [...fields, 'sex'], undefined, 'sex is removed'],
    [
      'a parameter',
      ['paths', '/api/v0/search/user', 'get', 'parameters'],
      [],
      'GET /api/v0/search/user query role is removed',
    ],
    [
      'a filter by what a field is not',
      ['components', 'parameters', 'not', 'schema', 'patternProperties'],
      {},
      'GET /api/v0/search/encounter query not _not$ is removed',
    ],
    [
      'names that a filter may have',
      ['components', 'parameters', 'not', 'schema', 'patternProperties'],
      { '^sex_not$': { type: 'string' } },
      'GET /api/v0/search/encounter query not _not$ is removed',
    ],
    [
      'names that an open object may have',
      [...schemas, 'SiteSettings', 'properties', 'frontend', 'patternProperties'],
      { '^x': {} },
      'PUT /api/v0/site_settings body frontend has narrower patternProperties',
    ],
    [
      'a status',
      [...read, 'responses', '304'],
      undefined,
      'GET /api/v0/encounter/{id} 304 is no longer answered',
    ],
    [
      'a header',
      [...read, 'responses', '200', 'headers', 'ETag'],
      undefined,
      'GET /api/v0/encounter/{id} 200 ETag is removed',
    ],
    [
      'a media type',
      [
        'paths',
        '/api/v0/export/encounter',
        'get',
        'responses',
        '200',
        'content',
        'text/csv; charset=utf-8',
      ],
      undefined,
      'GET /api/v0/export/encounter 200 is no longer text/csv',
    ],
    [
      'an argument of a message',
      [...schemas, 'VersionMismatchError', 'properties', 'message', 'properties', 'args'],
      { type: 'object', properties: {} },
      'a refusal message args version is removed',
    ],
  ])('names the removal of %s', (_, path, value, expected) => {
    expect(changesOf(present, changed(path, value)).breaking).toContainEqual(
      expect.stringContaining(expected),
    );
  });

  test.each<[string, readonly string[], unknown, string]>([
    [
      'a value',
      [...fields, 'sex', 'enum'],
      ['male', 'female', null],
      'POST /api/v0/encounter body sex may no longer be "unknown"',
    ],
    [
      'null',
      [...fields, 'behavior', 'type'],
      'string',
      'POST /api/v0/encounter body behavior may no longer be null',
    ],
    [
      'a length',
      [...fieldsOfUser, 'name', 'maxLength'],
      119,
      'POST /api/v0/user body name has a narrower maxLength',
    ],
    [
      'a bound',
      [...fields, 'latitude', 'minimum'],
      0,
      'POST /api/v0/encounter body latitude has a narrower minimum',
    ],
    [
      'a form',
      [...fields, 'locality', 'pattern'],
      '^[A-Z]',
      'POST /api/v0/encounter body locality has a narrower pattern',
    ],
    [
      'a field',
      [...create, 'required'],
      ['name', 'email', 'affiliation'],
      'POST /api/v0/user body affiliation is required',
    ],
    [
      'a body',
      ['paths', '/api/v0/encounter', 'post', 'requestBody', 'required'],
      true,
      'POST /api/v0/encounter needs a body',
    ],
    [
      'a parameter',
      ['components', 'parameters', 'encounter.q', 'required'],
      true,
      'query q is required',
    ],
  ])('names the request that is narrowed by %s', (_, path, value, expected) => {
    expect(changesOf(present, changed(path, value)).breaking).toContainEqual(
      expect.stringContaining(expected),
    );
  });

  test.each<[string, readonly string[], unknown, string]>([
    [
      'a value',
      [...part, 'state', 'enum'],
      ['pending', 'approved', 'rejected', 'archived'],
      'state may be "archived"',
    ],
    ['null', [...stored, 'id', 'type'], ['string', 'null'], 'id may be null'],
    [
      'a type',
      [...fields, 'behavior', 'type'],
      ['string', 'null', 'array'],
      'behavior may be array',
    ],
    [
      'a field that may be absent',
      [...schemas, 'Taxonomy', 'required'],
      ['id', 'permissions'],
      'scientific_name may be absent',
    ],
    [
      'an alternative',
      [
        ...read,
        'responses',
        '200',
        'content',
        'application/json',
        'schema',
        'properties',
        'response',
      ],
      {
        anyOf: ['Encounter', 'EncounterPart', 'Org'].map((name) => ({
          $ref: `#/components/schemas/${name}`,
        })),
      },
      'GET /api/v0/encounter/{id} 200 response may be Org',
    ],
    [
      'a status',
      [...read, 'responses', '202'],
      { description: 'Later.' },
      'GET /api/v0/encounter/{id} 202 is a further success',
    ],
  ])('names the answer that is widened by %s', (_, path, value, expected) => {
    expect(changesOf(present, changed(path, value)).breaking).toContainEqual(
      expect.stringContaining(expected),
    );
  });

  test.each<[string, readonly string[], unknown, string]>([
    ['calls', ['paths', '/api/v0/token'], { post: valueAt(read) }, '/api/v0/token'],
    ['fields', [...part, 'cloud_cover'], { type: 'integer' }, 'cloud_cover'],
    [
      'parameters',
      [...read, 'parameters'],
      [...listAt([...read, 'parameters']), { in: 'query', name: 'units', schema: {} }],
      'units',
    ],
    [
      'message keys',
      [...schemas, 'NewError'],
      { properties: { message: { properties: { key: { const: 'API_RESPONSE_NEW' } } } } },
      'API_RESPONSE_NEW',
    ],
    [
      'names of calls in `permissions`',
      [...part, 'permissions', 'items', 'enum'],
      [...listAt([...part, 'permissions', 'items', 'enum']), 'restore'],
      '"restore"',
    ],
  ])('lets the interface gain %s, and names them', (_, path, value, expected) => {
    const grown = changed(path, value);
    if (expected.startsWith('API_'))
      (at(grown, ...schemas, 'AnyError', 'anyOf') as unknown[]).push({
        $ref: '#/components/schemas/NewError',
      });
    const { breaking, added } = changesOf(present, grown);
    expect(breaking).toEqual([]);
    expect(added).toContain(expected);
  });
});
