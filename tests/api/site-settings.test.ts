import resource from '#app/api/site-settings/resource';
import { importer } from '#app/core/caller';
import { objectsOf, registryOf, siteOf } from '#app/plugins/objects/server';
import { SITE_ID } from '#app/plugins/objects/server/site/settings';
import type { Field } from '#app/plugins/objects/server/declare/completed';
import type { Samples } from '../contract/sample';
import { SAMPLES } from '../contract/samples';
import { authorizationOf, openToRoles } from '../helpers/callers';
import { at, parsed, type Json } from '../helpers/json';
import { keyOf, responseOf } from '../helpers/people';
import { until } from '../helpers/until';
import { play, runScenarios, type Fault } from '../helpers/scenario';
import { historyOf } from '../helpers/snapshot';
import { photograph, uploadRequest } from '../helpers/upload';
import { useWorld } from '../helpers/world';

const world = useWorld({ as: 'administrator' });
const url = '/api/v0/site_settings';

const put = (body: Json, headers = authorizationOf('administrator')) =>
  world().send({ method: 'PUT', url, body, headers });
const get = (headers: Readonly<Record<string, string>> = authorizationOf('administrator')) =>
  world().send({ method: 'GET', url, headers });

async function change(body: Json): Promise<Json> {
  const answer = await put(body);
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return responseOf(await get());
}

/** The settings before any test has changed them. */
let fresh: Json;
beforeAll(async () => {
  fresh = responseOf(await get());
});

const FOR_ADMINISTRATORS = ['allowed_origins', 'frontend_url', 'mail_from'];

/** Fields with one value that is right beside the others as they are. */
const COMPANIONS: Readonly<Record<string, (sent: unknown) => Json>> = {
  languages: () => ({ default_language: 'en' }),
  default_language: (sent) => ({ languages: ['en', String(sent)] }),
};

const names = Object.keys(resource.fields);
const written = names.filter((name) => resource.fields[name]?.derived !== true);

function field(name: string): Field {
  const { resource: completed } = registryOf(world().service.strapi).model().type('site_settings');
  const found = completed.fields.get(name);
  if (!found) throw new RangeError(name);
  return found;
}
/** An address without a query: `rejects` of the field. */
const PLAIN = 'https://frontend.example.org/app';

function samples(name: string): Samples {
  const { good, bad } = SAMPLES[field(name).kind](field(name));
  return { good: name === 'frontend_url' ? [{ sent: PLAIN, kept: PLAIN }] : good, bad };
}

describe('a new instance', () => {
  test('has the defaults of the contract, and no administrator', () => {
    expect(fresh).toMatchObject({
      site_name: null,
      logo_id: null,
      media: {},
      languages: ['en'],
      default_language: 'en',
      regions: [],
      behaviors: [],
      custom_fields: { encounter: [], individual: [] },
      frontend: {},
      initialized: false,
      registration_open: true,
      require_verified_email: false,
      anonymous_encounters: false,
      review_encounters: false,
      readers: 'anyone',
      default_location_privacy: 'open',
      review_notes: [],
      max_upload_bytes: 26_214_400,
      allowed_origins: [],
      mail_from: null,
      frontend_url: null,
      version: 1,
      permissions: ['update'],
    });
  });
});

describe.each(written)('%s', (name) => {
  test('is stored and read like other fields of its kind, and null resets it to its default', async () => {
    const companions = COMPANIONS[name] ?? (() => ({}));
    for (const { sent, kept } of samples(name).good) {
      const now = await change({ ...companions(sent), [name]: sent });
      expect({ sent, kept: now[name] }).toEqual({ sent, kept });
    }
    const { required, default: standard } = field(name);
    const now = await change({ ...companions('en'), [name]: required ? standard : null });
    expect(now[name]).toEqual(standard);
  });

  test('is refused for all that is wrong', async () => {
    const { bad } = samples(name);
    expect(bad).not.toEqual([]);
    for (const { sent, faults } of bad) {
      const invalid = faults.map(([path, ...told]) => [name + path, ...told] as unknown as Fault);
      const expected = { status: 400, key: 'MALFORMED', invalid };
      await play(world(), { name, method: 'PUT', url, body: { [name]: sent }, expect: expected });
    }
  });
});

describe('who may', () => {
  test('read: everybody the public part, administrators all of it', async () => {
    for (const role of ['anonymous', 'user', 'moderator'] as const) {
      const seen = responseOf(await get(authorizationOf(role)));
      expect([role, seen['permissions']]).toEqual([role, []]);
      expect(Object.keys(seen)).toEqual(expect.arrayContaining(['site_name', 'readers']));
      for (const name of FOR_ADMINISTRATORS) expect(seen).not.toHaveProperty(name);
      expect('review_notes' in seen).toBe(role === 'moderator');
    }
    expect(Object.keys(responseOf(await get()))).toEqual(
      expect.arrayContaining([...names, 'version']),
    );
  });

  runScenarios(world, [
    {
      name: 'write: nobody without a login',
      as: 'anonymous',
      method: 'PUT',
      url,
      body: { tagline: { en: 'x' } },
      expect: { status: 401, key: 'LOGIN_REQUIRED' },
    },
    ...(['user', 'moderator'] as const).map((as) => ({
      name: `write: not a ${as}`,
      as,
      method: 'PUT' as const,
      url,
      body: { tagline: { en: 'x' } },
      expect: { status: 403, key: 'NOT_PERMITTED' },
    })),
    ...(['POST', 'DELETE'] as const).map((method) => ({
      name: `make or delete them: nobody (${method})`,
      as: 'administrator' as const,
      method,
      url,
      expect: { status: 405, key: 'METHOD_NOT_ALLOWED' },
    })),
    {
      name: 'ask for parts of them: nobody',
      method: 'GET',
      url: `${url}?fields=readers`,
      expect: { status: 400, key: 'MALFORMED', invalid: [['fields', 'UNKNOWN', {}]] },
    },
    ...['id', 'version', 'initialized', 'permissions'].map((name) => ({
      name: `write ${name}: nobody`,
      as: 'administrator' as const,
      method: 'PUT' as const,
      url,
      body: { [name]: true },
      expect: {
        status: 400,
        key: 'MALFORMED',
        invalid: [[name, 'NOT_WRITABLE', {}]] as Fault[],
      },
    })),
    {
      name: 'and all that is wrong is told together',
      as: 'administrator',
      method: 'PUT',
      url,
      body: {
        languages: ['x'],
        readers: 'nobody',
        max_upload_bytes: 1,
        frontend_url: 'https://a.b/?c',
      },
      expect: {
        status: 400,
        key: 'MALFORMED',
        invalid: [
          ['languages.0', 'FORMAT', { expected: 'bcp47' }],
          ['readers', 'NOT_ONE_OF'],
          ['max_upload_bytes', 'TOO_SMALL', { value: 1, min: 65_536 }],
          ['frontend_url', 'FORMAT', { expected: 'plain_url' }],
        ],
      },
    },
    {
      name: 'the default language is one of the languages',
      as: 'administrator',
      method: 'PUT',
      url,
      body: { languages: ['en', 'fr'], default_language: 'es' },
      expect: {
        status: 400,
        key: 'MALFORMED',
        invalid: [['default_language', 'NOT_ONE_OF', { allowed: ['en', 'fr'] }]],
      },
    },
  ]);
});

test('an answer lists the first hundred faults', async () => {
  const regions = Array.from({ length: 500 }, () => ({ type: 'weight', value: 1 }));
  const unknown = Object.fromEntries(regions.map((_, at) => [`unknown_${at}`, 1]));
  for (const body of [{ regions }, unknown]) {
    const answer = await put(body);
    expect(answer.status).toBe(400);
    expect(at(parsed(answer.text), 'response', 'invalid')).toHaveLength(100);
  }
});

describe('a change', () => {
  test('counts its version, is in the history, and one who saw less is told', async () => {
    const { version } = responseOf(await get()) as { version: number };
    const written = await put({ tagline: { en: 'Zebras' } });
    expect(responseOf(written)).toEqual({ id: SITE_ID, version: version + 1 });
    const [entry] = (await historyOf(world().service, SITE_ID)).slice(-1);
    expect(entry).toMatchObject({
      type: 'site_settings',
      action: 'update',
      version: version + 1,
      actor_name: 'A administrator',
      changes: [{ path: 'tagline', after: { en: 'Zebras' } }],
    });
    const late = await put(
      { tagline: null },
      { ...authorizationOf('administrator'), 'If-Match': `"${version}"` },
    );
    expect([late.status, keyOf(late)]).toEqual([412, 'API_RESPONSE_VERSION_MISMATCH']);
  });

  test('moves the ETag of those who see it', async () => {
    const tags = async (): Promise<unknown[]> =>
      Promise.all(
        (['anonymous', 'administrator'] as const).map(
          async (role) => (await get(authorizationOf(role))).headers['etag'],
        ),
      );
    const [stranger, administrator] = await tags();
    const known = await get({ 'If-None-Match': String(stranger) });
    expect([known.status, known.text]).toEqual([304, '']);
    await put({ mail_from: 'otters@example.org' });
    const [same, moved] = await tags();
    // The version is public, and a part of what strangers see.
    expect([same === stranger, moved === administrator]).toEqual([false, false]);
  });

  test('counts at once: for registrations, readers and reports', async () => {
    const stranger = async (method: 'GET' | 'POST', path: string, body?: Json) =>
      (await world().send({ method, url: path, headers: {}, ...(body ? { body } : {}) })).status;
    const encounter = '/api/v0/encounter';
    const id = await world().create('encounter', {});
    await put({ registration_open: false, readers: 'users', anonymous_encounters: true });
    expect(await stranger('POST', '/api/v0/user', { name: 'A' })).toBe(403);
    expect(await stranger('GET', `${encounter}/${id}`)).toBe(401);
    expect(await stranger('POST', encounter, {})).toBe(200);
    await put({ registration_open: true, readers: 'anyone', anonymous_encounters: false });
    expect(await stranger('POST', '/api/v0/user', { name: 'A' })).toBe(400);
    expect(await stranger('GET', `${encounter}/${id}`)).toBe(200);
    expect(await stranger('POST', encounter, {})).toBe(401);
  });

  test('of the origins counts at once for CORS and for changes with a cookie', async () => {
    const Origin = 'https://map.example.org';
    const allowed = async () =>
      (await get({ Origin })).headers['access-control-allow-origin'] ?? null;
    expect(await allowed()).toBeNull();
    await put({ allowed_origins: [Origin] });
    expect(await allowed()).toBe(Origin);
    await put({ allowed_origins: [], frontend_url: `${Origin}/app/` });
    expect(await allowed()).toBe(Origin);
    await put({ frontend_url: null });
    expect(await allowed()).toBeNull();
  });

  test('of two at once is carried out one after the other, both whole', async () => {
    const names = ['site_name', 'tagline', 'description', 'announcement'] as const;
    const answers = await Promise.all(
      [...names, ...names].map((name, at) => put({ [name]: { en: `${at}` } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const now = responseOf(await get());
    for (const name of names) expect(now[name]).toEqual({ en: expect.any(String) as unknown });
    expect(siteOf(world().service.strapi).current().version).toBe(now['version']);
  });

  test('notes the first administrator, and moves no version', async () => {
    const { version } = responseOf(await get());
    await openToRoles(world().service);
    const body = {
      name: 'B',
      email: 'b@example.org',
      password: 'a good one of mine',
      role: 'administrator',
    };
    await world().create('user', body);
    await until('it is read', async () => responseOf(await get())['initialized'] === true);
    expect(responseOf(await get())['version']).toBe(version);
  });
});

describe('the images of the site', () => {
  const send = async (role: 'user' | 'administrator') => {
    const upload = uploadRequest({ bytes: await photograph() }, authorizationOf(role));
    return responseOf(await world().send(upload)) as { id: string; path: string };
  };
  const statusOf = async (method: 'GET' | 'DELETE', path: string, headers = {}) =>
    (await world().send({ method, url: path, headers })).status;

  test('are read by anyone, and stay as long as the settings have them', async () => {
    await openToRoles(world().service);
    const [logo, banner] = [await send('administrator'), await send('administrator')];
    for (const { path } of [logo, banner]) expect(await statusOf('GET', path)).toBe(402);
    const media = { banner: banner.path.toUpperCase().replace('/API/V0/ASSET', '/api/v0/asset') };
    const now = await change({ logo_id: logo.path, media, readers: 'users' });
    expect(now).toMatchObject({ logo_id: logo.path, media: { banner: banner.path } });
    for (const { id, path } of [logo, banner]) {
      expect(await statusOf('GET', path)).toBe(200);
      await play(world(), {
        name: 'in use',
        as: 'administrator',
        method: 'DELETE',
        url: `/api/v0/asset/${id}`,
        expect: { status: 400, key: 'IN_USE', args: { type: 'site_settings', count: 1 } },
      });
    }
    await change({ logo_id: null, media: null, readers: 'anyone' });
    for (const { id, path } of [logo, banner]) {
      expect(await statusOf('GET', path)).toBe(402);
      const administrator = authorizationOf('administrator');
      expect(await statusOf('DELETE', `/api/v0/asset/${id}`, administrator)).toBe(200);
    }
  });

  test('are none when they are deleted between the check of a change and the change', async () => {
    const { id, path } = await send('administrator');
    const objects = objectsOf(world().service.strapi);
    const inspect = objects.inspect.bind(objects);
    const spy = jest.spyOn(objects, 'inspect').mockImplementationOnce(async (...given) => {
      const found = await inspect(...given);
      await statusOf('DELETE', `/api/v0/asset/${id}`, authorizationOf('administrator'));
      return found;
    });
    const answer = await put({ media: { banner: path } }).finally(() => spy.mockRestore());
    expect([answer.status, parsed(answer.text)]).toMatchObject([
      400,
      { response: { invalid: [{ path: 'media.banner', key: 'API_RESPONSE_NO_SUCH' }] } },
    ]);
    expect(responseOf(await get())['media']).toEqual({});
  });
});

describe('what records use', () => {
  const field = (key: string, type = 'string') => ({ key, type });
  const settings = {
    regions: ['kenya', 'mara', 'empty'].map((id) => ({ id, name: {} })),
    custom_fields: { encounter: [field('mood'), field('score', 'number'), field('unused')] },
  };

  const records: string[] = [];
  beforeAll(async () => {
    await change(settings);
    for (const body of [
      { location_id: 'mara', custom_fields: { mood: 'calm' } },
      { location_id: 'mara', custom_fields: { score: 1 } },
      { custom_fields: { mood: 'alert', score: 2 } },
    ])
      records.push(await world().create('encounter', body));
  });
  afterAll(async () => {
    for (const id of records)
      await world().send({ method: 'DELETE', url: `/api/v0/encounter/${id}` });
    await change({ regions: null, custom_fields: null });
  });

  const kept = (list: readonly { id?: string; key?: string }[], ...names: string[]) =>
    list.filter(({ id = '', key = id }) => names.includes(key));
  const fields = settings.custom_fields.encounter;
  const used = (path: string, count: number): Fault => [
    path,
    'IN_USE',
    { type: 'encounter', count },
  ];

  runScenarios(world, [
    {
      name: 'a region stays, and the number is told',
      as: 'administrator',
      method: 'PUT',
      url,
      body: { regions: kept(settings.regions, 'kenya') },
      expect: {
        status: 400,
        key: 'IN_USE',
        args: { type: 'encounter', count: 2 },
        invalid: [used('regions.mara', 2)],
      },
    },
    {
      name: 'a custom field stays, with its type',
      as: 'administrator',
      method: 'PUT',
      url,
      body: { custom_fields: { encounter: [field('score', 'string')] } },
      expect: {
        status: 400,
        key: 'IN_USE',
        invalid: [
          used('custom_fields.encounter.mood', 2),
          used('custom_fields.encounter.score', 2),
        ],
      },
    },
    {
      name: 'all fields do',
      as: 'administrator',
      method: 'PUT',
      url,
      body: { custom_fields: null, readers: 'x' },
      expect: {
        status: 400,
        key: 'MALFORMED',
        invalid: [
          used('custom_fields.encounter.mood', 2),
          used('custom_fields.encounter.score', 2),
          ['readers', 'NOT_ONE_OF'],
        ],
      },
    },
  ]);

  test('what nobody uses goes', async () => {
    const now = await change({
      regions: kept(settings.regions, 'mara'),
      custom_fields: { encounter: kept(fields, 'mood', 'score') as unknown as Json[] },
    });
    expect(now['regions']).toMatchObject([{ id: 'mara' }]);
  });
});

test('the statements of few combinations of settings are kept, of those that were left last', async () => {
  const statements = (): unknown =>
    registryOf(world().service.strapi).model().type('encounter').for(importer('a package'));
  const turned = async (hidden_tells: string, protect_unidentified: boolean): Promise<unknown> => {
    await change({ hidden_tells, protect_unidentified });
    return statements();
  };
  const first = await turned('place', true);
  expect(await turned('picture', true)).not.toBe(first);
  expect(await turned('place', true)).toBe(first);
  for (const [tells, isOn] of [
    ...([
      ['picture', true],
      ['both', true],
      ['place', false],
      ['picture', false],
    ] as const),
  ])
    await turned(tells, isOn);
  expect(await turned('place', true)).not.toBe(first);
});
