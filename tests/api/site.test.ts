import { changeSettings } from '#app/api/site-settings/setup';
import { siteOf } from '#app/plugins/objects/server';
import { uuid } from '../helpers/ids';
import type { Json } from '../helpers/json';
import { play, runScenarios, type Fault, type Scenario } from '../helpers/scenario';
import { useWorld } from '../helpers/world';

const option = (value: string) => ({ value, label: { en: value } });

const site: Json = {
  review_encounters: true,
  default_location_privacy: 'obscured',
  regions: [
    { id: 'kenya', name: { en: 'Kenya' } },
    { id: 'mara', name: { en: 'Maasai Mara' }, parent: 'kenya' },
  ],
  custom_fields: {
    encounter: [
      { key: 'note', type: 'string', label: {} },
      { key: 'score', type: 'number', label: {} },
      { key: 'count', type: 'integer', label: {} },
      { key: 'seen_again', type: 'boolean', label: {} },
      { key: 'checked_on', type: 'date', label: {} },
      { key: 'mood', type: 'select', label: {}, options: [option('calm'), option('alert')] },
      { key: 'marks', type: 'multiselect', label: {}, options: [option('scar'), option('collar')] },
      { key: 'observer', type: 'string', label: {}, required: true },
    ],
  },
};

const world = useWorld({ anonymousActsAs: 'administrator', site });
const url = '/api/v0/encounter';
const required: Json = { custom_fields: { observer: 'W' } };
const [SEEN, PRIVATE] = [uuid(1), uuid(3)];

beforeAll(async () => {
  await world().create('taxonomy', {
    id: PRIVATE,
    scientific_name: 'Private',
    location_privacy: 'private',
  });
  await world().create('encounter', { id: SEEN, ...required });
});

describe('the review of encounters', () => {
  test('is waited for where the site asks for one', async () => {
    expect(await world().read('encounter', SEEN)).toMatchObject({ state: 'pending' });
  });

  test('is not started anew by a change', async () => {
    await world().update('encounter', SEEN, { remarks: 'x' });
    expect(await world().read('encounter', SEEN)).toMatchObject({ state: 'pending' });
  });
});

describe('the location privacy', () => {
  test('is null unless somebody has given it, whatever the taxon and the site say', async () => {
    const id = await world().create('encounter', { taxonomy: PRIVATE, ...required });
    expect(await world().read('encounter', id)).toMatchObject({ location_privacy: null });
    await world().update('encounter', id, { location_privacy: 'open' });
    expect(await world().read('encounter', id)).toMatchObject({ location_privacy: 'open' });
    await world().update('encounter', id, { location_privacy: null });
    expect(await world().read('encounter', id)).toMatchObject({ location_privacy: null });
  });
});

describe('regions', () => {
  test.each(['kenya', 'mara'])('%s is kept', async (location_id) => {
    const id = await world().create('encounter', { location_id, ...required });
    expect(await world().read('encounter', id)).toMatchObject({ location_id });
  });

  runScenarios(
    world,
    ['Kenya', 'nairobi', 'constructor'].map((location_id) => ({
      name: `${location_id} is none`,
      method: 'PUT',
      url: `${url}/${SEEN}`,
      body: { location_id },
      expect: {
        status: 400,
        key: 'MALFORMED',
        invalid: [['location_id', 'NO_SUCH', { type: 'region' }]],
      },
    })),
  );
});

describe('what the settings said once', () => {
  const { regions, custom_fields: fields } = site as {
    readonly regions: readonly Json[];
    readonly custom_fields: { readonly encounter: readonly Json[] };
  };
  const settle = (settings: object): Promise<void> =>
    changeSettings(world().service.strapi, settings as Json);
  const retired = fields.encounter.map((field) =>
    ['note', 'observer'].includes(String(field['key'])) ? { ...field, retired: true } : field,
  );
  afterEach(() => settle({ regions, custom_fields: fields }));

  test('stays in a record, is taken again as it is, and goes by null', async () => {
    const values = { observer: 'W', note: 'old', score: 1 };
    const id = await world().create('encounter', { custom_fields: values });
    const read = async () => (await world().read('encounter', id))['custom_fields'];
    await settle({ custom_fields: { encounter: retired } });

    // A form shows the score alone.
    await world().update('encounter', id, { custom_fields: { score: 2 } });
    expect(await read()).toEqual({ observer: 'W', note: 'old', score: 2 });
    await world().update('encounter', id, { custom_fields: { ...values, score: 3 } });
    expect(await read()).toEqual({ ...values, score: 3 });
    await play(world(), {
      name: 'no new value',
      method: 'PUT',
      url: `${url}/${id}`,
      body: { custom_fields: { note: 'new' } },
      expect: {
        status: 400,
        key: 'MALFORMED',
        invalid: [['custom_fields.note', 'NOT_WRITABLE', {}]],
      },
    });
    await world().update('encounter', id, { custom_fields: { note: null } });
    expect(await read()).toEqual({ observer: 'W' });
  });

  test('is not required of a new record', async () => {
    await settle({ custom_fields: { encounter: retired } });
    const id = await world().create('encounter', {});
    expect((await world().read('encounter', id))['custom_fields']).toEqual({});
  });

  test('stays in a record when its key is gone: of a region, and of a field', async () => {
    const id = await world().create('encounter', {
      location_id: 'mara',
      custom_fields: { observer: 'W', mood: 'calm' },
    });
    // As by a record that was made while the settings were being changed.
    const { strapi } = world().service;
    const gone = { regions: '[]', custom_fields: '{}' };
    await strapi.db.connection('site_settings').update(gone);
    await siteOf(strapi).load();
    const { location_id = null, custom_fields = null } = await world().read('encounter', id);
    await world().update('encounter', id, { remarks: 'x', location_id, custom_fields });
    expect(await world().read('encounter', id)).toMatchObject({
      remarks: 'x',
      location_id: 'mara',
      custom_fields: { observer: 'W', mood: 'calm' },
    });
  });
});

describe('custom fields', () => {
  test.each<[string, Json]>([
    ['texts', { note: 'a\nb' }],
    ['numbers', { score: 1.5, count: -3 }],
    ['truths', { seen_again: false }],
    ['days', { checked_on: '2020-02-29' }],
    ['choices', { mood: 'calm', marks: ['scar', 'collar'] }],
    ['empty choices', { marks: [] }],
    ['long texts', { note: '\u{1F993}'.repeat(10_000) }],
  ])('hold %s', async (_, values) => {
    const custom_fields = { observer: 'W', ...values };
    const id = await world().create('encounter', { custom_fields });
    expect(await world().read('encounter', id)).toMatchObject({ custom_fields });
  });

  test('are tidied like any text', async () => {
    const id = await world().create('encounter', {
      custom_fields: { observer: ' Zoe\u0308 ', note: 'a\r\nb' },
    });
    expect(await world().read('encounter', id)).toMatchObject({
      custom_fields: { observer: 'Zo\u00eb', note: 'a\nb' },
    });
  });

  test('are replaced as a whole, and untouched when absent', async () => {
    const id = await world().create('encounter', {
      custom_fields: { observer: 'W', note: 'x' },
    });
    await world().update('encounter', id, { remarks: 'y' });
    expect(await world().read('encounter', id)).toMatchObject({
      custom_fields: { observer: 'W', note: 'x' },
    });
    await world().update('encounter', id, { custom_fields: { observer: 'V' } });
    expect((await world().read('encounter', id))['custom_fields']).toEqual({ observer: 'V' });
  });

  const refused = (name: string, values: unknown, ...faults: Fault[]): Scenario => ({
    name,
    method: 'PUT',
    url: `${url}/${SEEN}`,
    body: { custom_fields: values },
    expect: {
      status: 400,
      key: 'MALFORMED',
      invalid: faults.map(([path, key, args]) =>
        args === undefined ? [`custom_fields.${path}`, key] : [`custom_fields.${path}`, key, args],
      ),
    },
  });

  runScenarios(world, [
    {
      name: 'that are required are required on create',
      method: 'POST',
      url,
      body: {},
      expect: {
        status: 400,
        key: 'MALFORMED',
        invalid: [['custom_fields.observer', 'REQUIRED', {}]],
      },
    },
    refused('that are required may not be emptied', {}, ['observer', 'REQUIRED']),
    refused('that are required may not be null', { observer: null }, ['observer', 'REQUIRED']),
    refused(
      'name all that is wrong at once',
      {
        nope: 1,
        constructor: 1,
        note: 5,
        score: '1',
        count: 1.5,
        seen_again: 'yes',
        checked_on: '2021-02-29',
        mood: 'angry',
        marks: ['scar', 'hat'],
      },
      ['nope', 'UNKNOWN'],
      ['constructor', 'UNKNOWN'],
      ['note', 'TYPE', { expected: 'string' }],
      ['score', 'TYPE', { expected: 'number' }],
      ['count', 'TYPE', { expected: 'integer' }],
      ['seen_again', 'TYPE', { expected: 'boolean' }],
      ['checked_on', 'FORMAT', { expected: 'date' }],
      ['mood', 'NOT_ONE_OF', { allowed: ['calm', 'alert'] }],
      ['marks', 'NOT_ONE_OF', { allowed: ['scar', 'collar'] }],
      ['observer', 'REQUIRED'],
    ),
    refused(
      'have their bounds',
      { observer: 'W', note: 'a'.repeat(10_001), checked_on: '2021-06', marks: 'scar' },
      ['note', 'TOO_LONG', { max: 10_000 }],
      ['checked_on', 'FORMAT'],
      ['marks', 'TYPE', { expected: 'array' }],
    ),
    refused('hold no null where a list is meant', { observer: 'W', marks: [null] }, [
      'marks',
      'NOT_ONE_OF',
    ]),
  ]);
});
