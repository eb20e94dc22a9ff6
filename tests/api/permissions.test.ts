// @databases sqlite postgres
import type { Role } from '#app/core/caller';
import encounter from '#app/api/encounter/resource';
import individual from '#app/api/individual/resource';
import org from '#app/api/org/resource';
import taxonomy from '#app/api/taxonomy/resource';
import type { AnyOperation } from '#app/endpoints/operations';
import { createRoutes } from '#app/endpoints/routes';
import { registryOf } from '#app/plugins/objects/server';
import { wireOf } from '#app/plugins/wire/server';
import { ACCOUNTS } from '../helpers/callers';
import { documentsOf } from '../helpers/documents';
import { uuid } from '../helpers/ids';
import { at, parsed, type Json } from '../helpers/json';
import { play, runScenarios, type Scenario } from '../helpers/scenario';
import { useWorld } from '../helpers/world';

/** As it is started in production: whoever has no session is anonymous. */
const world = useWorld({});

const ROLES = ['anonymous', 'user', 'moderator', 'administrator'] as const;
const [ZEBRA, SEEN, SHARED, ANIMAL] = [1, 2, 3, 4].map(uuid) as [string, string, string, string];

/** Statuses by role, as section 6 of the contract has them. An encounter's owner comes with the users. */
const TABLE: readonly [method: string, url: string, body: object | undefined, Statuses][] = [
  ['POST', '/api/v0/encounter', {}, [401, 200, 200, 200]],
  ['GET', `/api/v0/encounter/${SEEN}`, undefined, [200, 200, 200, 200]],
  ['HEAD', `/api/v0/encounter/${SEEN}`, undefined, [200, 200, 200, 200]],
  ['PUT', `/api/v0/encounter/${SEEN}`, { remarks: 'x' }, [401, 403, 200, 200]],
  ['DELETE', '/api/v0/encounter/:made', undefined, [401, 403, 200, 200]],
  ['GET', `/api/v0/encounter/${SEEN}/history`, undefined, [401, 403, 200, 200]],
  ['POST', '/api/v0/encounter/:made/review', { state: 'rejected' }, [401, 403, 200, 200]],
  ['POST', '/api/v0/taxonomy', { scientific_name: ':unique' }, [401, 403, 200, 200]],
  ['GET', `/api/v0/taxonomy/${ZEBRA}`, undefined, [200, 200, 200, 200]],
  ['PUT', `/api/v0/taxonomy/${ZEBRA}`, { authorship: 'x' }, [401, 403, 200, 200]],
  ['DELETE', '/api/v0/taxonomy/:made', undefined, [401, 403, 200, 200]],
  ['GET', `/api/v0/taxonomy/${ZEBRA}/history`, undefined, [401, 403, 200, 200]],
  ['GET', '/api/v0/search/history', undefined, [401, 403, 403, 200]],
  ['POST', '/api/v0/org', { name: ':unique' }, [401, 200, 200, 200]],
  ['GET', `/api/v0/org/${SHARED}`, undefined, [200, 200, 200, 200]],
  ['PUT', `/api/v0/org/${SHARED}`, { description: 'x' }, [401, 403, 200, 200]],
  ['DELETE', '/api/v0/org/:made', undefined, [401, 403, 200, 200]],
  ['GET', `/api/v0/org/${SHARED}/history`, undefined, [401, 403, 200, 200]],
  ['POST', '/api/v0/individual', {}, [401, 200, 200, 200]],
  ['GET', `/api/v0/individual/${ANIMAL}`, undefined, [200, 200, 200, 200]],
  ['PUT', `/api/v0/individual/${ANIMAL}`, { remarks: 'x' }, [401, 403, 200, 200]],
  ['DELETE', '/api/v0/individual/:made', undefined, [401, 403, 200, 200]],
  ['GET', `/api/v0/individual/${ANIMAL}/history`, undefined, [401, 403, 200, 200]],
  ['POST', '/api/v0/org/:made/join', {}, [401, 200, 200, 200]],
  ['POST', '/api/v0/org/:made/leave', {}, [401, 409, 409, 409]],
  [
    'POST',
    `/api/v0/org/${SHARED}/member`,
    { user: ACCOUNTS.user, role: null },
    [401, 403, 409, 409],
  ],
  ['GET', '/api/v0/openapi.json', undefined, [200, 200, 200, 200]],
];
type Statuses = readonly [number, number, number, number];

const KEYS: Readonly<Record<number, string>> = {
  401: 'LOGIN_REQUIRED',
  403: 'NOT_PERMITTED',
  409: 'STATE_CONFLICT',
};

/** An object of a type of the table. */
function makeOf(type: string, name: string): Promise<string> {
  if (type === 'taxonomy') return make('api::taxonomy.taxonomy', { scientificName: name });
  if (type === 'org') return make('api::org.org', { name });
  if (type === 'individual') return make('api::individual.individual', {});
  return make('api::encounter.encounter', {});
}

/** Makes objects without the API, which is closed here. */
async function make(uid: string, data: Json): Promise<string> {
  return (await documentsOf(world().service, uid).create({ data })).documentId;
}

beforeAll(async () => {
  await make('api::taxonomy.taxonomy', { documentId: ZEBRA, scientificName: 'Equus quagga' });
  await make('api::org.org', { documentId: SHARED, name: 'Shared' });
  await make('api::individual.individual', { documentId: ANIMAL });
  await make('api::encounter.encounter', {
    documentId: SEEN,
    taxonomy: ZEBRA,
    submitterEmail: 'reporter@example.org',
  });
});

describe('the table of permissions', () => {
  test('has a row for each call of each type', () => {
    const calls = [encounter, individual, taxonomy, org].flatMap((resource) =>
      createRoutes(resource).routes.map(({ method, path }) => `${method} /api${path}`),
    );
    const rows = TABLE.map(
      ([method, url]) => `${method} ${url.replace(/\/(:made|0a0a[^/]*)(?=\/|$)/, '/:id')}`,
    );
    expect(rows).toEqual(expect.arrayContaining(calls));
  });

  describe.each(TABLE)('%s %s', (method, url, body, statuses) => {
    test.each(ROLES.map((role, column) => [role, statuses[column] ?? 0] as const))(
      'by %s is %d',
      async (as, status) => {
        const name = `${method} ${url} ${as}`;
        const made = await makeOf(url.split('/')[3] ?? '', `For ${name}`);
        const sent = JSON.parse(
          JSON.stringify(body ?? null).replace(':unique', `By ${name}`),
        ) as unknown;
        await play(world(), {
          name,
          as,
          method,
          url: url.replace(':made', made),
          ...(sent === null ? {} : { body: sent }),
          expect: { status, ...(KEYS[status] ? { key: KEYS[status] } : {}) },
        });
      },
    );
  });
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
      expect: { status: 200, response: { submitter_email: 'reporter@example.org' } },
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
