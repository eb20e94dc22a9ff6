/** What a search reads, and so how long it takes, does not depend on rows that its caller may never find. */
import { databaseOf, objectsOf } from '#app/plugins/objects/server';
import { anonymous, local, type Caller } from '#app/core/caller';
import * as limits from '#app/plugins/objects/server/search/language/limits';
import { cellOf } from '#app/plugins/objects/server/search/projection/cells';
import { explain } from '#app/../scripts/explain/explain';
import { uuid } from '../../helpers/ids';
import { testDatabase } from '../../helpers/database';
import type { World } from '../../helpers/world';

/** More than a search looks at beside reads. */
const HIDDEN = 2_100;
const KEYS = -(2 ** 41);
/** In the ocean, where nothing else is. */
const [LATITUDE, LONGITUDE] = [-40.5, -20.5];
const START = Date.UTC(1951, 1, 3);

/** Searches each of which all of the hidden rows meet, and no other one. */
const SEARCHES = [
  'country_code=BV',
  'country_code=BV&sort=-time&count=none',
  'country_code=BV,GS&state=approved',
  'bbox=-21,-41,-20,-40',
  'bbox=-21,-41,-20,-40&sort=-time',
  'near=-40.5,-20.5,3',
  'near=-40.5,-20.5,3&sort=distance',
  'time_min=1951-02-03&time_max=1951-02-03',
  'time=1951-02-03&sort=time',
  'time_max=1951-02-04&sort=-time&limit=1&count=none',
  'external_id=hidden',
  'state=approved&time_min=1951-02&time_max=1951-03',
];

const columns = {
  document_id: "'none'",
  audience: '2',
  level: '0',
  state: "'approved'",
  location_privacy: "'private'",
  country_code: "'BV'",
  external_id: "'hidden'",
  latitude: String(LATITUDE),
  longitude: String(LONGITUDE),
  cell: String(cellOf(LATITUDE, LONGITUDE)),
  time: "'1951-02-03'",
  time_start: String(START),
  time_end: String(START + 86_399_999),
};

const add = (world: World, rows = HIDDEN, owner = 'null'): Promise<unknown> =>
  world.service.strapi.db.connection.raw(`
    with recursive c(n) as (select 1 union all select n + 1 from c where n < ${rows})
    insert into oms_search_encounters (key, id, owner_id, ${Object.keys(columns).join(', ')})
    select ${KEYS} - ${rows} - n, -1000000 - n, ${owner},
      ${Object.values(columns).join(', ')} from c`);

const remove = (world: World): Promise<unknown> =>
  world.service.strapi.db.connection('oms_search_encounters').where('key', '<', KEYS).delete();

/** The row of an account that owns one of them. */
const OWNER = 990_991;

/** The second one has an account, and sees nothing exactly. */
const CALLERS = {
  anonymous: local(anonymous('anonymous')),
  stranger: local({ ...anonymous('user'), id: uuid(990), rowId: 990_990 }),
  'the owner of one': local({ ...anonymous('user'), id: uuid(991), rowId: OWNER }),
};

/** What is found does not show it: the rows are of no object. */
export function testPartitions(world: () => World): void {
  describe('rows that their callers may never find', () => {
    beforeEach(() => add(world(), 1, String(OWNER)));
    afterEach(async () => {
      jest.restoreAllMocks();
      await remove(world());
    });

    const plansOf = async (caller: Caller): Promise<readonly string[]> => {
      const objects = objectsOf(world().service.strapi);
      const plans: string[] = [];
      for (const query of SEARCHES) {
        const parameters = new Map(new URLSearchParams(query));
        plans.push(JSON.stringify(await objects.explain('encounter', parameters, caller)));
      }
      return plans;
    };

    test.each(Object.entries(CALLERS))('change no plan of a search: %s', async (_, caller) => {
      const before = await plansOf(caller);
      await add(world());
      expect(await plansOf(caller)).toEqual(before);
    });

    test('change the plans of a moderator, who finds them', async () => {
      const moderator = local(anonymous('moderator'));
      const before = await plansOf(moderator);
      await add(world());
      const after = await plansOf(moderator);
      expect(SEARCHES.filter((_, at) => after[at] === before[at])).toEqual([]);
    });

    test.each([
      ['few', {}],
      ['listed', { FEW: 0 }],
      ['many', { FEW: 0, MAX_LISTED: 0 }],
    ] as const)('are found by their owner, where it has %s', async (_, most) => {
      for (const [name, value] of Object.entries(most))
        jest.replaceProperty(limits, name as 'FEW' | 'MAX_LISTED', value);
      await add(world());
      const objects = objectsOf(world().service.strapi);
      for (const query of SEARCHES) {
        const parameters = new Map(new URLSearchParams(query));
        const found = async (who: keyof typeof CALLERS): Promise<readonly string[]> =>
          (await objects.find('encounter', parameters, CALLERS[who])).ids;
        expect(await found('the owner of one')).toContain('none');
        expect(await found('stranger')).not.toContain('none');
      }
    });

    test('are counted by their owner beside as many as are few that everybody finds', async () => {
      jest.replaceProperty(limits, 'FEW', 3);
      await add(world(), 3);
      await world()
        .service.strapi.db.connection('oms_search_encounters')
        .where('key', '<', KEYS - 3)
        .update({ audience: 0, location_privacy: 'open' });
      const objects = objectsOf(world().service.strapi);
      const search = new Map([['country_code', 'BV']]);
      const found = await objects.find('encounter', search, CALLERS['the owner of one']);
      expect([found.total, found.ids.length]).toEqual([4, 4]);
    });

    test('are met by a moderator in one order with those that everybody finds', async () => {
      jest.replaceProperty(limits, 'FEW', 3);
      await add(world(), 40);
      const { connection } = world().service.strapi.db;
      const table = () => connection('oms_search_encounters').where('key', '<', KEYS - 40);
      await table().update({
        // Whole pages of either come behind whole pages of the other, and both are mixed.
        audience: connection.raw(
          'case when key % 20 in (0, -1, -2, -3, -4, -5, -7) then 0 else 2 end',
        ),
        time_start: connection.raw('time_start + key % 100 * 1000'),
        document_id: connection.raw(`'met ' || (key % 100)`),
      });
      const expected = await table().orderBy('time_start', 'desc').pluck('document_id');
      const search = new Map(Object.entries({ sort: '-time', limit: '4', count: 'none' }));
      const found: string[] = [];
      const moderator = local(anonymous('moderator'));
      for (let next: string | null = ''; next !== null;) {
        if (next) search.set('cursor', next);
        const page = await objectsOf(world().service.strapi).find('encounter', search, moderator);
        found.push(...page.ids);
        ({ next } = page);
      }
      expect(found.filter((id) => id.startsWith('met'))).toEqual(expected);
    });

    // PostgreSQL looks at all rows of so small a table, whatever its indexes.
    if (testDatabase === 'sqlite')
      test.each(Object.entries(CALLERS))('are met by no index: %s', async (_, caller) => {
        await add(world());
        const objects = objectsOf(world().service.strapi);
        for (const query of SEARCHES) {
          const parameters = new Map(new URLSearchParams(query));
          const explained = await explain(databaseOf(world().service.strapi), () =>
            objects.find('encounter', parameters, caller),
          );
          const indexes = explained
            .flatMap(({ plan }) => plan)
            .flatMap((line) => /oms_search_encounters_(\w+)_ix/.exec(line)?.[1] ?? []);
          // By their owners, those that somebody sees exactly are found.
          const met = indexes.filter((name) => !name.endsWith('_told'));
          expect([query, met.filter((name) => name !== 'owner_inside' && name !== 'id')]).toEqual([
            query,
            [],
          ]);
          expect(indexes.length).toBeGreaterThan(0);
        }
      });
  });
}
