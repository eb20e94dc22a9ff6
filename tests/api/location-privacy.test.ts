// @databases sqlite postgres
import { backgroundOf, objectsOf } from '#app/plugins/objects/server';
import { authorizationOf, openToRoles } from '../helpers/callers';
import { testDatabase } from '../helpers/database';
import { at, parsed, type Json } from '../helpers/json';
import { movedClock } from '../helpers/moved-clock';
import { bearer, login, makePerson, responseOf } from '../helpers/people';
import { useSettings, useWorld } from '../helpers/world';
import { testAttack } from './location-privacy/attack';
import { testDecisionMails } from './location-privacy/decision-mails';
import { testFollows } from './location-privacy/follows';
import { testLevels } from './location-privacy/levels';
import { testInvariant } from './location-privacy/invariant';
import { testHiddenNow } from './location-privacy/hidden-now';
import { testTelling } from './location-privacy/telling';
import { testWaiting } from './location-privacy/waiting';
import { testWords } from './location-privacy/words';

const REGIONS = [
  { id: 'serengeti', name: { en: 'Serengeti' }, bbox: [34, -3, 35.5, -1] },
  { id: 'camp', name: { en: 'Camp' }, parent: 'serengeti', bbox: [34.82, -2.34, 34.84, -2.32] },
];
const HERDS = [
  { value: 'north', label: { en: 'North' } },
  { value: 'south', label: { en: 'South' } },
];
const CUSTOM = {
  encounter: [
    {
      key: 'herd',
      type: 'select',
      label: { en: 'Herd' },
      public_when_obscured: true,
      options: HERDS,
    },
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
  verbatim: { habitat: 'forest', identifiedBy: 'Ada', verbatimCoordinates: '1 N 2 E' },
};
/** Absent to strangers, always. */
const HIDDEN = [
  ...['country_code', 'event_id', 'locality', 'elevation', 'depth', 'verbatim_time', 'remarks'],
  ...['tags', 'behavior', 'observers', 'sampling_protocol', 'measurements', 'external_id'],
  ...['review_note', 'version', 'created_at', 'updated_at', 'individual', 'group_size'],
  ...['location_privacy', 'owner', 'organizations', 'source'],
  'verbatim',
];
/** For owner and moderators alone, whatever the level. */
const FOR_OWNER = ['level', 'protected_as', 'told_from'];
const PLACE = ['latitude', 'longitude', 'coordinate_uncertainty', 'location_id'];

const clock = movedClock();
const world = useWorld({ site: { regions: REGIONS, custom_fields: CUSTOM }, clock: clock.now });
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
      ).toEqual([...HIDDEN, ...FOR_OWNER].sort());
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
        assets: [],
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
    ).toEqual([...HIDDEN, ...FOR_OWNER, ...PLACE].sort());
    expect(given).toMatchObject({ time: '2021', generalized: 'private', assets: [] });
  });

  test('of one that is open is what is stored; and so it is to its owner and moderators', async () => {
    const open = await make({ ...WHOLE, external_id: 'open', taxonomy: await taxon({}) });
    const closed = await make({ ...WHOLE, external_id: 'closed', location_privacy: 'private' });
    for (const [who, id] of [
      ['nobody', open],
      ['stranger', open],
      ['owner', closed],
      ['moderator', closed],
    ] as const) {
      const { custom_fields, verbatim, ...given } = await readAs(who, id);
      const { external_id, custom_fields: custom, verbatim: said, ...sent } = WHOLE;
      expect(given).toMatchObject({ ...sent, generalized: null, version: 1 });
      expect([custom_fields, external_id]).toEqual([custom, 'E1']);
      // Of the source's words strangers see those that name no person and no place.
      const isStranger = id === open;
      expect(verbatim).toEqual(isStranger ? { habitat: 'forest' } : said);
    }
  });

  test('in a summary is the time that a read gives, where the site tells who reported it', async () => {
    const id = await make({ time: '2021-06-03', location_privacy: 'obscured' });
    const url = `user/${owner}?fields=id&include=encounters`;
    const summaryFor = async (who: string): Promise<unknown> =>
      at(responseOf(await send(who, 'GET', url)), 'included', 'encounter', id, 'display_name');
    expect(await summaryFor('stranger')).toBeUndefined();
    await change('site_settings', { show_owner_when_hidden: true });
    expect(await summaryFor('stranger')).toBe('2021-06');
    expect(await summaryFor('owner')).toBe('2021-06-03');
    expect(await readAs('stranger', id)).toMatchObject({ owner, organizations: [], source: null });
    await change(`encounter/${id}`, { location_privacy: 'private' });
    expect(await readAs('stranger', id)).not.toHaveProperty('owner');
    await change('site_settings', { show_owner_when_hidden: false });
  });

  test.each([
    ['picture', 'private'],
    ['both', 'obscured'],
    ['place', 'obscured'],
  ])('of the place or the photographs is what the site chooses: %s', async (tells, generalized) => {
    const id = await make({ ...WHOLE, external_id: tells, location_privacy: 'obscured' });
    await change('site_settings', { hidden_tells: tells });
    try {
      await settle();
      const given = await readAs('stranger', id);
      const isPlace = tells !== 'picture';
      expect([given['generalized'], 'latitude' in given]).toEqual([generalized, isPlace]);
      const found = async (query: string): Promise<unknown> =>
        at(
          parsed((await send('nobody', 'GET', `search/encounter?id=${id}${query}`)).text),
          'matches',
        );
      expect(await found('&bbox=34.8,-2.4,35,-2.2')).toEqual(isPlace ? [id] : []);
      expect(await found('&time_max=2021-06')).toEqual([id]);
      expect(await found('&time_min=2021-07')).toEqual(isPlace ? [] : [id]);
      expect(await readAs('owner', id)).toMatchObject({ level: 'obscured', generalized: null });
    } finally {
      await change('site_settings', { hidden_tells: 'place' });
    }
  });
});

describe('the level is the strictest', () => {
  test('of its own, its taxon with all that it inherits, and the site', async () => {
    const order = await taxon({ location_privacy: 'obscured' });
    const family = await taxon({ parent: order });
    const species = await taxon({ parent: family, location_privacy: 'open' });
    const apart = await taxon({ location_privacy: 'private' });
    const synonym = await taxon({ status: 'synonym', accepted: apart });
    const belowSynonym = await taxon({ parent: synonym });
    const open = await taxon({});
    const levels: [Json, unknown][] = [
      [{ taxonomy: open }, null],
      [{ taxonomy: species }, 'obscured'],
      [{ taxonomy: species, location_privacy: 'open' }, 'obscured'],
      [{ taxonomy: species, location_privacy: 'private' }, 'private'],
      [{ taxonomy: apart, location_privacy: 'obscured' }, 'private'],
      [{ taxonomy: synonym }, 'private'],
      [{ taxonomy: belowSynonym }, 'private'],
    ];
    for (const [body, level] of levels) expect(await levelFor(await make(body))).toBe(level);
    const [bare, own] = [
      await make({ taxonomy: open }),
      await make({ taxonomy: open, location_privacy: 'open' }),
    ];
    for (const level of ['obscured', 'private']) {
      await change('site_settings', { default_location_privacy: level });
      expect([await levelFor(bare), await levelFor(own)]).toEqual([level, level]);
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
    const synonym = await make({ taxonomy: await taxon({ status: 'synonym', accepted: order }) });
    expect(await after(`taxonomy/${order}`, { location_privacy: 'private' })).toBe('private');
    expect(await levelFor(synonym)).toBe('private');
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
  useSettings(world, { show_owner_when_hidden: true });

  test('are in the order of their time as the caller sees it, then of their IDs', async () => {
    const person = await makePerson(world().service);
    callers['lister'] = bearer(await login(world(), person));
    const open = await taxon({});
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
      const made = await send('lister', 'POST', 'encounter', {
        taxonomy: open,
        time,
        location_privacy,
      });
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
    // June has 0 and 4, from its first day; who reported 2 and 6, which are private, is never told.
    const general = pick([1, 8], [0, 4], 5, [3, 7]);
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
      await make({ taxonomy: await taxon({}), time: '2021-05' }),
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
      .insert({ kind: 'all', target: 0, position: 0, due_at: 0 })
      .onConflict()
      .ignore();
    await background.workOff();
    expect(await listFor('nobody')).toEqual(both);
    await change(`taxonomy/${species}`, { location_privacy: 'private' });
    expect(await listFor('nobody')).toEqual([second]);
    await settle();
    expect(await listFor('nobody')).toEqual([second]);
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
    await knex()('taxonomies').select('id', 'effective_privacy', 'protected_below').orderBy('id'),
  ];
  const before = await kept();
  await knex()('oms_generalized').delete();
  await knex()('taxonomies').update({ effective_privacy: 7, protected_below: 7 });
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
    const open = await taxon({});
    await send('owner', 'PUT', `encounter/${id}`, { taxonomy: open, location_privacy: 'open' });
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

testLevels(world, callers, settle);
testFollows(world, callers, settle);
testHiddenNow(world, callers, settle);
testWaiting(world, callers, settle);
testTelling(world, clock, settle);
testDecisionMails(world, clock);
testInvariant(world, settle);
// An attacker has answers alone, which are the same on both databases (`two-worlds.test.ts`).
if (testDatabase === 'sqlite') testAttack(world, settle);

testWords(world);
