import { idsOf } from '../../helpers/ids';
import { at, parsed, type Json } from '../../helpers/json';
import { hashOf } from '../../helpers/people';
import { runScenarios, type Scenario } from '../../helpers/scenario';
import { historyOf } from '../../helpers/snapshot';
import type { World } from '../../helpers/world';

const uuid = idsOf(1);

/** The creation of encounters, on a shared service. */
export function testCreate(world: () => World): void {
  const url = '/api/v0/encounter';
  const ZEBRA = uuid(1);

  /** Every field that can be written, with a value that is kept as it is. */
  const WHOLE: Json = {
    owner: null,
    submitter_email: 'reporter@example.org',
    event_id: uuid(0xe),
    individual: null,
    taxonomy: ZEBRA,
    organizations: [],
    time: '2021-06-03T14:05+02:00/2021-06-03T15:00+02:00',
    verbatim_time: 'after lunch',
    latitude: -1.2921,
    longitude: 36.8219,
    coordinate_uncertainty: 12.5,
    location_id: null,
    locality: 'by the water hole',
    country_code: 'KE',
    elevation: 1795,
    depth: 0,
    location_privacy: 'private',
    sex: 'female',
    life_stage: 'adult',
    living_status: 'alive',
    group_size: 3,
    behavior: 'drinking',
    basis_of_record: 'machine_observation',
    observers: ['Wangari', 'Zoë'],
    sampling_protocol: 'camera trap',
    measurements: [{ type: 'mass', value: 300.5, unit: 'kg' }],
    tags: ['night', 'water'],
    remarks: 'first line\nsecond line',
    assets: [],
    license: 'CC-BY-4.0',
    source: 'package-1',
    external_id: 'obs-1',
    custom_fields: {},
    verbatim: { habitat: 'reed bed', identifiedBy: 'A. Roe' },
  };

  /** What an encounter is of which nothing was said. */
  const NOTHING: Json = {
    ...Object.fromEntries(Object.keys(WHOLE).map((name) => [name, null])),
    organizations: [],
    location_privacy: null,
    basis_of_record: 'human_observation',
    observers: [],
    measurements: [],
    tags: [],
    assets: [],
    custom_fields: {},
  };

  beforeAll(() =>
    world().create('taxonomy', { id: ZEBRA, scientific_name: 'Equus zebra', rank: 'species' }),
  );

  describe('creating an encounter', () => {
    const ofTheService = {
      ...{ version: 1, state: 'approved', generalized: null, review_note: null },
      protected_as: null,
      told_from: expect.any(String) as string,
    };

    test('keeps every field as it was given', async () => {
      const id = await world().create('encounter', WHOLE);
      const read = await world().read('encounter', id);
      expect(read).toEqual({
        id,
        ...WHOLE,
        ...ofTheService,
        level: 'private',
        created_at: expect.any(String) as string,
        updated_at: read['created_at'],
        permissions: ['update', 'delete', 'review'],
      });
      expect(Math.abs(Date.parse(String(read['created_at'])) - Date.now())).toBeLessThan(60_000);
    });

    test.each([
      ['no body', {}],
      ['an empty object', { body: {} }],
      ['an empty body of another type', { raw: '', headers: { 'Content-Type': 'text/plain' } }],
    ])('takes %s for an encounter of which nothing is known', async (_, rest) => {
      const answer = await world().send({ method: 'POST', url, ...rest });
      const { response } = JSON.parse(answer.text) as { response: { id: string } };
      const read = await world().read('encounter', response.id);
      expect(read).toMatchObject({ ...NOTHING, ...ofTheService });
    });

    test('takes null for each field that may be null', async () => {
      const nulls = Object.fromEntries(Object.keys(WHOLE).map((name) => [name, null]));
      const id = await world().create('encounter', { id: null, ...nulls });
      expect(await world().read('encounter', id)).toMatchObject({
        ...NOTHING,
        ...ofTheService,
        basis_of_record: null,
      });
    });

    test('answers the ID, a UUID of version 4, and nothing else', async () => {
      const answer = await world().send({ method: 'POST', url, body: {} });
      const { response } = JSON.parse(answer.text) as { response: Record<string, string> };
      expect(Object.keys(response)).toEqual(['id']);
      expect(response['id']).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]/);
      expect(answer.headers).toMatchObject({ 'cache-control': 'private, no-store' });
    });

    test('writes what was given into the history, and nothing of what was not', async () => {
      const id = await world().create('encounter', { locality: 'here', tags: ['a'] });
      const history = await historyOf(world().service, id);
      expect(history).toMatchObject([
        { type: 'encounter', object: id, version: 1, action: 'create', actor_kind: 'user' },
      ]);
      expect(history[0]?.changes).toEqual(
        expect.arrayContaining([
          { path: 'locality', before: null, after: 'here' },
          { path: 'tags', before: [], after: ['a'] },
          { path: 'state', before: null, after: 'approved' },
        ]),
      );
      expect(history[0]?.changes.map(({ path }) => path).sort()).toEqual(
        ['basis_of_record', 'locality', 'state', 'tags', 'told_from'].sort(),
      );
    });

    test.each<[string, number, number]>([
      ['2021', Date.UTC(2021, 0), Date.UTC(2022, 0) - 1],
      ['2020-02', Date.UTC(2020, 1), Date.UTC(2020, 2) - 1],
      ['2021-06-03', Date.UTC(2021, 5, 3), Date.UTC(2021, 5, 4) - 1],
      ['2021-06-03T14:05+02:00', Date.UTC(2021, 5, 3, 14, 5), Date.UTC(2021, 5, 3, 14, 5)],
      ['2021-06-03T14:05', Date.UTC(2021, 5, 3, 14, 5), Date.UTC(2021, 5, 3, 14, 5)],
      ['2020/2021-03', Date.UTC(2020, 0), Date.UTC(2021, 3) - 1],
    ])('knows from when to when %s is', async (time, start, end) => {
      const id = await world().create('encounter', { time });
      const [row] = await world()
        .service.strapi.db.connection<Record<string, unknown>>('encounters')
        .where({ document_id: id })
        .select('time_start', 'time_end');
      expect(Object.values(row ?? {}).map(Number)).toEqual([start, end]);
    });

    const malformed = (invalid: Scenario['expect']['invalid']): Scenario['expect'] => ({
      status: 400,
      key: 'MALFORMED',
      args: {},
      ...(invalid ? { invalid } : {}),
    });

    runScenarios(world, [
      {
        name: 'names all that is wrong at once: of the call, the fields, the references and the rules',
        method: 'POST',
        url: `${url}?dry=1`,
        body: {
          id: 'x',
          version: 3,
          nope: 1,
          permissions: ['update'],
          latitude: 91,
          locality: 5,
          time: 'yesterday',
          taxonomy: uuid(0xdead),
          owner: uuid(0xdead),
          location_id: 'nowhere',
          custom_fields: { mood: 'good' },
          tags: ['fine', ''],
          measurements: [{ type: 'mass' }],
          sex: 'both',
          state: 'approved',
        },
        expect: malformed([
          ['dry', 'UNKNOWN'],
          ['id', 'FORMAT', { expected: 'uuid' }],
          ['version', 'NOT_WRITABLE'],
          ['nope', 'UNKNOWN'],
          ['permissions', 'NOT_WRITABLE'],
          ['latitude', 'TOO_LARGE', { value: 91, max: 90 }],
          ['locality', 'TYPE', { expected: 'string' }],
          ['time', 'FORMAT', { expected: 'edtf' }],
          ['taxonomy', 'NO_SUCH', { type: 'taxonomy' }],
          ['owner', 'NO_SUCH', { type: 'user' }],
          ['location_id', 'NO_SUCH', { type: 'region' }],
          ['custom_fields.mood', 'UNKNOWN'],
          ['tags.1', 'TOO_SHORT', { min: 1 }],
          ['measurements.0.value', 'REQUIRED'],
          ['sex', 'NOT_ONE_OF', { allowed: ['male', 'female', 'unknown'] }],
          ['state', 'NOT_WRITABLE'],
        ]),
      },
      {
        name: 'wants a longitude with a latitude',
        method: 'POST',
        url,
        body: { latitude: 1 },
        expect: malformed([['longitude', 'REQUIRED']]),
      },
      {
        name: 'wants a latitude with a longitude',
        method: 'POST',
        url,
        body: { latitude: null, longitude: 1 },
        expect: malformed([['latitude', 'REQUIRED']]),
      },
      {
        name: 'takes names of every JavaScript object for unknown ones',
        method: 'POST',
        url,
        body: { constructor: 1, toString: 2, hasOwnProperty: 3, valueOf: {} },
        expect: malformed([
          ['constructor', 'UNKNOWN'],
          ['toString', 'UNKNOWN'],
          ['hasOwnProperty', 'UNKNOWN'],
          ['valueOf', 'UNKNOWN'],
        ]),
      },
      {
        name: 'takes a number beyond all bounds for no number',
        method: 'POST',
        url,
        raw: '{"latitude": 1e400, "longitude": -1e400}',
        headers: { 'Content-Type': 'application/json' },
        expect: malformed([
          ['latitude', 'TYPE', { expected: 'number' }],
          ['longitude', 'TYPE', { expected: 'number' }],
        ]),
      },
      {
        name: 'takes a whole number that is written with an exponent or a fraction',
        method: 'POST',
        url,
        raw: '{"group_size": 1.0e1}',
        headers: { 'Content-Type': 'application/json' },
        expect: { status: 200 },
      },
      ...['[]', 'null', '5', '"text"', 'true'].map((raw): Scenario => ({
        name: `takes ${raw} for no object`,
        method: 'POST',
        url,
        raw,
        headers: { 'Content-Type': 'application/json' },
        expect: malformed([['', 'TYPE', { expected: 'object' }]]),
      })),
    ]);
  });

  describe('the key of an import', () => {
    const SEEN = uuid(0x5ee);
    beforeAll(() => world().create('encounter', { id: SEEN, source: 'here', external_id: 'A' }));

    runScenarios(world, [
      {
        name: 'is taken once per source',
        method: 'POST',
        url,
        body: { source: 'here', external_id: 'A' },
        expect: {
          status: 400,
          key: 'ENTITY_EXISTS',
          args: { type: 'encounter', path: 'external_id' },
          invalid: [['external_id', 'TAKEN']],
        },
      },
      {
        name: 'is taken beside whatever else is wrong',
        method: 'POST',
        url,
        body: { source: 'here', external_id: 'A', nope: 1 },
        expect: {
          status: 400,
          key: 'MALFORMED',
          invalid: [
            ['external_id', 'TAKEN'],
            ['nope', 'UNKNOWN'],
          ],
        },
      },
      {
        name: 'is that of the source as it is kept',
        method: 'POST',
        url,
        body: { source: ' here ', external_id: ' A' },
        expect: { status: 400, key: 'ENTITY_EXISTS', invalid: [['external_id', 'TAKEN']] },
      },
      {
        name: 'differs by case',
        method: 'POST',
        url,
        body: { source: 'Here', external_id: 'A' },
        expect: { status: 200 },
      },
      {
        name: 'is another in another source',
        method: 'POST',
        url,
        body: { source: 'there', external_id: 'A' },
        expect: { status: 200 },
      },
      ...['first', 'second'].flatMap((name): Scenario[] => [
        {
          name: `is none without a source and an owner (${name})`,
          method: 'POST',
          url,
          body: { external_id: 'A' },
          expect: { status: 200 },
        },
        {
          name: `is none without an external ID (${name})`,
          method: 'POST',
          url,
          body: { source: 'here' },
          expect: { status: 200 },
        },
      ]),
      {
        name: 'may be as long as both fields allow',
        method: 'POST',
        url,
        body: { source: 's'.repeat(255), external_id: 'e'.repeat(255) },
        expect: { status: 200 },
      },
      {
        name: 'is compared to its end',
        method: 'POST',
        url,
        body: { source: 's'.repeat(255), external_id: `${'e'.repeat(254)}f` },
        expect: { status: 200 },
      },
    ]);
  });

  describe('an ID that the caller gives', () => {
    const MADE = uuid(0xaaa);

    test('is the ID of the object, in lower case', async () => {
      const id = 'ABCDEF00-0000-4000-8000-00000000000A';
      expect(await world().create('encounter', { id })).toBe(id.toLowerCase());
      expect(await world().read('encounter', id)).toMatchObject({ id: id.toLowerCase() });
    });

    test.each([1, 2, 6, 7])('may be no UUID of version %d, which tells a time', async (version) => {
      const id = `0190163d-8694-${version}39b-aea5-966c26f8ad91`;
      const answer = await world().send({ method: 'POST', url, body: { id } });
      expect([answer.status, at(parsed(answer.text), 'response')]).toEqual([
        400,
        {
          invalid: [{ path: 'id', key: 'API_RESPONSE_FORMAT', args: { expected: 'untimed_uuid' } }],
        },
      ]);
    });

    test.each([3, 4, 5, 8])('may be a UUID of version %d', async (version) => {
      const id = `0190163d-8694-${version}39b-aea5-966c26f8ad91`;
      expect(await world().create('encounter', { id })).toBe(id);
    });

    test('makes one object, however often the same call is sent', async () => {
      const body = { id: uuid(0xbbb), locality: 'once' };
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => world().send({ method: 'POST', url, body })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([
        200,
        ...Array<number>(19).fill(400),
      ]);
      for (const { status, text } of answers) {
        if (status === 200) continue;
        expect(at(parsed(text), 'message')).toMatchObject({
          key: 'API_RESPONSE_ENTITY_EXISTS',
          args: { type: 'encounter', id: body.id },
        });
      }
      expect(await world().read('encounter', body.id)).toMatchObject({ version: 1 });
    });

    describe('of an object that was deleted', () => {
      const id = uuid(0xccc);
      beforeAll(async () => {
        await world().create('encounter', { id });
        await world().send({ method: 'DELETE', url: `${url}/${id}` });
      });

      runScenarios(
        world,
        ['encounter', 'taxonomy'].map((type) => ({
          name: `is that of no other ${type}`,
          method: 'POST',
          url: `/api/v0/${type}`,
          body: { id, ...(type === 'taxonomy' ? { scientific_name: 'Equus' } : {}) },
          expect: { status: 400, key: 'MALFORMED', invalid: [['id', 'FORMAT']] as const },
        })),
      );

      test('is known from the history, and stored nowhere else', async () => {
        const history = await historyOf(world().service, id);
        expect(history.map(({ action }) => action)).toEqual(['create', 'delete']);
        const hashes = await world().service.strapi.db.connection('oms_deleted_ids').select();
        expect(hashes).not.toContainEqual({ hash: hashOf(id) });
      });
    });

    describe('that something has already', () => {
      beforeAll(() => world().create('encounter', { id: MADE, locality: 'first' }));

      const exists = {
        status: 400,
        key: 'ENTITY_EXISTS',
        args: { type: 'encounter', id: MADE },
        invalid: [['id', 'TAKEN']] as const,
      };

      runScenarios(world, [
        { name: 'is refused', method: 'POST', url, body: { id: MADE }, expect: exists },
        {
          name: 'is refused in upper case',
          method: 'POST',
          url,
          body: { id: MADE.toUpperCase() },
          expect: exists,
        },
        {
          name: 'is refused with what else is wrong',
          method: 'POST',
          url,
          body: { id: MADE, nope: 1 },
          expect: {
            status: 400,
            key: 'MALFORMED',
            invalid: [
              ['id', 'TAKEN'],
              ['nope', 'UNKNOWN'],
            ],
          },
        },
        {
          name: 'is free in another type',
          method: 'POST',
          url: '/api/v0/taxonomy',
          body: { id: MADE, scientific_name: 'Another type' },
          expect: { status: 200, response: { id: MADE } },
        },
        {
          name: 'cannot be changed',
          method: 'PUT',
          url: `${url}/${MADE}`,
          body: { id: uuid(0xddd) },
          expect: { status: 400, key: 'MALFORMED', invalid: [['id', 'NOT_WRITABLE']] },
        },
      ]);
    });

    runScenarios(
      world,
      [
        '',
        'x',
        '1',
        '00000000-0000-0000-0000-000000000000',
        'ffffffff-ffff-ffff-ffff-ffffffffffff',
        'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
        '0190163d-8694-039b-aea5-966c26f8ad91',
        '0190163d-8694-739b-1ea5-966c26f8ad91',
        '0190163d8694739baea5966c26f8ad91',
      ].map((id) => ({
        name: `is malformed when it is "${id}"`,
        method: 'POST',
        url,
        body: { id },
        expect: {
          status: 400,
          key: 'MALFORMED',
          invalid: [['id', 'FORMAT', { expected: 'uuid' }]],
        },
      })),
    );
  });
}
