import { idsOf } from '../../helpers/ids';
import { runScenarios, type Scenario } from '../../helpers/scenario';
import type { World } from '../../helpers/world';

const uuid = idsOf(2);

/** Reads of encounters, on a shared service. */
export function testRead(world: () => World): void {
  const [FAMILY, ZEBRA, SEEN, BARE] = [uuid(1), uuid(2), uuid(3), uuid(4)];
  const url = `/api/v0/encounter/${SEEN}`;

  beforeAll(async () => {
    await world().create('taxonomy', { id: FAMILY, scientific_name: 'Giraffidae', rank: 'family' });
    await world().create('taxonomy', {
      id: ZEBRA,
      scientific_name: 'Giraffa tippelskirchi',
      parent: FAMILY,
    });
    await world().create('encounter', {
      id: SEEN,
      taxonomy: ZEBRA,
      latitude: 1,
      longitude: 2,
      tags: ['a'],
      remarks: 'seen\nat noon',
    });
    await world().create('encounter', { id: BARE });
  });

  const malformed = (
    ...invalid: NonNullable<Scenario['expect']['invalid']>
  ): Scenario['expect'] => ({
    status: 400,
    key: 'MALFORMED',
    invalid,
  });

  describe('reading an encounter', () => {
    const absent = (id: string): Scenario => ({
      name: `answers 402 for the ID ${id.slice(0, 50)}`,
      method: 'GET',
      url: `/api/v0/encounter/${id}`,
      expect: {
        status: 402,
        key: 'ENTITY_NOT_FOUND',
        args: { type: 'encounter', id },
        headers: { etag: null, 'cache-control': 'no-store' },
      },
    });

    runScenarios(world, [
      {
        name: 'takes the ID in upper case, and gives it in lower case',
        method: 'GET',
        url: `/api/v0/encounter/${SEEN.toUpperCase()}`,
        expect: { status: 200, response: { id: SEEN, taxonomy: ZEBRA, remarks: 'seen\nat noon' } },
      },
      {
        name: 'takes the absolute form of the address',
        method: 'GET',
        url: `http://anywhere.example${url}`,
        expect: { status: 200, response: { id: SEEN } },
      },
      {
        name: 'does not mind a slash at the end',
        method: 'GET',
        url: `${url}/`,
        expect: { status: 200, response: { id: SEEN } },
      },
      {
        name: 'does not find it as an object of another type',
        method: 'GET',
        url: `/api/v0/taxonomy/${SEEN}`,
        expect: { status: 402, key: 'ENTITY_NOT_FOUND', args: { type: 'taxonomy', id: SEEN } },
      },
      {
        name: 'looks at no body of a HEAD, as of a GET',
        method: 'HEAD',
        url,
        headers: { 'Content-Type': 'text/plain' },
        raw: 'x',
        expect: { status: 200 },
      },
      {
        name: 'answers HEAD like GET, without the body',
        method: 'HEAD',
        url,
        expect: { status: 200, headers: { etag: /^"1-/, 'content-length': /^\d{3,}$/ } },
      },
      absent(uuid(0xdead)),
      absent('1'),
      absent('undefined'),
      absent('00000000-0000-0000-0000-000000000000'),
      absent('ffffffff-ffff-ffff-ffff-ffffffffffff'),
      absent('%00'),
      absent('%ZZ'),
      absent('%2e%2e'),
      absent('%F0%9F%A6%93'),
      absent(`${SEEN}%20`),
      absent("';drop-table-encounters;--"),
      absent('a'.repeat(8000)),
      absent('%'.repeat(8000)),
      {
        ...absent(uuid(0xdead)),
        name: 'says that it is absent before it looks at the parameters',
        url: `/api/v0/encounter/${uuid(0xdead)}?nope=1`,
      },
      {
        name: 'refuses a parameter that is unknown, and names it',
        method: 'GET',
        url: `${url}?populate=*&filters[id]=1`,
        expect: malformed(['populate', 'UNKNOWN'], ['filters[id]', 'UNKNOWN']),
      },
    ]);
  });

  describe('fields', () => {
    runScenarios(world, [
      {
        name: 'cuts the object to those that are asked for',
        method: 'GET',
        url: `${url}?fields=id,latitude,permissions`,
        expect: {
          status: 200,
          response: { id: SEEN, latitude: 1, permissions: ['update', 'delete', 'review'] },
        },
        never: ['longitude', 'remarks', 'version'],
      },
      {
        name: 'takes a field twice for once',
        method: 'GET',
        url: `${url}?fields=id,id`,
        expect: { status: 200, response: { id: SEEN } },
      },
      {
        name: 'goes together with include, of fields that are cut away too',
        method: 'GET',
        url: `${url}?fields=id&include=taxonomy`,
        expect: {
          status: 200,
          response: { id: SEEN, included: { taxonomy: { [ZEBRA]: { id: ZEBRA } } } },
        },
        never: ['latitude'],
      },
      ...['', 'nope', 'id,nope', 'id,', 'ID', 'constructor', 'name_key', 'id, latitude'].map(
        (list): Scenario => ({
          name: `refuses "${list}"`,
          method: 'GET',
          url: `${url}?fields=${list.replace(' ', '%20')}`,
          expect: malformed(['fields', 'NOT_ONE_OF']),
        }),
      ),
    ]);

    test('has an ETag of its own', async () => {
      const tags = new Set<unknown>();
      for (const query of ['', '?fields=id', '?fields=version', '?include=taxonomy'])
        tags.add((await world().send({ method: 'GET', url: url + query })).headers.etag);
      expect(tags.size).toBe(4);
    });
  });

  describe('include', () => {
    const summary = (id: string, name: string, rank: string | null = null) => ({
      ...{ id, display_name: name, scientific_name: name, rank, vernacular_names: null },
    });

    test('adds a summary of what is referred to, once, and of nothing else', async () => {
      expect(await world().read('encounter', SEEN, '?include=taxonomy')).toMatchObject({
        taxonomy: ZEBRA,
        included: { taxonomy: { [ZEBRA]: summary(ZEBRA, 'Giraffa tippelskirchi') } },
      });
      const { included } = await world().read('encounter', SEEN, '?include=taxonomy');
      expect(included).toEqual({
        taxonomy: { [ZEBRA]: summary(ZEBRA, 'Giraffa tippelskirchi') },
      });
    });

    test('joins what several fields refer to in one type', async () => {
      const id = await world().create('taxonomy', {
        scientific_name: 'Giraffa massaica',
        status: 'synonym',
        accepted: ZEBRA,
        parent: FAMILY,
      });
      const { included } = await world().read('taxonomy', id, '?include=parent,accepted');
      expect(included).toEqual({
        taxonomy: {
          [ZEBRA]: summary(ZEBRA, 'Giraffa tippelskirchi'),
          [FAMILY]: summary(FAMILY, 'Giraffidae', 'family'),
        },
      });
    });

    test('is empty where nothing is referred to, and where the type is not there yet', async () => {
      const query = '?include=owner,individual,organizations,assets,taxonomy';
      const { included } = await world().read('encounter', BARE, query);
      expect(included).toEqual({ user: {}, individual: {}, org: {}, asset: {}, taxonomy: {} });
    });

    runScenarios(
      world,
      ['', 'nope', 'taxonomy,nope', 'latitude', 'taxonomy,'].map((list) => ({
        name: `refuses "${list}"`,
        method: 'GET',
        url: `${url}?include=${list}`,
        expect: malformed(['include', 'NOT_ONE_OF']),
      })),
    );

    runScenarios(world, [
      {
        name: 'is refused together with all else that is wrong',
        method: 'GET',
        url: `${url}?include=x&fields=y&nope=1`,
        expect: malformed(['include', 'NOT_ONE_OF'], ['fields', 'NOT_ONE_OF'], ['nope', 'UNKNOWN']),
      },
    ]);
  });
}
