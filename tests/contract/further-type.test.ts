import { join } from 'node:path';
import { copyApp, type AppCopy } from '../helpers/app-copy';
import { ACCOUNTS } from '../helpers/callers';
import { documentsOf } from '../helpers/documents';
import { uuid } from '../helpers/ids';
import { asObject, at, parsed } from '../helpers/json';
import { play, type Scenario } from '../helpers/scenario';
import { historyOf } from '../helpers/snapshot';
import { useWorld } from '../helpers/world';
import { describeCamera } from './camera';
import { addCloudCover, describeFurtherField } from './further-field';
import { describeRelations } from './relations';

/** A further type is new files under `src/api`, a further field two lines. */
const FIXTURES = join(__dirname, '..', 'fixtures');
const ZEBRA = uuid(1);
const url = '/api/v0/herd';

let copy: AppCopy;
beforeAll(() => {
  copy = copyApp();
  copy.addApi('herd', join(FIXTURES, 'herd'));
  copy.addApi('camera', join(FIXTURES, 'camera'));
  addCloudCover(copy);
});
const world = useWorld(() => ({ ...copy.options, as: 'administrator' }));
beforeAll(() => world().create('taxonomy', { id: ZEBRA, scientific_name: 'Equus quagga' }));
afterAll(() => copy.remove());

describe('a further type', () => {
  test('is in the OpenAPI document, with its five calls', () => {
    const { document } = world();
    expect(Object.keys(asObject(at(document, 'paths', url)))).toEqual(['post']);
    expect(Object.keys(asObject(at(document, 'paths', `${url}/{id}`))).sort()).toEqual(
      ['delete', 'get', 'put'].sort(),
    );
    expect(Object.keys(asObject(at(document, 'paths', `${url}/{id}/history`)))).toEqual(['get']);
    expect(at(document, 'components', 'schemas', 'HerdCreate')).toMatchObject({
      required: ['name'],
      unevaluatedProperties: false,
      allOf: [{ $ref: '#/components/schemas/HerdFields' }],
    });
    expect(at(document, 'components', 'schemas', 'HerdFields', 'properties', 'sex')).toMatchObject({
      enum: ['male', 'female', 'unknown', null],
    });
  });

  test('is created, read, updated and deleted', async () => {
    const body = { name: ' Zoe\u0308 ', sex: 'female', taxonomy: ZEBRA };
    const id = await world().create('herd', body);
    const read = await world().read('herd', id, '?include=taxonomy');
    expect(read).toMatchObject({
      id,
      version: 1,
      name: 'Zo\u00eb',
      sex: 'female',
      remarks: null,
      taxonomy: ZEBRA,
      permissions: ['update', 'delete'],
      included: { taxonomy: { [ZEBRA]: { id: ZEBRA, display_name: 'Equus quagga' } } },
    });
    await world().update('herd', id, { name: 'Zora', sex: null });
    expect(await world().read('herd', id)).toMatchObject({
      version: 2,
      name: 'Zora',
      sex: null,
    });
    await world().send({ method: 'DELETE', url: `${url}/${id}` });
    expect((await world().send({ method: 'GET', url: `${url}/${id}` })).status).toBe(402);
    const history = await historyOf(world().service, id);
    expect(history.map(({ type, action }) => [type, action])).toEqual([
      ['herd', 'create'],
      ['herd', 'update'],
      ['herd', 'delete'],
    ]);
    const { text } = await world().send({ method: 'GET', url: `${url}/${id}/history?limit=2` });
    expect(at(parsed(text), 'response', 'history')).toMatchObject([
      { action: 'delete', version: 2, changes: expect.any(Array) as unknown },
      { action: 'update', version: 2, changes: [{ path: 'name', after: 'Zora' }, {}] },
    ]);
  });

  const refused = (name: string, rest: Pick<Scenario, 'body' | 'expect'>): Scenario => ({
    name,
    method: 'POST',
    url,
    ...rest,
  });
  test.each([
    refused('wants its name', {
      body: {},
      expect: { status: 400, key: 'MALFORMED', invalid: [['name', 'REQUIRED']] },
    }),
    refused('names all that is wrong', {
      body: { name: 'n'.repeat(121), sex: 'x', taxonomy: uuid(0xdead), stripes: 5 },
      expect: {
        status: 400,
        key: 'MALFORMED',
        invalid: [
          ['name', 'TOO_LONG', { max: 120 }],
          ['sex', 'NOT_ONE_OF'],
          ['taxonomy', 'NO_SUCH', { type: 'taxonomy' }],
          ['stripes', 'UNKNOWN'],
        ],
      },
    }),
  ])('$name', async (scenario) => {
    await play(world(), scenario);
  });

  test('is written in the panel by the same rules', async () => {
    const documents = documentsOf(world().service, 'api::herd.herd');
    const made = await documents.create({ data: { name: ' Panel ', taxonomy: ZEBRA } });
    const id = made.documentId;
    expect(await world().read('herd', id)).toMatchObject({
      name: 'Panel',
      version: 1,
      taxonomy: ZEBRA,
    });
    await documents.update({ documentId: id, data: { sex: 'male' } });
    expect(await world().read('herd', id)).toMatchObject({ sex: 'male', version: 2 });
    await expect(documents.create({ data: {} })).rejects.toThrow('required');
    await documents.delete({ documentId: id });
    expect((await historyOf(world().service, id)).map(({ action }) => action)).toEqual([
      'create',
      'update',
      'delete',
    ]);
  });
});

describe('references', () => {
  test('of it to a taxon are emptied, while others still hold the taxon', async () => {
    const taxonomy = await world().create('taxonomy', { scientific_name: 'Brief' });
    const herd = await world().create('herd', { name: 'Of a brief taxon', taxonomy });
    const encounter = await world().create('encounter', { taxonomy });
    const remove: Omit<Scenario, 'name' | 'expect'> = {
      method: 'DELETE',
      url: `/api/v0/taxonomy/${taxonomy}`,
    };
    await play(world(), {
      ...remove,
      name: 'held',
      expect: { status: 400, key: 'IN_USE', args: { type: 'encounter', count: 1 } },
    });
    await world().update('encounter', encounter, { taxonomy: null });
    await play(world(), { ...remove, name: 'free', expect: { status: 200 } });
    expect(await world().read('herd', herd)).toMatchObject({
      taxonomy: null,
      version: 2,
    });
  });
});

describe('a further field', () => describeFurtherField(world));

describe('a further type with relations, views and an action of its own', () =>
  describeCamera(world));

describe('relations', () => {
  beforeAll(async () => {
    const individual = await world().create('individual');
    const encounters = await Promise.all(
      [1, 2].map(() => world().create('encounter', { individual })),
    );
    for (const encounter of encounters) await world().create('camera', { name: 'Its', encounter });
    const spare = await world().create('camera', { name: 'A spare' });
    await world().create('camera', { name: 'Its holder', spares: [spare] });
    const { connection } = world().service.strapi.db;
    await connection('encounters').where({ document_id: encounters[0] }).update('state', 'pending');
    await world().update('user', ACCOUNTS.administrator, { followed_individuals: [individual] });
  });
  describeRelations(world);
});
