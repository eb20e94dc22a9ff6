// @databases sqlite postgres
import { ACCOUNTS, authorizationOf } from '../helpers/callers';
import { uuid } from '../helpers/ids';
import { at, parsed, type Json } from '../helpers/json';
import { play, runScenarios, type Scenario } from '../helpers/scenario';
import { historyOf } from '../helpers/snapshot';
import { openToRoles } from '../helpers/callers';
import { useWorld } from '../helpers/world';
import { CUSTOM_FIELDS, describePrivacyOfIndividuals } from './individual/privacy';
import { testFigures } from './individual/figures';
import { testKin } from './individual/kin';
import { describeMerges } from './individual/merge';

const world = useWorld({
  as: 'administrator',
  env: { LIMIT_READS: '0' },
  site: { custom_fields: CUSTOM_FIELDS },
});
const url = '/api/v0/individual';
const one = (id: string): string => `${url}/${id}`;
const [FAMILY, GENUS, ZEBRA, ASS, CAT] = [1, 2, 3, 4, 5].map(uuid) as [
  string,
  string,
  string,
  string,
  string,
];

const nickname = (value: string, rest: Json = {}): Json => ({
  context: 'nickname',
  value,
  preferred: false,
  ...rest,
});
const make = (body: Json = {}): Promise<string> => world().create('individual', body);
const read = (id: string, query = ''): Promise<Json> => world().read('individual', id, query);
const update = (id: string, body: Json): Promise<void> => world().update('individual', id, body);
const remove = (type: string, id: string) =>
  world().send({ method: 'DELETE', url: `/api/v0/${type}/${id}` });
const refused = (
  name: string,
  body: Json,
  invalid: Scenario['expect']['invalid'],
  more: Partial<Scenario> = {},
): Scenario => ({
  name,
  method: 'POST',
  url,
  body,
  expect: { status: 400, key: 'MALFORMED', ...(invalid ? { invalid } : {}) },
  ...more,
});

beforeAll(async () => {
  await openToRoles(world().service);
  const taxa: [string, string, string?][] = [
    [FAMILY, 'Equidae'],
    [GENUS, 'Equus', FAMILY],
    [ZEBRA, 'Equus quagga', GENUS],
    [ASS, 'Equus africanus', GENUS],
    [CAT, 'Felis'],
  ];
  for (const [id, scientific_name, parent = null] of taxa)
    await world().create('taxonomy', { id, scientific_name, parent });
});

describe('an individual', () => {
  test('is made of nothing, by its owner', async () => {
    const headers = authorizationOf('user');
    const { text } = await world().send({ method: 'POST', url, headers, body: {} });
    const id = String(at(parsed(text), 'response', 'id'));
    expect(await read(id)).toEqual({
      id,
      version: 1,
      created_at: expect.any(String) as string,
      updated_at: expect.any(String) as string,
      owner: ACCOUNTS.user,
      names: [],
      name: null,
      taxonomy: null,
      sex: null,
      living_status: null,
      time_of_birth: null,
      time_of_death: null,
      relationships: [],
      organizations: [],
      photo_id: null,
      remarks: null,
      tags: [],
      custom_fields: {},
      encounters: [],
      encounter_count: 0,
      first_seen: null,
      last_seen: null,
      told_from: expect.any(String) as string,
      merged_into: null,
      permissions: ['update', 'delete', 'merge'],
    });
    expect((await historyOf(world().service, id)).map(({ action }) => action)).toEqual(['create']);
  });

  test('may be updated and deleted by its owner and moderators, and by nobody else', async () => {
    const mine = await make({ owner: ACCOUNTS.user });
    const foreign = await make();
    const statuses = async (as: 'anonymous' | 'user' | 'moderator', id: string) => {
      const headers = authorizationOf(as);
      const request = { url: one(id), headers };
      return [
        (await world().send({ method: 'GET', ...request })).status,
        (await world().send({ method: 'PUT', ...request, body: { remarks: as } })).status,
        (await world().send({ method: 'POST', url, headers, body: {} })).status,
      ];
    };
    expect(await statuses('anonymous', mine)).toEqual([200, 401, 401]);
    expect(await statuses('user', mine)).toEqual([200, 200, 200]);
    expect(await statuses('user', foreign)).toEqual([200, 403, 200]);
    expect(await statuses('moderator', foreign)).toEqual([200, 200, 200]);
    const deleted = (as: 'anonymous' | 'user', id: string) =>
      world().send({ method: 'DELETE', url: one(id), headers: authorizationOf(as) });
    expect((await deleted('anonymous', mine)).status).toBe(401);
    expect((await deleted('user', foreign)).status).toBe(403);
    expect((await deleted('user', mine)).status).toBe(200);
  });

  test('holds its taxon', async () => {
    const taxonomy = await world().create('taxonomy', { scientific_name: 'Held' });
    const id = await make({ taxonomy });
    await play(world(), {
      name: 'held',
      method: 'DELETE',
      url: `/api/v0/taxonomy/${taxonomy}`,
      expect: { status: 400, key: 'IN_USE', args: { type: 'individual', count: 1 } },
    });
    await remove('individual', id);
    expect((await remove('taxonomy', taxonomy)).status).toBe(200);
  });

  test('stays when its owner goes, and leaves those who follow it', async () => {
    const person = { name: 'Brief', email: 'brief@example.org' };
    const owner = await world().create('user', person);
    const id = await make({ owner });
    const follower = await world().create('user', { name: 'F', email: 'f@example.org' });
    await world().update('user', follower, { followed_individuals: [id] });
    await remove('user', owner);
    expect(await read(id)).toMatchObject({ owner: null, version: 2 });
    await remove('individual', id);
    expect(await world().read('user', follower)).toMatchObject({ followed_individuals: [] });
  });
});

describe('names', () => {
  test('tell what it is called: the preferred one, else the first', async () => {
    const id = await make({ names: [nickname('Alba 1'), nickname('Alba 2')] });
    expect(await read(id)).toMatchObject({ name: 'Alba 1' });
    await update(id, { names: [nickname('Alba 1'), nickname('Alba 2', { preferred: true })] });
    expect(await read(id)).toMatchObject({ name: 'Alba 2', version: 2 });
    await update(id, { names: [] });
    expect(await read(id)).toMatchObject({ name: null, names: [], version: 3 });
    const encounter = await world().create('encounter', { individual: id });
    await update(id, { names: [nickname('Alba 3')] });
    expect(await world().read('encounter', encounter, '?include=individual')).toMatchObject({
      included: { individual: { [id]: { id, display_name: 'Alba 3' } } },
    });
  });

  test('are unique in a context and a taxon, without regard to case', async () => {
    const id = await make({ taxonomy: ZEBRA, names: [nickname('Zo\u00eb')] });
    const taken = (name: string, body: Json, path = 'names.0.value'): Scenario => ({
      name,
      method: 'POST',
      url,
      body,
      expect: {
        status: 400,
        key: 'ENTITY_EXISTS',
        args: { type: 'individual', path, id },
        invalid: [[path, 'TAKEN']],
      },
    });
    const names = [nickname('Zoe\u0308'.toUpperCase(), { context: 'Nickname' })];
    await play(world(), taken('the same', { taxonomy: ZEBRA, names }));
    const among = [nickname('Another'), ...names];
    await play(world(), taken('among others', { taxonomy: ZEBRA, names: among }, 'names.1.value'));
    const elsewhere = await make({ names });
    const inGenus = await make({ taxonomy: GENUS, names });
    await make({ taxonomy: ZEBRA, names: [nickname('Zoe', { context: 'catalog' })] });
    for (const [name, other] of [
      ['a taxon that is set', elsewhere],
      ['another taxon', inGenus],
    ] as const)
      await play(world(), {
        ...taken(name, { taxonomy: ZEBRA }),
        method: 'PUT',
        url: one(other),
      });
    await update(id, { taxonomy: ASS });
    await update(elsewhere, { taxonomy: ZEBRA });
    await remove('individual', elsewhere);
    await update(inGenus, { taxonomy: ZEBRA });
    await update(inGenus, { names: [...names, nickname('More')] });
    expect(await read(inGenus)).toMatchObject({ version: 3 });
  });

  test('that two make at once are one', async () => {
    for (let round = 0; round < 5; round += 1) {
      const body = { names: [nickname(`Twin ${round}`)] };
      const answers = await Promise.all(
        [1, 2, 3].map(() => world().send({ method: 'POST', url, body })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
      const made = answers.find(({ status }) => status === 200);
      const other = answers.find(({ status }) => status === 400);
      expect(at(parsed(other?.text ?? ''), 'message')).toMatchObject({
        key: 'API_RESPONSE_ENTITY_EXISTS',
        args: { id: at(parsed(made?.text ?? ''), 'response', 'id') },
      });
    }
  });
});

describe('the taxa of an individual and its encounters', () => {
  const encounter = (body: Json): Promise<string> => world().create('encounter', body);
  const conflict = (path: string, other: string): Scenario['expect'] => ({
    status: 400,
    key: 'MALFORMED',
    invalid: [[path, 'CONFLICT', { with: other }]],
  });

  test('agree where they are the same, or one above the other', async () => {
    const id = await make({ taxonomy: GENUS });
    for (const taxonomy of [GENUS, ZEBRA, FAMILY, null])
      await encounter({ individual: id, taxonomy });
    await play(world(), {
      name: 'beside',
      method: 'POST',
      url: '/api/v0/encounter',
      body: { individual: id, taxonomy: CAT },
      expect: conflict('taxonomy', 'individual'),
    });
    const cat = await encounter({ taxonomy: CAT });
    const mine = await encounter({ individual: id, taxonomy: ZEBRA });
    const put = (name: string, target: string, body: Json, expected: Scenario['expect']) =>
      play(world(), {
        name,
        method: 'PUT',
        url: `/api/v0/encounter/${target}`,
        body,
        expect: expected,
      });
    await put('its individual', cat, { individual: id }, conflict('individual', 'taxonomy'));
    await put('its taxon', mine, { taxonomy: CAT }, conflict('taxonomy', 'individual'));
    await put('to one beside what the individual is', mine, { taxonomy: ASS }, { status: 200 });
  });

  test('agree from the side of the individual too', async () => {
    const id = await make({ taxonomy: GENUS });
    const zebra = await encounter({ individual: id, taxonomy: ZEBRA });
    const put = (taxonomy: string | null, expected: Scenario['expect'], as?: 'moderator') =>
      play(world(), {
        name: String(taxonomy),
        method: 'PUT',
        url: one(id),
        body: { taxonomy },
        expect: expected,
        ...(as ? { as } : {}),
      });
    await put(ASS, conflict('taxonomy', 'encounters'));
    await put(CAT, conflict('taxonomy', 'encounters'));
    for (const taxonomy of [FAMILY, ZEBRA, null]) await put(taxonomy, { status: 200 });
    await world().update('encounter', zebra, { taxonomy: null });
    await put(CAT, { status: 200 });
  });

  test('agree whatever is changed at once', async () => {
    for (let round = 0; round < 8; round += 1) {
      const id = await make({ taxonomy: GENUS });
      const seen = await encounter({ individual: id, taxonomy: GENUS });
      const body = { individual: id, taxonomy: ZEBRA };
      await Promise.all([
        world().send({ method: 'POST', url: '/api/v0/encounter', body }),
        world().send({ method: 'PUT', url: one(id), body: { taxonomy: ASS } }),
        world().send({
          method: 'PUT',
          url: `/api/v0/encounter/${seen}`,
          body: { taxonomy: ZEBRA },
        }),
      ]);
      const { taxonomy, encounters } = await read(id);
      for (const one of encounters as string[]) {
        const theirs = (await world().read('encounter', one))['taxonomy'];
        expect([taxonomy, theirs]).not.toEqual([ASS, ZEBRA]);
      }
    }
  });
});

describe('relationships', () => {
  const rel = (individual: string, type: string): Json => ({ individual, type });
  const listOf = async (id: string): Promise<unknown> => (await read(id))['relationships'];
  const versionOf = async (id: string): Promise<unknown> => (await read(id))['version'];
  const put = (id: string, body: Json, expected: Scenario['expect']) =>
    play(world(), {
      name: JSON.stringify(body),
      method: 'PUT',
      url: one(id),
      body,
      expect: expected,
    });

  test('are one edge that both show, each with a version and history', async () => {
    const mother = await make({ sex: 'female' });
    const young = await make({ relationships: [rel(mother, 'mother')] });
    expect(await listOf(mother)).toEqual([rel(young, 'offspring')]);
    expect([await versionOf(mother), await versionOf(young)]).toEqual([2, 1]);
    const [, entry] = await historyOf(world().service, mother);
    expect(entry).toMatchObject({
      version: 2,
      action: 'update',
      changes: [{ path: 'relationships', before: [], after: [rel(young, 'offspring')] }],
    });
    await update(young, { relationships: [rel(mother, 'mate'), rel(mother, 'mother')] });
    expect(await listOf(mother)).toEqual([rel(young, 'mate'), rel(young, 'offspring')]);
    await update(mother, { relationships: [rel(young, 'mate')] });
    expect(await listOf(young)).toEqual([rel(mother, 'mate')]);
    expect([await versionOf(mother), await versionOf(young)]).toEqual([4, 3]);
    await update(mother, { relationships: [rel(young, 'mate'), rel(young, 'mate')] });
    expect(await versionOf(mother)).toBe(4);
  });

  test('to offspring need the sex of the parent, and stay when it changes', async () => {
    const [young, second] = [await make(), await make()];
    const parent = await make();
    const fault = { status: 400, key: 'MALFORMED' };
    await put(
      parent,
      { relationships: [rel(young, 'offspring')] },
      { ...fault, invalid: [['relationships.0.type', 'CONFLICT', { with: 'sex' }]] },
    );
    await update(parent, { sex: 'male', relationships: [rel(young, 'offspring')] });
    expect(await listOf(young)).toEqual([rel(parent, 'father')]);
    await put(
      parent,
      { sex: 'female' },
      { ...fault, invalid: [['sex', 'CONFLICT', { with: 'relationships' }]] },
    );
    const both = [young, second].sort().map((id) => rel(id, 'offspring'));
    await update(parent, { relationships: both });
    expect(await listOf(young)).toEqual([rel(parent, 'father')]);
    expect(await listOf(second)).toEqual([rel(parent, 'father')]);
    await update(parent, { sex: null, relationships: both });
    expect(await listOf(parent)).toEqual(both);
  });

  test('are refused to oneself, to what is not there, and where they contradict each other', async () => {
    const [id, other] = [await make(), await make()];
    const fault = { status: 400, key: 'MALFORMED' };
    await put(
      id,
      { relationships: [rel(other, 'mate'), rel(uuid(0xdead), 'mate')] },
      { ...fault, invalid: [['relationships.1.individual', 'NO_SUCH', { type: 'individual' }]] },
    );
    await put(
      id,
      { relationships: [rel(id, 'mate'), rel(other, 'mother'), rel(other, 'father')] },
      {
        ...fault,
        invalid: [
          ['relationships.0.individual', 'CONFLICT', { with: 'id' }],
          ['relationships.2.type', 'CONFLICT', { with: 'relationships.1.type' }],
        ],
      },
    );
  });

  test('are written by who may update either, and end with either', async () => {
    const [own, foreign] = [await make({ owner: ACCOUNTS.user }), await make()];
    const headers = authorizationOf('user');
    const body = { relationships: [rel(foreign, 'sibling')] };
    const answer = await world().send({ method: 'PUT', url: one(own), headers, body });
    expect(answer.status).toBe(200);
    expect(await listOf(foreign)).toEqual([rel(own, 'sibling')]);
    expect(await read(foreign, '?include=relationships')).toMatchObject({
      included: { individual: { [own]: { id: own } } },
    });
    await remove('individual', own);
    expect(await read(foreign)).toMatchObject({ relationships: [], version: 3 });
    const entry = (await historyOf(world().service, foreign)).at(-1);
    expect(entry?.changes).toEqual([
      { path: 'relationships', before: [rel(own, 'sibling')], after: [] },
    ]);
    const rows = await world().service.strapi.db.connection('oms_relationships').select();
    const ids = await world().service.strapi.db.connection('individuals').pluck<number[]>('id');
    for (const { source, target } of rows as { source: number; target: number }[])
      expect(ids).toEqual(expect.arrayContaining([source, target]));
  });

  test('that both sides write at once are kept', async () => {
    const [one, other] = [await make(), await make()];
    await Promise.all([
      update(one, { relationships: [rel(other, 'mate')] }),
      update(other, { relationships: [rel(one, 'mate')] }),
    ]);
    expect([await listOf(one), await listOf(other)]).toEqual([
      [rel(other, 'mate')],
      [rel(one, 'mate')],
    ]);
  });
});

describe('encounters', () => {
  test('are given on create, by who may update each of them', async () => {
    const foreign = await world().create('encounter', { time: '2020' });
    const mine = await world().create('encounter', { time: '2021', owner: ACCOUNTS.user });
    const headers = authorizationOf('user');
    await play(
      world(),
      refused(
        'foreign',
        { encounters: [mine, foreign, uuid(0xdead)] },
        [
          ['encounters.1', 'NO_SUCH', { type: 'encounter' }],
          ['encounters.2', 'NO_SUCH', { type: 'encounter' }],
        ],
        { headers },
      ),
    );
    const first = await make({ encounters: [mine, foreign] });
    expect((await read(first))['encounters']).toEqual(expect.arrayContaining([mine, foreign]));
    const second = await make({ encounters: [mine] });
    expect(await read(second)).toMatchObject({ encounters: [mine], encounter_count: 1 });
    expect(await read(first)).toMatchObject({
      encounters: [foreign],
      encounter_count: 1,
      version: 1,
    });
    expect(await world().read('encounter', mine)).toMatchObject({ individual: second, version: 3 });
    expect((await historyOf(world().service, mine)).map(({ changes }) => changes).slice(1)).toEqual(
      [
        [{ path: 'individual', before: null, after: first }],
        [{ path: 'individual', before: first, after: second }],
      ],
    );
    await remove('individual', second);
    expect(await world().read('encounter', mine)).toMatchObject({ individual: null, version: 4 });
  });

  test('cannot be written later, and agree with the taxon', async () => {
    const zebra = await world().create('encounter', { taxonomy: ZEBRA });
    const cat = await world().create('encounter', { taxonomy: CAT });
    const id = await make();
    await play(world(), {
      ...refused('later', { encounters: [zebra] }, [['encounters', 'NOT_WRITABLE']]),
      method: 'PUT',
      url: one(id),
    });
    await play(
      world(),
      refused('disagree', { taxonomy: GENUS, encounters: [zebra, cat] }, [
        ['taxonomy', 'CONFLICT', { with: 'encounters' }],
      ]),
    );
    await make({ taxonomy: GENUS, encounters: [zebra] });
    await make({ encounters: [zebra, cat] });
  });

  test('more than a thousand cannot be given', async () => {
    const encounters = Array.from({ length: 1001 }, (_, number) => uuid(number + 1));
    await play(
      world(),
      refused('too many', { encounters }, [['encounters', 'TOO_LONG', { max: 1000 }]]),
    );
  });
});

describe('what is wrong', () => {
  runScenarios(world, [
    refused('is told at once', { names: [{}], sex: 'x', time_of_birth: 'once', stripes: 1 }, [
      ['names.0.context', 'REQUIRED'],
      ['names.0.value', 'REQUIRED'],
      ['sex', 'NOT_ONE_OF'],
      ['time_of_birth', 'FORMAT'],
      ['stripes', 'UNKNOWN'],
    ]),
    refused('a figure cannot be written', { encounter_count: 1, first_seen: '2021', name: 'x' }, [
      ['encounter_count', 'NOT_WRITABLE'],
      ['first_seen', 'NOT_WRITABLE'],
      ['name', 'NOT_WRITABLE'],
    ]),
    refused('a photograph that is not there', { photo_id: '/api/v0/asset/x/file' }, [
      ['photo_id', 'NO_SUCH', { type: 'asset' }],
    ]),
  ]);
});

describe('figures', () => testFigures(world));
describe('kin', () => testKin(world));

describeMerges(world, [GENUS, ZEBRA, ASS, CAT]);

describePrivacyOfIndividuals(world);
