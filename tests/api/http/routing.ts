import { idsOf } from '../../helpers/ids';
import { runScenarios, type Scenario } from '../../helpers/scenario';
import type { World } from '../../helpers/world';

const uuid = idsOf(1);

/** Paths, methods and parameters, on a shared service. */
export function testRouting(world: () => World): void {
  const SEEN = uuid(1);
  const url = `/api/v0/encounter/${SEEN}`;

  beforeAll(() => world().create('encounter', { id: SEEN }));

  const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'];

  describe('a path that does not exist', () => {
    const paths = [
      '/api',
      '/api/',
      '/api/v0',
      '/api/v0/',
      '/api/v0/encounters',
      '/api/v0/encounter/x/y',
      '/api/v0//encounter',
      '/api/v0/encounter//',
      '/api//v0/encounter',
      '/api/v0/encounter;x=1',
      '/api/v0/Encounter',
      '/api/v0/ENCOUNTER',
      '/API/V0/encounter',
      '/Api/v0/encounter',
      '/api/V0/encounter',
      '/api/v00/encounter',
      '/api/v1/encounter',
      '/api/v0.0/encounter',
      '/api/v0%2Fencounter',
      '/api/v0/%65ncounter',
      '/api/v0/encounte%72',
      '/api/v0/../v0/encounter',
      '/api/v0/./encounter',
      '/api/v0/users',
      '/api/v0/notification',
      '/api/v0/__proto__',
      '/api/v0/constructor/x',
      '/api/v0/encounter/x/nothing',
    ];
    runScenarios(
      world,
      paths.flatMap((path) =>
        ['GET', 'POST'].map((method) => ({
          name: `${method} ${path} is 404`,
          method,
          url: `${path}?nope=1`,
          expect: { status: 404, key: 'PATH_NOT_FOUND', args: {}, headers: { allow: null } },
        })),
      ),
    );

    runScenarios(
      world,
      METHODS.filter((method) => method !== 'HEAD').map((method) => ({
        name: `is 404 to ${method}`,
        method,
        url: '/api/v0/nothing',
        expect: { status: 404, key: 'PATH_NOT_FOUND' },
      })),
    );

    runScenarios(world, [
      {
        name: 'is 404 to HEAD, without a body',
        method: 'HEAD',
        url: '/api/v0/nothing',
        expect: { status: 404, headers: { 'content-length': /^\d{3}$/ } },
      },
    ]);
  });

  describe('a method that a path does not have', () => {
    const one = 'GET, PUT, DELETE, HEAD, OPTIONS';
    const refused = (method: string, path: string, allow: string): Scenario => ({
      name: `${method} ${path} is 405, with what is allowed`,
      method,
      url: path,
      expect: {
        status: 405,
        key: 'METHOD_NOT_ALLOWED',
        args: { method, allow },
        headers: { allow },
      },
    });
    runScenarios(world, [
      refused('GET', '/api/v0/encounter', 'POST, OPTIONS'),
      refused('PUT', '/api/v0/taxonomy', 'POST, OPTIONS'),
      refused('DELETE', '/api/v0/encounter/', 'POST, OPTIONS'),
      refused('POST', url, one),
      refused('PATCH', url, one),
      refused('PATCH', '/api/v0/encounter/x', one),
      refused('TRACE', url, one),
      refused('PROPFIND', url, one),
      refused('POST', '/api/v0/openapi.json', 'GET, HEAD, OPTIONS'),
      refused('DELETE', '/api/v0/openapi.json', 'GET, HEAD, OPTIONS'),
    ]);

    test('is 405 to HEAD where there is no GET', async () => {
      const { status, headers } = await world().send({ method: 'HEAD', url: '/api/v0/encounter' });
      expect([status, headers.allow]).toEqual([405, 'POST, OPTIONS']);
    });
  });

  describe('OPTIONS', () => {
    const known = (path: string, allow: string, headers = {}): Scenario => ({
      name: `on ${path} says what is allowed, ${JSON.stringify(headers)}`,
      method: 'OPTIONS',
      url: path,
      headers,
      expect: { status: 204, headers: { allow, 'content-type': null, 'content-length': null } },
    });
    const preflight = {
      Origin: 'https://stranger.example',
      'Access-Control-Request-Method': 'PUT',
    };
    const one = 'GET, PUT, DELETE, HEAD, OPTIONS';
    runScenarios(world, [
      known('/api/v0/encounter', 'POST, OPTIONS'),
      known('/api/v0/encounter', 'POST, OPTIONS', preflight),
      known(url, one),
      known(`${url}?nope=1`, one),
      known('/api/v0/encounter/x', one),
      known('/api/v0/openapi.json', 'GET, HEAD, OPTIONS'),
      {
        name: 'on an unknown path is 404, preflight or not',
        method: 'OPTIONS',
        url: '/api/v0/nothing',
        headers: preflight,
        expect: { status: 404, key: 'PATH_NOT_FOUND' },
      },
    ]);
  });

  describe('a URL that is too long', () => {
    const long = (path: string, length: number): string => path + 'a'.repeat(length - path.length);
    const tooLong = { status: 414, key: 'URL_TOO_LONG', args: { max: 8192 } };
    runScenarios(world, [
      {
        name: 'may have 8,192 characters',
        method: 'GET',
        url: long(`${url}?fields=`, 8192),
        expect: { status: 400, key: 'MALFORMED', invalid: [['fields', 'NOT_ONE_OF']] },
      },
      {
        name: 'is 414 with one more',
        method: 'GET',
        url: long(`${url}?fields=`, 8193),
        expect: tooLong,
      },
      {
        name: 'is 414 in its path, too',
        method: 'GET',
        url: long('/api/v0/encounter/', 8300),
        expect: tooLong,
      },
      {
        name: 'is 404 when there is nothing at its path',
        method: 'GET',
        url: long('/api/v0/nothing?', 8300),
        expect: { status: 404, key: 'PATH_NOT_FOUND' },
      },
    ]);
  });

  describe('a parameter', () => {
    const refused = (
      name: string,
      query: string,
      ...invalid: NonNullable<Scenario['expect']['invalid']>
    ): Scenario => ({
      name,
      method: 'GET',
      url: `${url}?${query}`,
      expect: { status: 400, key: 'MALFORMED', invalid },
    });
    runScenarios(world, [
      refused('is given once', 'fields=id&fields=id', ['fields', 'CONFLICT', { with: 'fields' }]),
      refused('is given once, however it is written', 'fields=id&%66ields=id', [
        'fields',
        'CONFLICT',
      ]),
      refused('has no control character', 'fields=id%00', [
        'fields',
        'FORMAT',
        { expected: 'text' },
      ]),
      refused('is UTF-8 behind its percent signs', 'fields=%ff', ['fields', 'FORMAT']),
      refused('is no half of a surrogate pair', 'fields=%ed%a0%80', ['fields', 'FORMAT']),
      refused('has two digits behind a percent sign', 'fields=%ZZ', ['fields', 'FORMAT']),
      refused('has a name without control characters', '%00=1', [
        '',
        'FORMAT',
        { expected: 'text' },
      ]),
      refused('has a name of UTF-8', '%ff=1', ['', 'FORMAT']),
      refused('is known by its name to the letter', 'Fields=id', ['Fields', 'UNKNOWN']),
      refused('has no brackets', 'fields[]=id', ['fields[]', 'UNKNOWN']),
      refused(
        'is no prototype',
        '__proto__=1&constructor=2',
        ['__proto__', 'UNKNOWN'],
        ['constructor', 'UNKNOWN'],
      ),
      refused('is named with all others', 'a=1&b=%00&c=1&c=2', ['b', 'FORMAT'], ['c', 'CONFLICT']),
      {
        name: 'may be encoded',
        method: 'GET',
        url: `${url}?%66ields=i%64%2Cversion`,
        expect: { status: 200, response: { id: SEEN, version: 1 } },
      },
      {
        name: 'may be missing between two signs',
        method: 'GET',
        url: `${url}?&&fields=id&`,
        expect: { status: 200, response: { id: SEEN } },
      },
      {
        name: 'is refused on the document, too',
        method: 'GET',
        url: '/api/v0/openapi.json?nope=1',
        expect: { status: 400, key: 'MALFORMED', invalid: [['nope', 'UNKNOWN']] },
      },
    ]);
  });

  describe("Strapi's own interface is closed", () => {
    const paths = [
      '/api/encounters',
      '/api/encounter',
      '/api/taxonomies',
      '/api/users',
      '/api/users/me',
      '/api/auth/local',
      '/api/auth/local/register',
      '/api/auth/forgot-password',
      '/api/connect/google',
      '/api/upload',
      '/api/upload/files',
      '/api/users-permissions/roles',
      '/API/users',
      '/uploads',
      '/uploads/x',
      '/UPLOADS/x.png',
    ];
    runScenarios(
      world,
      paths.flatMap((path) =>
        ['GET', 'POST', 'OPTIONS'].map((method) => ({
          name: `${method} ${path}`,
          method,
          url: path,
          ...(method === 'POST' ? { body: { identifier: 'a', password: 'b' } } : {}),
          expect: { status: 404, key: 'PATH_NOT_FOUND' },
          never: ['"data"', 'ForbiddenError'],
        })),
      ),
    );
  });
}
