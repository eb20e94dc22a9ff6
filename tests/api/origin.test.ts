import * as hash from '#app/plugins/accounts/server/passwords/hash';
import { logLine } from '#app/core/log-line';
import { authorizationOf, openToRoles, secretOf } from '../helpers/callers';
import { uuid } from '../helpers/ids';
import type { Json } from '../helpers/json';
import { play, runScenarios, type Scenario } from '../helpers/scenario';
import { useWorld } from '../helpers/world';

const FRIEND = 'http://friend.example:3000';
const STRANGER = 'https://stranger.example';
const world = useWorld({
  anonymousActsAs: 'administrator',
  env: { FRONTEND_URL: `${FRIEND}/app/`, PUBLIC_URL: 'http://oms.example:8080/' },
});
const OWN = 'http://oms.example:8080';
const SEEN = uuid(1);
const url = `/api/v0/encounter/${SEEN}`;

const { Authorization: BEARER = '' } = authorizationOf('administrator');
const SECRET = secretOf('administrator');

beforeAll(async () => {
  await openToRoles(world().service);
  await world().create('encounter', { id: SEEN });
});

const CORS = [
  'access-control-allow-origin',
  'access-control-allow-credentials',
  'access-control-expose-headers',
  'access-control-allow-methods',
  'access-control-allow-headers',
  'access-control-max-age',
] as const;
const NO_CORS = Object.fromEntries(CORS.map((name) => [name, null]));
const allowed = (origin: string): NonNullable<Scenario['expect']['headers']> => ({
  'access-control-allow-origin': origin,
  'access-control-allow-credentials': 'true',
  'access-control-expose-headers':
    'ETag, X-Transaction-Id, X-Session, Retry-After, Location, Content-Disposition, Content-Length',
});

describe('CORS', () => {
  const answers: readonly [string, Omit<Scenario, 'name' | 'expect'>, Scenario['expect']][] = [
    ['a success', { method: 'GET', url }, { status: 200 }],
    ['a 304', { method: 'GET', url, headers: { 'If-None-Match': '*' } }, { status: 304 }],
    [
      'a path that does not exist',
      { method: 'GET', url: '/api/v0/nothing' },
      { status: 404, key: 'PATH_NOT_FOUND' },
    ],
    [
      'a method that does not exist',
      { method: 'PATCH', url },
      { status: 405, key: 'METHOD_NOT_ALLOWED' },
    ],
    [
      'a malformed body',
      { method: 'POST', url: '/api/v0/encounter', body: [] },
      { status: 400, key: 'MALFORMED', invalid: [['', 'TYPE']] },
    ],
    ['OPTIONS', { method: 'OPTIONS', url }, { status: 204 }],
  ];
  runScenarios(
    world,
    answers.flatMap(([what, request, expected]) =>
      (
        [
          [FRIEND, allowed(FRIEND)],
          [OWN, allowed(OWN)],
          [STRANGER, NO_CORS],
          ['null', NO_CORS],
          [`${FRIEND}/`, NO_CORS],
          [FRIEND.toUpperCase(), NO_CORS],
          [`${FRIEND}.evil.example`, NO_CORS],
          [undefined, NO_CORS],
        ] as const
      ).map(([origin, headers]): Scenario => ({
        ...request,
        name: `lets ${origin ?? 'nobody'} read ${what}, or not`,
        headers: { ...request.headers, ...(origin === undefined ? {} : { Origin: origin }) },
        expect: { ...expected, headers },
        never: ['"*"'],
      })),
    ),
  );

  const preflight = (origin: string): Scenario['headers'] => ({
    Origin: origin,
    'Access-Control-Request-Method': 'PUT',
    'Access-Control-Request-Headers': 'content-type, if-match',
  });
  runScenarios(world, [
    {
      name: 'answers an allowed origin what it may send, and for how long that is valid',
      method: 'OPTIONS',
      url,
      headers: preflight(FRIEND) ?? {},
      expect: {
        status: 204,
        headers: {
          ...allowed(FRIEND),
          'access-control-allow-methods': /\bPUT\b.*\bDELETE\b/,
          'access-control-allow-headers':
            'Authorization, Content-Type, If-Match, If-None-Match, X-Claim, X-Requested-With, X-Transaction-Id',
          'access-control-max-age': /^\d{3,}$/,
        },
      },
    },
    {
      name: 'answers another origin nothing',
      method: 'OPTIONS',
      url,
      headers: preflight(STRANGER) ?? {},
      expect: { status: 204, headers: NO_CORS },
    },
  ]);
});

const cookie = { Cookie: `theme=dark; oms_session=${SECRET}` };

describe('a change that carries the cookie', () => {
  const sent = (name: string, headers: Scenario['headers'], status: number): Scenario[] =>
    (
      [
        ['POST', '/api/v0/encounter', 200],
        ['PUT', url, 200],
        ['DELETE', `/api/v0/encounter/${uuid(0xdead)}`, 402],
      ] as const
    ).map(([method, target, passed]) => ({
      name: `${method}: ${name}`,
      method,
      url: target,
      ...(method === 'DELETE' ? {} : { body: {} }),
      headers: { ...cookie, ...headers },
      expect:
        status === 403
          ? { status, key: 'CROSS_SITE' }
          : passed === 402
            ? { status: passed, key: 'ENTITY_NOT_FOUND' }
            : { status: passed },
    }));
  runScenarios(world, [
    ...sent('passes from a friend', { Origin: FRIEND }, 200),
    ...sent('passes from the service itself', { Origin: OWN }, 200),
    ...sent(
      'passes from the same origin, as the browser says',
      { 'Sec-Fetch-Site': 'same-origin' },
      200,
    ),
    ...sent('is refused from a stranger', { Origin: STRANGER }, 403),
    ...sent('is refused from an opaque origin', { Origin: 'null' }, 403),
    ...sent('is refused from the same site', { 'Sec-Fetch-Site': 'same-site' }, 403),
    ...sent('is refused from another site', { 'Sec-Fetch-Site': 'cross-site' }, 403),
    ...sent('is refused when the user has typed it', { 'Sec-Fetch-Site': 'none' }, 403),
    ...sent('is refused when nothing tells where it comes from', {}, 403),
    ...sent('is refused with a Referer alone', { Referer: `${FRIEND}/x` }, 403),
    ...sent('is refused with a friend for a host', { Host: 'friend.example:3000' }, 403),
    ...sent(
      'passes with a bearer that says the same',
      { Origin: FRIEND, Authorization: BEARER },
      200,
    ),
  ]);
});

test('an origin that is not allowed is in the log, to be allowed; those that are, are not', async () => {
  const { strapi, url: own } = world().service;
  const spy = jest.spyOn(strapi.log, 'warn').mockReturnValue(strapi.log);
  const long = `https://${'x'.repeat(1000)}.example`;
  for (const headers of [
    { Origin: STRANGER },
    { Origin: long, ...cookie },
    { Origin: FRIEND },
    { Origin: own, 'Sec-Fetch-Site': 'same-origin' },
    {},
  ] as Record<string, string>[])
    await world().send({ method: 'PUT', url, body: {}, headers });
  const infos = (spy.mock.calls as unknown[][]).map(([, info]) => info as Json);
  spy.mockRestore();
  const lines = infos.map((info) => JSON.parse(logLine(info, new Date())) as object);
  expect(lines).toEqual([
    expect.objectContaining({ event: 'origin_not_allowed', origin: STRANGER }),
    expect.objectContaining({ event: 'origin_not_allowed', origin: `${long.slice(0, 300)}…` }),
  ]);
});

describe('a request without the cookie', () => {
  const bearer = { Authorization: BEARER };
  runScenarios(
    world,
    (
      [
        { Origin: STRANGER },
        { 'Sec-Fetch-Site': 'cross-site' },
        { ...bearer, Origin: STRANGER },
        bearer,
        { Cookie: 'oms_session_2=x; theme=oms_session=x' },
        { Cookie: '__Host-oms_session=x' },
      ] as Record<string, string>[]
    ).map((headers) => ({
      name: `passes with ${JSON.stringify(headers)}`,
      method: 'PUT',
      url,
      body: {},
      headers,
      expect: { status: 200 },
    })),
  );
});

describe('a read that carries the cookie', () => {
  runScenarios(
    world,
    ['GET', 'HEAD', 'OPTIONS'].map((method) => ({
      name: `${method} passes from anywhere`,
      method,
      url,
      headers: { ...cookie, Origin: STRANGER, 'Sec-Fetch-Site': 'cross-site' },
      expect: { status: method === 'OPTIONS' ? 204 : 200, headers: NO_CORS },
    })),
  );
});

describe('cookie and bearer', () => {
  const differ = (name: string, authorization: string, method: string): Scenario => ({
    name: `${method}: ${name}`,
    method,
    url,
    ...(method === 'PUT' ? { body: {} } : {}),
    headers: { ...cookie, Origin: FRIEND, Authorization: authorization },
    expect: {
      status: 400,
      key: 'MALFORMED',
      invalid: [['authorization', 'CONFLICT', { with: 'cookie' }]],
    },
  });
  runScenarios(world, [
    differ('that differ are malformed', 'Bearer another', 'GET'),
    differ('that differ are malformed', 'Bearer another', 'PUT'),
    differ('that differ by case are malformed', BEARER.toUpperCase(), 'GET'),
    differ('of which one is empty are malformed', 'Bearer', 'GET'),
    ...[BEARER, `bearer  ${SECRET} `, 'Basic YTpi', ''].map((authorization): Scenario => ({
      name: `"${authorization}" does not differ from the cookie`,
      method: 'GET',
      url,
      headers: { ...cookie, Authorization: authorization },
      expect: { status: 200 },
    })),
    {
      name: 'of a scheme of its own are none of the service',
      method: 'GET',
      url,
      headers: { Authorization: 'Basic eDp5' },
      expect: { status: 200, response: { id: SEEN } },
    },
    {
      name: 'may be a session each: the bearer of a user',
      as: 'user',
      method: 'PUT',
      url,
      body: {},
      expect: { status: 403, key: 'NOT_PERMITTED' },
    },
    {
      name: 'may be a session each: the cookie of a user',
      as: 'anonymous',
      method: 'PUT',
      url,
      body: {},
      headers: {
        Cookie: `oms_session=${secretOf('user')}`,
        Origin: FRIEND,
      },
      expect: { status: 403, key: 'NOT_PERMITTED' },
    },
  ]);
});

describe('login and logout', () => {
  // Of a session that no other test needs: a logout ends it.
  const ending = { Cookie: `oms_session=${secretOf('moderator')}` };
  const dead = { Cookie: `oms_session=${'x'.repeat(43)}` };
  const places: readonly (readonly [string, Record<string, string>, boolean])[] = [
    ['pass from a program, which says nothing', {}, true],
    ['pass from a friend', { Origin: FRIEND, 'Sec-Fetch-Site': 'cross-site' }, true],
    ['pass from the same origin', { 'Sec-Fetch-Site': 'same-origin' }, true],
    ['pass when the user has typed it', { 'Sec-Fetch-Site': 'none' }, true],
    ['pass from a friend with a cookie', { ...ending, Origin: FRIEND }, true],
    ['pass from a friend with a cookie that is dead', { ...dead, Origin: FRIEND }, true],
    ['are refused from a stranger', { Origin: STRANGER }, false],
    ['are refused from an opaque origin', { Origin: 'null' }, false],
    ['are refused from another site', { 'Sec-Fetch-Site': 'cross-site' }, false],
    ['are refused from the same site', { 'Sec-Fetch-Site': 'same-site' }, false],
    ['are refused from a program with a cookie', cookie, false],
  ];
  const calls = [
    { call: 'login', body: { username: 'nobody', password: 'x' }, checks: 1, passed: 401 },
    { call: 'logout', body: {}, checks: 0, passed: 200 },
  ];
  test.each(
    calls.flatMap((call) =>
      places.map(([name, headers, passes]) => ({ ...call, name, headers, passes })),
    ),
  )('$name: $call', async ({ call, name, headers, body, checks, passed, passes }) => {
    const spy = jest.spyOn(hash, 'isPassword');
    const failed = passed === 401 ? { key: 'LOGIN_FAILED' } : {};
    await play(world(), {
      name,
      method: 'POST',
      url: `/api/v0/${call}`,
      headers,
      body,
      expect: passes
        ? { status: passed, ...failed }
        : { status: 403, key: 'CROSS_SITE', headers: { 'set-cookie': null } },
    });
    expect(spy).toHaveBeenCalledTimes(passes ? checks : 0);
    spy.mockRestore();
  });
});
