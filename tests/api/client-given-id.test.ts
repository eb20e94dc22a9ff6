// @databases sqlite postgres
import { createHash } from 'node:crypto';
import { uuid } from '../helpers/ids';
import { parsed, at } from '../helpers/json';
import { runScenarios } from '../helpers/scenario';
import { useWorld } from '../helpers/world';

const world = useWorld();
const url = '/api/v0/encounter';
const MADE = uuid(0xaaa);

describe('an ID that the caller gives', () => {
  test('is the ID of the object, in lower case', async () => {
    const id = 'ABCDEF00-0000-4000-8000-00000000000A';
    expect(await world().create('encounter', { id })).toBe(id.toLowerCase());
    expect(await world().read('encounter', id)).toMatchObject({ id: id.toLowerCase() });
  });

  test.each([1, 3, 4, 5, 6, 7, 8])('may be a UUID of version %d', async (version) => {
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

    test('is kept as a hash', async () => {
      const hashes = await world().service.strapi.db.connection('oms_deleted_ids').select();
      expect(hashes).toContainEqual({ hash: createHash('sha256').update(id).digest('hex') });
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
