// @databases sqlite postgres
import { backgroundOf, objectsOf } from '#app/plugins/objects/server';
import { authorizationOf, openToRoles } from '../helpers/callers';
import { at, parsed, type Json } from '../helpers/json';
import { bearer, login, makePerson, responseOf } from '../helpers/people';
import { photograph, uploadRequest } from '../helpers/upload';
import { useWorld } from '../helpers/world';

const REGIONS = [
  { id: 'serengeti', name: { en: 'Serengeti' }, bbox: [34, -3, 35.5, -1] },
  { id: 'camp', name: { en: 'Camp' }, parent: 'serengeti', bbox: [34.82, -2.34, 34.84, -2.32] },
];
const CUSTOM = {
  encounter: [
    { key: 'herd', type: 'string', label: { en: 'Herd' }, public_when_obscured: true },
    { key: 'tree', type: 'string', label: { en: 'Tree' } },
  ],
};
const WHOLE: Json = {
  event_id: '00000000-0000-4000-8000-00000000e1e1',
  time: '2021-06-03T14:05+02:00',
  verbatim_time: 'after lunch',
  latitude: -2.333,
  longitude: 34.8333,
  coordinate_uncertainty: 12,
  location_id: 'camp',
  locality: 'by the third tree',
  country_code: 'TZ',
  elevation: 1500,
  depth: 0,
  sex: 'female',
  life_stage: 'adult',
  living_status: 'alive',
  group_size: 3,
  behavior: 'drinking',
  observers: ['Ada'],
  sampling_protocol: 'from the road',
  measurements: [{ type: 'shoulder height', value: 2.1, unit: 'm' }],
  tags: ['tusker'],
  remarks: 'with a calf',
  license: 'CC0-1.0',
  external_id: 'E1',
  custom_fields: { herd: 'north', tree: 'third' },
};
/** Absent to strangers, always. */
const HIDDEN = [
  ...['country_code', 'event_id', 'locality', 'elevation', 'depth', 'verbatim_time', 'remarks'],
  ...['tags', 'behavior', 'observers', 'sampling_protocol', 'measurements', 'external_id'],
  ...['review_note', 'version', 'created_at', 'updated_at'],
];
const PLACE = ['latitude', 'longitude', 'coordinate_uncertainty', 'location_id'];

const world = useWorld({ site: { regions: REGIONS, custom_fields: CUSTOM } });
const callers: Record<string, Readonly<Record<string, string>>> = {};
let owner = '';

beforeAll(async () => {
  for (const name of ['owner', 'stranger']) {
    const person = await makePerson(world().service);
    callers[name] = bearer(await login(world(), person));
    if (name === 'owner') owner = person.id;
  }
  Object.assign(callers, { nobody: {}, moderator: authorizationOf('moderator') });
  await openToRoles(world().service);
});

const send = (who: string, method: string, path: string, body?: Json) =>
  world().send({ method, url: `/api/v0/${path}`, headers: callers[who] ?? {}, body });
const make = async (body: Json): Promise<string> =>
  String(at(parsed((await send('owner', 'POST', 'encounter', body)).text), 'response', 'id'));
const readAs = async (who: string, id: string): Promise<Json> =>
  responseOf(await send(who, 'GET', `encounter/${id}`));
/** As an administrator. */
const taxon = (body: Json): Promise<string> =>
  world()
    .send({
      method: 'POST',
      url: '/api/v0/taxonomy',
      headers: authorizationOf('administrator'),
      body: { scientific_name: `Taxon ${Math.random()}`, ...body },
    })
    .then(({ text }) => String(at(parsed(text), 'response', 'id')));
const change = (path: string, body: Json) =>
  world().send({
    method: 'PUT',
    url: `/api/v0/${path}`,
    headers: authorizationOf('administrator'),
    body,
  });
const levelFor = async (id: string): Promise<unknown> =>
  (await readAs('stranger', id))['generalized'];
const knex = () => world().service.strapi.db.connection;

describe('what a stranger is given', () => {
  test.each(['nobody', 'stranger'])(
    'of an obscured encounter, by the contract: %s',
    async (who) => {
      const id = await make({ ...WHOLE, external_id: who, location_privacy: 'obscured' });
      const whole = await readAs('owner', id);
      const given = await readAs(who, id);
      expect(
        Object.keys(whole)
          .filter((name) => !(name in given))
          .sort(),
      ).toEqual([...HIDDEN].sort());
      expect(given).toMatchObject({
        latitude: -2.3,
        longitude: 34.9,
        coordinate_uncertainty: 15_720,
        location_id: 'serengeti',
        time: '2021-06',
        custom_fields: { herd: 'north' },
        generalized: 'obscured',
        sex: 'female',
        license: 'CC0-1.0',
        location_privacy: 'obscured',
        permissions: [],
      });
      expect(given['custom_fields']).toEqual({ herd: 'north' });
    },
  );

  test.each(['nobody', 'stranger'])('of a private encounter: %s', async (who) => {
    const id = await make({ ...WHOLE, external_id: `p${who}`, location_privacy: 'private' });
    const whole = await readAs('owner', id);
    const given = await readAs(who, id);
    expect(
      Object.keys(whole)
        .filter((name) => !(name in given))
        .sort(),
    ).toEqual([...HIDDEN, ...PLACE].sort());
    expect(given).toMatchObject({ time: '2021', generalized: 'private' });
  });

  test('of one that is open is what is stored; and so it is to its owner and moderators', async () => {
    const open = await make({ ...WHOLE, external_id: 'open' });
    const closed = await make({ ...WHOLE, external_id: 'closed', location_privacy: 'private' });
    for (const [who, id] of [
      ['nobody', open],
      ['stranger', open],
      ['owner', closed],
      ['moderator', closed],
    ] as const) {
      const { custom_fields, ...given } = await readAs(who, id);
      const { external_id, custom_fields: custom, ...sent } = WHOLE;
      expect(given).toMatchObject({ ...sent, generalized: null, version: 1 });
      expect([custom_fields, external_id]).toEqual([custom, 'E1']);
    }
  });

  test('in a summary is the time that a read gives', async () => {
    const id = await make({ time: '2021-06-03', location_privacy: 'obscured' });
    const url = `user/${owner}?fields=id&include=encounters`;
    const summaryFor = async (who: string): Promise<unknown> =>
      at(responseOf(await send(who, 'GET', url)), 'included', 'encounter', id, 'display_name');
    expect(await summaryFor('stranger')).toBe('2021-06');
    expect(await summaryFor('owner')).toBe('2021-06-03');
  });
});

describe('the level is the strictest', () => {
  test('of its own, its taxon with all above it, and the site', async () => {
    const order = await taxon({ location_privacy: 'obscured' });
    const family = await taxon({ parent: order });
    const species = await taxon({ parent: family, location_privacy: 'open' });
    const apart = await taxon({ location_privacy: 'private' });
    const synonym = await taxon({ status: 'synonym', accepted: apart });
    const levels: [Json, unknown][] = [
      [{}, null],
      [{ taxonomy: species }, 'obscured'],
      [{ taxonomy: species, location_privacy: 'open' }, 'obscured'],
      [{ taxonomy: species, location_privacy: 'private' }, 'private'],
      [{ taxonomy: apart, location_privacy: 'obscured' }, 'private'],
      [{ taxonomy: synonym }, null],
    ];
    for (const [body, level] of levels) expect(await levelFor(await make(body))).toBe(level);
    const [bare, open] = [await make({}), await make({ location_privacy: 'open' })];
    for (const level of ['obscured', 'private']) {
      await change('site_settings', { default_location_privacy: level });
      expect([await levelFor(bare), await levelFor(open)]).toEqual([level, level]);
      const under = await make({ taxonomy: species, location_privacy: 'open' });
      expect(await levelFor(under)).toBe(level);
    }
    await change('site_settings', { default_location_privacy: 'open' });
    expect(await levelFor(bare)).toBeNull();
  });

  test('as it is now, when a taxon changes or comes under another', async () => {
    const order = await taxon({});
    const species = await taxon({ parent: order });
    const below = await taxon({ parent: species });
    const id = await make({ taxonomy: below });
    const after = async (path: string, body: Json): Promise<unknown> => {
      expect((await change(path, body)).status).toBe(200);
      return levelFor(id);
    };
    expect(await after(`taxonomy/${order}`, { location_privacy: 'private' })).toBe('private');
    expect(await after(`taxonomy/${species}`, { location_privacy: 'obscured' })).toBe('private');
    expect(await after(`taxonomy/${order}`, { location_privacy: null })).toBe('obscured');
    expect(await after(`taxonomy/${species}`, { location_privacy: null })).toBeNull();
    const other = await taxon({ location_privacy: 'private' });
    expect(await after(`taxonomy/${species}`, { parent: other })).toBe('private');
    expect(await after(`taxonomy/${species}`, { parent: null })).toBeNull();
  });

  test('for a taxon that has not been computed, until it is', async () => {
    const species = await taxon({});
    const id = await make({ taxonomy: species });
    const of = { document_id: species };
    await backgroundOf(world().service.strapi).workOff();
    await knex()('taxonomies').where(of).update('effective_privacy', null);
    expect(await levelFor(id)).toBe('private');
    await backgroundOf(world().service.strapi).workOff();
    expect(await levelFor(id)).toBeNull();
  });
});

describe('the encounters of a user', () => {
  test('are in the order of their time as the caller sees it, then of their IDs', async () => {
    const person = await makePerson(world().service);
    callers['lister'] = bearer(await login(world(), person));
    const times: [time: string | null, privacy: string | null][] = [
      ['2021-06-20', 'obscured'],
      ['2021-06-10', null],
      ['2021-06-30', 'private'],
      [null, null],
      ['2021-06-05', 'obscured'],
      ['2020-12-31T23:00Z', null],
      ['2022', 'private'],
      [null, 'obscured'],
      ['2021-06-10', null],
    ];
    const ids: string[] = [];
    for (const [time, location_privacy] of times) {
      const made = await send('lister', 'POST', 'encounter', { time, location_privacy });
      ids.push(String(at(parsed(made.text), 'response', 'id')));
    }
    const listFor = async (who: string): Promise<unknown> =>
      responseOf(await send(who, 'GET', `user/${person.id}`))['encounters'];
    const pick = (...places: (number | number[])[]): unknown[] =>
      places.flatMap((place) =>
        [place]
          .flat()
          .map((one) => ids[one] ?? '')
          .sort()
          .reverse(),
      );
    const exact = pick(6, 2, 0, [1, 8], 4, 5, [3, 7]);
    expect(await listFor('lister')).toEqual(exact);
    expect(await listFor('moderator')).toEqual(exact);
    // June has 0 and 4, from its first day; 2 is of 2021, from its first day.
    const general = pick(6, [1, 8], [0, 4], 2, 5, [3, 7]);
    expect(await listFor('stranger')).toEqual(general);
    expect(await listFor('nobody')).toEqual(general);
  });

  test('do not have what is not generalized as far as it should be, until it is', async () => {
    const person = await makePerson(world().service);
    callers['changer'] = bearer(await login(world(), person));
    const species = await taxon({});
    const make = async (body: Json): Promise<string> =>
      String(at(parsed((await send('changer', 'POST', 'encounter', body)).text), 'response', 'id'));
    const [first, second] = [
      await make({ taxonomy: species, time: '2021-06-03' }),
      await make({ time: '2021-05' }),
    ];
    const url = `user/${person.id}`;
    const listFor = async (who: string): Promise<unknown> =>
      responseOf(await send(who, 'GET', url))['encounters'];
    const both = [first, second];
    const background = backgroundOf(world().service.strapi);
    expect(await listFor('nobody')).toEqual(both);
    // As if the service had ended between the change and what it leaves.
    await settle();
    await change(`taxonomy/${species}`, { location_privacy: 'obscured' });
    await knex()('oms_generalized').where({ document_id: first }).delete();
    expect(await listFor('nobody')).toEqual([second]);
    expect(await listFor('changer')).toEqual(both);
    await knex()('oms_privacy_jobs')
      .insert({ taxon: 0, position: 0, due_at: 0 })
      .onConflict()
      .ignore();
    await background.workOff();
    expect(await listFor('nobody')).toEqual(both);
    await change(`taxonomy/${species}`, { location_privacy: 'private' });
    await settle();
    expect(await listFor('nobody')).toEqual([second, first]);
    const row = knex()('oms_generalized').where({ document_id: first });
    await row.clone().update('level', 1);
    expect(await listFor('nobody')).toEqual([second]);
    await row.clone().update('level', 2);
  });
});

describe('the words of a photograph', () => {
  test('are absent to a stranger while an encounter with it is not open to it', async () => {
    const url = '/api/v0/asset';
    const upload = uploadRequest(
      { bytes: await photograph(), fields: { alt_text: { en: 'By the third tree' } } },
      callers['owner'] ?? {},
    );
    const asset = String(responseOf(await world().send({ ...upload, url }))['id']);
    const textFor = async (who: string): Promise<unknown> =>
      (await readAsset(who, asset))['alt_text'];
    const readAsset = async (who: string, id: string): Promise<Json> =>
      responseOf(await send(who, 'GET', `asset/${id}`));
    const open = await make({ assets: [asset] });
    for (const who of ['nobody', 'stranger', 'owner', 'moderator'])
      expect(await textFor(who)).toEqual({ en: 'By the third tree' });
    const closed = await make({ assets: [asset], location_privacy: 'obscured' });
    for (const who of ['nobody', 'stranger']) {
      expect(await readAsset(who, asset)).not.toHaveProperty('alt_text');
      expect(await readAsset(who, asset)).toMatchObject({ id: asset, mime_type: 'image/jpeg' });
    }
    for (const who of ['owner', 'moderator'])
      expect(await textFor(who)).toEqual({ en: 'By the third tree' });
    await send('owner', 'DELETE', `encounter/${open}`);
    await send('owner', 'PUT', `encounter/${closed}`, { location_privacy: 'open' });
    expect(await textFor('nobody')).toEqual({ en: 'By the third tree' });
  });
});

/** Waits until nothing is left to be done in the background, without the delay for other servers. */
async function settle(): Promise<void> {
  await knex()('oms_privacy_jobs').update('due_at', 0);
  await backgroundOf(world().service.strapi).workOff();
  expect(await knex()('oms_privacy_jobs')).toEqual([]);
}

/** What is kept, and what `rebuild` makes of the same. */
async function keptAndRebuilt(): Promise<[unknown, unknown]> {
  await settle();
  const kept = async (): Promise<unknown> => [
    await knex()('oms_generalized').orderBy('encounter'),
    await knex()('taxonomies').select('id', 'effective_privacy').orderBy('id'),
  ];
  const before = await kept();
  await knex()('oms_generalized').delete();
  await knex()('taxonomies').update('effective_privacy', 7);
  await objectsOf(world().service.strapi).rebuild();
  return [before, await kept()];
}

describe('what is kept', () => {
  test('is what a stranger is given, and what a rebuild gives', async () => {
    const species = await taxon({ location_privacy: 'obscured' });
    const id = await make({ ...WHOLE, external_id: 'kept', taxonomy: species });
    const row = async (): Promise<unknown> =>
      (await knex()('oms_generalized').where({ document_id: id }).first()) ?? null;
    const given = await readAs('stranger', id);
    const place = { latitude: given['latitude'], longitude: given['longitude'] };
    expect(await row()).toMatchObject({
      ...place,
      level: 1,
      time: '2021-06',
      location_id: 'serengeti',
    });
    await send('owner', 'PUT', `encounter/${id}`, { time: '2020-01-05', latitude: 10 });
    expect(await row()).toMatchObject({ time: '2020-01', latitude: 10.1 });
    await send('owner', 'PUT', `encounter/${id}`, { location_privacy: 'private' });
    expect(await row()).toMatchObject({ time: '2020', latitude: null, level: 2 });
    const [kept, rebuilt] = await keptAndRebuilt();
    expect(rebuilt).toEqual(kept);
    await send('owner', 'PUT', `encounter/${id}`, { taxonomy: null, location_privacy: 'open' });
    expect(await row()).toBeNull();
    await send('owner', 'PUT', `encounter/${id}`, { taxonomy: species });
    await send('owner', 'DELETE', `encounter/${id}`);
    expect(await row()).toBeNull();
  });

  test('loses an owner that is deleted', async () => {
    const person = await makePerson(world().service);
    callers['gone'] = bearer(await login(world(), person));
    const made = await send('gone', 'POST', 'encounter', { location_privacy: 'obscured' });
    const id = String(at(parsed(made.text), 'response', 'id'));
    const ownerOf = async (): Promise<unknown> =>
      ((await knex()('oms_generalized').where({ document_id: id }).first()) as Json)['owner'];
    expect(await ownerOf()).not.toBeNull();
    const headers = authorizationOf('administrator');
    const url = `/api/v0/user/${person.id}`;
    expect((await world().send({ method: 'DELETE', url, headers })).text).toContain('true');
    expect(await ownerOf()).toBeNull();
    const [kept, rebuilt] = await keptAndRebuilt();
    expect(rebuilt).toEqual(kept);
  });
});
