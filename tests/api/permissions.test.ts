import type { Role } from '#app/core/caller';
import type { AnyOperation } from '#app/endpoints/operations';
import { registryOf } from '#app/plugins/objects/server';
import { wireOf } from '#app/plugins/wire/server';
import { documentsOf } from '../helpers/documents';
import { uuid } from '../helpers/ids';
import { at, parsed, type Json } from '../helpers/json';
import { play, runScenarios, type Scenario } from '../helpers/scenario';
import { useWorld } from '../helpers/world';
import { describeCells } from './permissions/cells';

/** As it is started in production: whoever has no session is anonymous. Individuals of a hidden taxon are not told yet. */
const world = useWorld({ site: { tell_hidden: 'monthly', protect_unidentified: false } });

const ROLES = ['anonymous', 'user', 'moderator', 'administrator'] as const;
const [ZEBRA, SEEN] = [1, 2].map(uuid) as [string, string];

/** Statuses by role of calls that belong to no type, or answer as another. */
const CALLS: readonly [method: string, url: string, Statuses][] = [
  ['HEAD', `/api/v0/encounter/${SEEN}`, [200, 200, 200, 200]],
  ['GET', '/api/v0/search/history', [401, 403, 403, 200]],
  ['GET', '/api/v0/openapi.json', [200, 200, 200, 200]],
];
type Statuses = readonly [number, number, number, number];

const KEYS: Readonly<Record<number, string>> = { 401: 'LOGIN_REQUIRED', 403: 'NOT_PERMITTED' };

/** Makes objects without the API, which is closed here. */
async function make(uid: string, data: Json): Promise<string> {
  return (await documentsOf(world().service, uid).create({ data })).documentId;
}

beforeAll(async () => {
  await make('api::taxonomy.taxonomy', { documentId: ZEBRA, scientificName: 'Equus quagga' });
  await make('api::encounter.encounter', {
    documentId: SEEN,
    taxonomy: ZEBRA,
    submitterEmail: 'reporter@example.org',
  });
});

describe('the table of permissions', () => describeCells(world));

describe.each(CALLS)('%s %s', (method, url, statuses) => {
  test.each(ROLES.map((role, column) => [role, statuses[column] ?? 0] as const))(
    'by %s is %d',
    async (as, status) => {
      const name = `${method} ${url} by ${as}`;
      const key = KEYS[status];
      await play(world(), { name, as, method, url, expect: { status, ...(key ? { key } : {}) } });
    },
  );
});

describe('who may not', () => {
  const refusal =
    (as: Role, status: number, key: string) =>
    (method: string, url: string, body?: unknown): Scenario => ({
      name: `${as}: ${method} ${url} is ${status} before anything is looked at`,
      as,
      method,
      url,
      ...(body === undefined ? {} : { body }),
      headers: { 'If-Match': '"99"' },
      expect: { status, key },
    });
  const anonymous = refusal('anonymous', 401, 'LOGIN_REQUIRED');
  const user = refusal('user', 403, 'NOT_PERMITTED');

  runScenarios(world, [
    anonymous('POST', '/api/v0/encounter', { nope: 1, owner: SEEN }),
    anonymous('PUT', `/api/v0/encounter/${uuid(0xdead)}`, { nope: 1 }),
    anonymous('DELETE', '/api/v0/encounter/x'),
    anonymous('GET', '/api/v0/encounter/x/history?nope=1'),
    user('POST', '/api/v0/taxonomy', { nope: 1 }),
    user('PUT', `/api/v0/taxonomy/${ZEBRA}?nope=1`, { nope: 1 }),
    user('DELETE', `/api/v0/encounter/${SEEN}`),
    {
      name: 'user: an absent object is 402, whatever the right would be',
      as: 'user',
      method: 'PUT',
      url: `/api/v0/taxonomy/${uuid(0xdead)}`,
      body: {},
      expect: { status: 402, key: 'ENTITY_NOT_FOUND' },
    },
  ]);
});

describe('the permissions in an object', () => {
  const ALL = { encounter: ['update', 'delete', 'review'], taxonomy: ['update', 'delete'] };

  test.each(
    ROLES.flatMap(
      (role) =>
        [
          ['encounter', SEEN, role],
          ['taxonomy', ZEBRA, role],
        ] as const,
    ),
  )('%s %s lists what %s may do with it, of what can be done', async (type, id, as) => {
    const permissions = as === 'anonymous' || as === 'user' ? [] : ALL[type];
    const url = `/api/v0/${type}/${id}`;
    await play(world(), {
      name: as,
      as,
      method: 'GET',
      url,
      expect: {
        status: 200,
        response: { permissions },
        headers: { etag: permissions.length > 0 ? /^"\d+-[\w-]+"$/ : /^"[\w-]{27}"$/ },
      },
    });
  });

  test.each(ROLES)('%s sees the fields that are for it', async (as) => {
    const answer = await play(world(), {
      name: as,
      as,
      method: 'GET',
      url: `/api/v0/encounter/${SEEN}`,
      expect: { status: 200 },
      ...(as === 'anonymous' || as === 'user'
        ? { never: ['reporter@', 'submitter', 'review_note'] }
        : {}),
    });
    const isModerator = as === 'moderator' || as === 'administrator';
    const response = at(parsed(answer.text), 'response') as object;
    expect('submitter_email' in response).toBe(isModerator);
    expect('review_note' in response).toBe(isModerator);
  });

  test('a field that is not for the caller is cut without a word', async () => {
    const scenario = {
      name: 'fields',
      method: 'GET',
      url: `/api/v0/encounter/${SEEN}?fields=id,submitter_email`,
    };
    const stranger = await play(world(), { ...scenario, as: 'user', expect: { status: 200 } });
    expect(at(parsed(stranger.text), 'response')).toEqual({ id: SEEN });
    await play(world(), {
      ...scenario,
      as: 'moderator',
      // Another test changes it.
      expect: {
        status: 200,
        response: { submitter_email: expect.stringMatching(/@example\.org$/) },
      },
    });
  });

  test('an ETag moves at nothing that the caller does not see', async () => {
    const tag = async (as: Role): Promise<unknown> =>
      (
        await play(world(), {
          name: as,
          as,
          method: 'GET',
          url: `/api/v0/encounter/${SEEN}?fields=id,taxonomy,submitter_email`,
          expect: { status: 200 },
        })
      ).headers.etag;
    const [user, moderator] = [await tag('user'), await tag('moderator')];
    await play(world(), {
      name: 'change',
      as: 'moderator',
      method: 'PUT',
      url: `/api/v0/encounter/${SEEN}`,
      body: { submitter_email: 'another@example.org' },
      expect: { status: 200 },
    });
    expect(await tag('user')).toBe(user);
    expect(await tag('moderator')).not.toBe(moderator);
  });
});

describe('a field that the caller may not write', () => {
  const owner = uuid(0xabc);
  runScenarios(world, [
    {
      name: 'refuses the whole request, and lists the forbidden fields alone',
      as: 'user',
      method: 'POST',
      url: '/api/v0/encounter',
      body: { owner, locality: 'here', nope: 1, latitude: 'x', version: 1 },
      expect: {
        status: 403,
        key: 'FIELD_NOT_PERMITTED',
        invalid: [['owner', 'NOT_PERMITTED', {}]],
      },
    },
    {
      name: 'is forbidden when it is null, too',
      as: 'user',
      method: 'POST',
      url: '/api/v0/encounter',
      body: { owner: null },
      expect: { status: 403, key: 'FIELD_NOT_PERMITTED', invalid: [['owner', 'NOT_PERMITTED']] },
    },
    {
      name: 'is checked for those who may write it',
      as: 'moderator',
      method: 'POST',
      url: '/api/v0/encounter',
      body: { owner },
      expect: { status: 400, key: 'MALFORMED', invalid: [['owner', 'NO_SUCH', { type: 'user' }]] },
    },
  ]);
});

test('every action that a type has rights for has a call', () => {
  const { resources } = registryOf(world().service.strapi).model();
  const standard = { create: 'POST', read: 'GET', update: 'PUT', delete: 'DELETE', history: 'GET' };
  const routes = wireOf(world().service.strapi).routes();
  for (const [type, { rights, single, actions }] of resources) {
    const own = routes.flatMap(({ method, path, config }) => {
      const operation = config.operation as AnyOperation;
      if (!('type' in operation) || operation.type !== type) return [];
      // Bytes are a part of what is read.
      if (operation.kind === 'file') return [];
      if (operation.kind !== 'act') return [[operation.kind, method]];
      expect(path).toBe(`/v0/${type}/:id/${operation.action}`);
      return [[operation.action, method]];
    });
    const rows = [...rights.keys()].filter((action) => action !== 'original');
    const wanted = [...Object.keys(standard), ...actions.keys()];
    expect([type, rows.sort()]).toEqual([
      type,
      wanted.filter((name) => single === null || name !== 'history').sort(),
    ]);
    const posts = Object.fromEntries([...actions.keys()].map((action) => [action, 'POST']));
    const isForNobody = Object.values(rights.get('delete') ?? {}).every((row) => row.length === 0);
    // The service itself makes the one object of a type; what nobody deletes has no call for it.
    const { create, read, update, delete: remove, history } = standard;
    const expected = {
      ...{ read, update, ...posts },
      ...(single === null ? { create, history } : {}),
      ...(isForNobody ? {} : { delete: remove }),
    };
    expect([type, Object.fromEntries(own) as unknown]).toEqual([type, expected]);
  }
});
