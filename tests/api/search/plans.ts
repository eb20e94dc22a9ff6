/** Which plan a search gets: a rule of the planner that moves shows here. */
import { objectsOf } from '#app/plugins/objects/server';
import * as limits from '#app/plugins/objects/server/search/language/limits';
import type { PlanDescription } from '#app/plugins/objects/server/search/plan/plan';
import { anonymous, local } from '#app/core/caller';
import type { World } from '../../helpers/world';
import { addFillers, dropFillers } from './apart';

/** By search, of encounters where no type is named: what is looked at, as moderators unless `anonymous`. */
const PLANS: Readonly<Record<string, string>> = {
  '': '',
  'count=exact': '',
  'limit=0&count=none': '',
  'limit=2&sort=-time&count=none': '',
  'limit=2&sort=-time&count=none as anonymous': '',
  'sort=-created_at&count=none': '',
  'country_code=TZ': '',
  'country_code=TZ as anonymous': '',
  'country_code=AQ': '',
  'country_code=TZ,KE': '',
  'country_code_not=TZ': '',
  'country_code=TZ&country_code_not=KE': '',
  'country_code=TZ&sort=-time&count=none': '',
  'sex=male&sort=time': '',
  'group_size_min=3': '',
  'time_min=2021&time_max=2022': '',
  'time_min=2021': '',
  'state=approved&time_min=2021&sort=-time': '',
  'created_at_min=2020-01-01T00:00Z': '',
  'taxonomy_under=6f1c1c1e-0b52-4d0c-9d53-3f8a3b7f0a11': '',
  'taxonomy_under=6f1c1c1e-0b52-4d0c-9d53-3f8a3b7f0a11&country_code=TZ': '',
  'individual=null': '',
  'id=6f1c1c1e-0b52-4d0c-9d53-3f8a3b7f0a11': '',
  'q=6f1c1c1e-0b52-4d0c-9d53-3f8a3b7f0a11': '',
  'q=zebra': '',
  'q=zebra as anonymous': '',
  'q=zebra&sort=-time': '',
  'q=zebra&sort=-time&count=none&limit=2': '',
  'q=zebra&country_code=TZ': '',
  'bbox=-180,-90,180,90': '',
  'bbox=34,-3,35.5,-1': '',
  'bbox=34,-3,35.5,-1&sex=male': '',
  'bbox=34,-3,35.5,-1&country_code=TZ&q=zebra': '',
  'near=-17.5,180,50': '',
  'near=-17.5,180,50&sort=distance': '',
  'individual?sort=-last_seen': '',
  'taxonomy?q=aves&sort=scientific_name': '',
  'taxonomy?taxonomy_under=6f1c1c1e-0b52-4d0c-9d53-3f8a3b7f0a11': '',
};

const textOf = ({ by, runs, bound, count, early, page }: PlanDescription): string =>
  [by, runs, bound, count && `count ${count}`, early && 'early', ...page]
    .filter(Boolean)
    .join(' · ');

export function testPlans(world: () => World): void {
  describe('the plan of a search', () => {
    beforeAll(() => addFillers(world()));
    afterAll(() => dropFillers(world()));
    // Few rows meet what no row meets.
    beforeEach(() => {
      for (const name of ['FEW', 'MAX_LISTED'] as const) jest.replaceProperty(limits, name, 0);
    });
    afterEach(() => jest.restoreAllMocks());

    test.each(Object.entries(PLANS))('%s', async (search, expected) => {
      const [, type = 'encounter', query = '', who] =
        /^(?:(\w+)\?)?(\S*)(?: as (\w+))?$/.exec(search) ?? [];
      const caller = local(anonymous(who === 'anonymous' ? who : 'moderator'));
      const parameters = new Map(new URLSearchParams(query));
      const plan = await objectsOf(world().service.strapi).explain(type, parameters, caller);
      expect(textOf(plan)).toBe(expected);
    });
  });
}
