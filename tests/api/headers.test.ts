import { uuid } from '../helpers/ids';
import { at, parsed } from '../helpers/json';
import { runScenarios, type Scenario } from '../helpers/scenario';
import { useWorld } from '../helpers/world';

/** Behind https: the headers that this adds are looked at, too. */
const world = useWorld({
  anonymousActsAs: 'administrator',
  env: { PUBLIC_URL: 'https://oms.example', FRONTEND_URL: 'https://frontend.example' },
});
const SEEN = uuid(1);
const url = `/api/v0/encounter/${SEEN}`;

beforeAll(() => world().create('encounter', { id: SEEN }));

describe('the ID of a transaction', () => {
  const given = 'D0D0D0D0-0000-7000-8000-00000000000A';

  test('is another for each request', async () => {
    const seen = new Set<unknown>();
    for (let n = 0; n < 10; n += 1)
      seen.add((await world().send({ method: 'GET', url })).headers['x-transaction-id']);
    expect(seen.size).toBe(10);
  });

  test.each([
    ['a success', { method: 'GET', url }],
    ['a refusal', { method: 'GET', url: '/api/v0/nothing' }],
    ['a body that is no JSON', { method: 'PUT', url, raw: '{' }],
    ['an answer without a body', { method: 'HEAD', url }],
    ['a document', { method: 'GET', url: '/api/v0/openapi.json' }],
  ])('is that of the caller, in lower case, in %s', async (_, request) => {
    const headers = { 'Content-Type': 'application/json', 'X-Transaction-Id': given };
    const answer = await world().send({ ...request, headers });
    expect(answer.headers['x-transaction-id']).toBe(given.toLowerCase());
    const told = at(parsed(answer.text), 'transactionId');
    if (told !== undefined) expect(told).toBe(given.toLowerCase());
  });

  test.each([
    'x',
    '',
    '00000000-0000-0000-0000-000000000000',
    `${given}0`,
    `{${given}}`,
    `${given}, ${given}`,
    '"><script>',
  ])('is not the caller\'s when that is "%s"', async (value) => {
    const { headers } = await world().send({
      method: 'GET',
      url,
      headers: { 'X-Transaction-Id': value },
    });
    expect(headers['x-transaction-id']).not.toBe(value.toLowerCase());
  });

  test('is taken from one header, not from two', async () => {
    const { headers } = await world().send({
      method: 'GET',
      url,
      headers: { 'X-Transaction-Id': [given, uuid(5)] },
    });
    expect([given.toLowerCase(), uuid(5)]).not.toContain(headers['x-transaction-id']);
  });
});

describe('every answer', () => {
  const headers = {
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-site',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'strict-transport-security': /^max-age=\d{8}/,
    vary: 'Cookie, Authorization, Origin, Accept-Encoding',
    'set-cookie': null,
    'x-powered-by': null,
    server: null,
  };
  const requests: readonly [Omit<Scenario, 'name' | 'expect'>, Scenario['expect']][] = [
    [{ method: 'GET', url }, { status: 200 }],
    [{ method: 'HEAD', url }, { status: 200 }],
    [{ method: 'GET', url, headers: { 'If-None-Match': '*' } }, { status: 304 }],
    [{ method: 'OPTIONS', url }, { status: 204 }],
    [{ method: 'PUT', url, body: {} }, { status: 200 }],
    [{ method: 'GET', url: '/api/v0/openapi.json' }, { status: 200 }],
    [
      { method: 'GET', url: '/api/v0/nothing' },
      { status: 404, key: 'PATH_NOT_FOUND' },
    ],
    [
      { method: 'POST', url },
      { status: 405, key: 'METHOD_NOT_ALLOWED' },
    ],
    [
      { method: 'GET', url: '/api/users' },
      { status: 404, key: 'PATH_NOT_FOUND' },
    ],
    [
      { method: 'PUT', url, raw: '{}' },
      { status: 415, key: 'MEDIA_TYPE_NOT_ACCEPTED' },
    ],
  ];
  runScenarios(
    world,
    requests.map(([request, expected]) => ({
      ...request,
      name: `has the headers that keep it safe: ${request.method} ${request.url}, ${expected.status}`,
      expect: { ...expected, headers },
    })),
  );
});

describe('behind https', () => {
  const origin = { Origin: 'https://stranger.example' };
  runScenarios(world, [
    {
      name: 'the cookie has the name that ties it to the host',
      method: 'PUT',
      url,
      body: {},
      headers: { ...origin, Cookie: '__Host-oms_session=x' },
      expect: { status: 403, key: 'CROSS_SITE' },
    },
    {
      name: 'a cookie of the other name is none',
      method: 'PUT',
      url,
      body: {},
      headers: { ...origin, Cookie: 'oms_session=x' },
      expect: { status: 200 },
    },
    {
      name: 'the origins that may are those of https',
      method: 'PUT',
      url,
      body: {},
      headers: { Origin: 'http://frontend.example', Cookie: '__Host-oms_session=x' },
      expect: { status: 403, key: 'CROSS_SITE' },
    },
  ]);
});

describe('the OpenAPI document', () => {
  test('is given with a tag, and 304 for it', async () => {
    const first = await world().send({ method: 'GET', url: '/api/v0/openapi.json' });
    expect(first.headers['cache-control']).toBe('public, no-cache');
    const again = await world().send({
      method: 'GET',
      url: '/api/v0/openapi.json',
      headers: { 'If-None-Match': String(first.headers.etag) },
    });
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', first.headers.etag]);
  });
});
