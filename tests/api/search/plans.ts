/** Which plan a search gets: a rule of the planner that moves shows here. */
import { databaseOf, objectsOf } from '#app/plugins/objects/server';
import * as limits from '#app/plugins/objects/server/search/language/limits';
import type { PlanDescription } from '#app/plugins/objects/server/search/plan/plan';
import { anonymous, local, service as itself } from '#app/core/caller';
import type { World } from '../../helpers/world';

/** By search, of encounters where no type is named: what is looked at, as moderators unless `anonymous`. */
const ID = '6f1c1c1e-0b52-4d0c-9d53-3f8a3b7f0a11';

/** On SQLite. PostgreSQL has no words scan. */
const PLANS: Readonly<Record<string, readonly string[]>> = {
  '': ['count', 'worker', 'count up to 10000 by full scan', 'ordered scan, in this order'],
  'count=exact': ['count', 'worker', 'count all by full scan', 'ordered scan, in this order'],
  'limit=0&count=none': ['page', 'worker', 'ordered scan, in this order'],
  'limit=2&sort=-time&count=none': ['page', 'worker', 'ordered scan, in this order'],
  'limit=2&sort=-time&count=none as anonymous': ['page', 'worker', 'ordered scan, in this order'],
  'sort=-created_at&count=none': ['page', 'worker', 'ordered scan, in this order'],
  'country_code=TZ': [
    'count',
    'worker',
    'count up to 10000 by index scan (country_code)',
    'few: index scan (country_code), sorted',
    'many: ordered scan, in this order',
  ],
  // All of them are private.
  'country_code=TZ as anonymous': [
    'collect',
    'inline',
    'few rows meet country_code',
    'index scan (country_code), sorted',
  ],
  'country_code=AQ': [
    'collect',
    'inline',
    'few rows meet country_code',
    'index scan (country_code), sorted',
  ],
  'country_code=TZ,KE': [
    'count',
    'worker',
    'count up to 10000 by index scan (country_code)',
    'few: index scan (country_code), sorted',
    'many: ordered scan, in this order',
  ],
  'country_code_not=TZ': [
    'count',
    'worker',
    'count up to 10000 by full scan',
    'few: full scan, sorted',
    'many: ordered scan, in this order',
  ],
  'country_code=TZ&country_code_not=KE': [
    'count',
    'worker',
    'count up to 10000 by index scan (country_code)',
    'few: index scan (country_code), sorted',
    'many: ordered scan, in this order',
  ],
  'country_code=TZ&sort=-time&count=none': [
    'count',
    'worker',
    'count up to 2000 by index scan (country_code)',
    'few: index scan (country_code), sorted',
    'many: ordered scan (country_code), in this order',
  ],
  'sex=male&sort=time': [
    'count',
    'worker',
    'count up to 10000 by full scan',
    'few: full scan, sorted',
    'many: ordered scan, in this order',
  ],
  'group_size_min=3': [
    'count',
    'worker',
    'count up to 10000 by full scan',
    'few: full scan, sorted',
    'many: ordered scan, in this order',
  ],
  'time_min=2021&time_max=2022': [
    'count',
    'worker',
    'count up to 10000 by index scan (time_min to _max)',
    'few: index scan (time_min to _max), sorted',
    'many: ordered scan, in this order',
  ],
  'time_min=2021': [
    'count',
    'worker',
    'count up to 10000 by index scan (time_min)',
    'few: index scan (time_min), sorted',
    'many: ordered scan, in this order',
  ],
  'state=approved&time_min=2021&sort=-time': [
    'count',
    'worker',
    'count up to 10000 by index scan (state, time_min)',
    'few: index scan (state, time_min), sorted',
    'many: ordered scan (state), in this order',
  ],
  'state=approved&time_min=2021&time_max=2022&sort=-time': [
    'count',
    'worker',
    'count up to 10000 by index scan (state, time_min to _max)',
    'few: index scan (state, time_min to _max), sorted',
    'many: ordered scan (state, time_max), in this order',
  ],
  'created_at_min=2020-01-01T00:00Z': [
    'count',
    'worker',
    'count up to 10000 by full scan',
    'few: full scan, sorted',
    'many: ordered scan, in this order',
  ],
  [`taxonomy_under=${ID}`]: [
    'collect',
    'inline',
    'few rows meet taxonomy_under',
    'index scan (taxonomy_under), sorted',
  ],
  [`taxonomy_under=${ID}&country_code=TZ`]: [
    'collect',
    'inline',
    'few rows meet taxonomy_under',
    'index scan (taxonomy_under), sorted',
  ],
  'individual=null': [
    'count',
    'worker',
    'count up to 10000 by index scan (individual)',
    'few: index scan (individual), sorted',
    'many: ordered scan, in this order',
  ],
  [`id=${ID}`]: [
    'count',
    'worker',
    'count up to 10000 by full scan',
    'few: full scan, sorted',
    'many: ordered scan, in this order',
  ],
  [`q=${ID}`]: ['collect', 'inline', 'few rows meet id', 'index scan (id), sorted'],
  'q=zebra': [
    'count',
    'worker',
    'count up to 10000 by words scan (q)',
    'few: words scan (q), sorted',
    'many: ordered scan, in this order',
  ],
  'q=zebra as anonymous': [
    'count',
    'worker',
    'count up to 10000 by index scan (q)',
    'few: index scan (q), sorted',
    'many: ordered scan, in this order',
  ],
  'q=zebra&sort=-time': [
    'count',
    'worker',
    'count up to 10000 by words scan (q)',
    'few: words scan (q), sorted',
    'many: words scan (q), in this order',
  ],
  'q=zebra&sort=-time&count=none&limit=2': [
    'early',
    'worker',
    'the first rows in the order of the page, which had all of it',
  ],
  'q=zebra&country_code=TZ': [
    'count',
    'worker',
    'count up to 10000 by index scan (country_code, q)',
    'few: index scan (country_code, q), sorted',
    'many: ordered scan, in this order',
  ],
  'bbox=-180,-90,180,90': [
    'count',
    'worker',
    'count up to 10000 by index scan (bbox)',
    'few: index scan (bbox), sorted',
    'many: ordered scan, in this order',
  ],
  'bbox=34,-3,35.5,-1': [
    'count',
    'worker',
    'count up to 10000 by index scan (bbox)',
    'few: index scan (bbox), sorted',
    'many: ordered scan, in this order',
  ],
  'bbox=34,-3,35.5,-1&sex=male': [
    'count',
    'worker',
    'count up to 10000 by index scan (bbox)',
    'few: index scan (bbox), sorted',
    'many: ordered scan, in this order',
  ],
  'bbox=34,-3,35.5,-1&country_code=TZ&q=zebra': [
    'count',
    'worker',
    'count up to 10000 by index scan (bbox, country_code, q)',
    'few: index scan (bbox, country_code, q), sorted',
    'many: ordered scan, in this order',
  ],
  'near=-17.5,180,50': [
    'count',
    'worker',
    'count up to 10000 by index scan (near)',
    'few: index scan (near), sorted',
    'many: ordered scan, in this order',
  ],
  'near=-17.5,180,50&sort=distance': [
    'count',
    'worker',
    'count up to 10000 by index scan (near)',
    'few: index scan (near), sorted',
    'many: index scan (near), sorted',
  ],
  'individual?sort=-last_seen': [
    'count',
    'worker',
    'count up to 10000 by full scan',
    'ordered scan, in this order',
  ],
  'taxonomy?q=aves&sort=scientific_name': [
    'count',
    'worker',
    'count up to 10000 by index scan (q)',
    'few: index scan (q), sorted',
    'many: ordered scan, in this order',
  ],
  [`taxonomy?taxonomy_under=${ID}`]: [
    'count',
    'worker',
    'count up to 10000 by full scan',
    'few: full scan, sorted',
    'many: ordered scan, in this order',
  ],
};

const partsOf = ({ by, runs, bound, count, early, page }: PlanDescription): string[] =>
  [by, runs, bound, count && `count ${count}`, early && 'early', ...page].filter(
    (part) => part !== undefined,
  );

/** PostgreSQL looks at the first rows after it has asked what the words stand for. */
const ON_POSTGRES: typeof PLANS = {
  'q=zebra&sort=-time&count=none&limit=2': [
    'count',
    'worker',
    'count up to 2000 by index scan (q)',
    'early',
    'few: index scan (q), sorted',
    'many: ordered scan, in this order',
  ],
};

const onPostgres = (search: string, plan: readonly string[]): readonly string[] =>
  ON_POSTGRES[search] ?? plan.map(withoutWords);

const withoutWords = (part: string): string =>
  part.replace(/words scan \(q\)(, in this order)?/, (_, met) =>
    met ? `ordered scan${met}` : 'index scan (q)',
  );

/** Among so many rows that no search is known to look at few. */
export function testPlans(world: () => World): void {
  describe('the plan of a search', () => {
    // Few rows meet what no row meets.
    beforeEach(() => {
      for (const name of ['FEW', 'MAX_LISTED'] as const) jest.replaceProperty(limits, name, 0);
    });
    test.each(Object.entries(PLANS))('%s', async (search, expected) => {
      const [, type = 'encounter', query = '', who] =
        /^(?:(\w+)\?)?(\S*)(?: as (\w+))?$/.exec(search) ?? [];
      const caller = local(anonymous(who === 'anonymous' ? who : 'moderator'));
      const parameters = new Map(new URLSearchParams(query));
      const plan = await objectsOf(world().service.strapi).explain(type, parameters, caller);
      const { isShared } = databaseOf(world().service.strapi);
      expect(partsOf(plan)).toEqual(isShared ? onPostgres(search, expected) : expected);
    });

    test.each(Object.entries(TIMES))(
      '%s beside a value has what lies in it by its instants, and what is long',
      async (_, { query, inside, outside }) => {
        const objects = objectsOf(world().service.strapi);
        const make = async (time: string): Promise<string> => {
          const body = { time, country_code: 'AQ' };
          return (await objects.write({ op: 'create', type: 'encounter', body }, itself)).id;
        };
        const made = new Map<string, string>();
        for (const time of [...inside, ...outside]) made.set(await make(time), time);
        const caller = local(anonymous('moderator'));
        for (const count of ['exact', 'none']) {
          const search = new URLSearchParams(`country_code=AQ&count=${count}&${query}`);
          const { ids, total } = await objects.find('encounter', new Map(search), caller);
          expect(ids.map((id) => made.get(id)).sort()).toEqual([...inside].sort());
          if (count === 'exact') expect(total).toBe(inside.length);
        }
        for (const id of made.keys())
          await objects.write({ op: 'delete', type: 'encounter', id }, itself);
      },
    );
  });
}

/** Bounds with an offset, and times near them. */
const TIMES = {
  'a span of a day': {
    query: 'time_min=1962-06-01T00:00Z&time_max=1962-06-01T22:59Z',
    inside: ['1962-06-01T14:30+10:00', '1960/1964'],
    outside: ['1962-06-01T20:00-10:00', '1962-06-02T09:00+10:00'],
  },
  'a span of days': {
    query: 'time_min=1962-06-01T00:00Z&time_max=1962-06-09T22:59Z',
    inside: [
      ...['1962-05-31T20:00-10:00', '1962-06-01T14:30+10:00', '1962-06-02T12:00Z', '1962-06-05'],
      ...['1962-06-10T08:00+10:00', '1962-05-20/1962-06-03', '1960/1964'],
    ],
    outside: [
      ...['1962-06-01T05:00+10:00', '1962-06-09T20:00-10:00', '1962-06-10T09:00+10:00', '1962-05'],
    ],
  },
  'the time from an instant on': {
    query: 'time_min=1962-06-01T00:00Z',
    inside: [
      ...['1962-05-31T20:00-10:00', '1962-06-01T14:30+10:00', '1962-06-02T14:30+10:00', '1963'],
      ...['1962-05-20/1962-06-03', '1960/1964'],
    ],
    outside: ['1962-06-01T05:00+10:00', '1962-05-31', '1961'],
  },
  'the time from an instant to a day': {
    query: 'time_min=1962-06-01T00:00Z&time_max=1962-06-09',
    inside: ['1962-05-31T20:00-10:00', '1962-06-02T14:30+10:00', '1962-06-09T23:00-10:00'],
    outside: ['1962-06-01T05:00+10:00', '1962-06-10'],
  },
};
