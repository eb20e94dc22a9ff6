import { withHeldJobs } from '../../helpers/held-jobs';
import { at, parsed, type Json } from '../../helpers/json';
import type { World } from '../../helpers/world';
import { callsOf } from './levels';

const COUNT = 12;

/** What a stranger finds between a change of a taxon and the end of the job that it leaves. */
export function testWaiting(
  world: () => World,
  callers: Readonly<Record<string, Readonly<Record<string, string>>>>,
  settle: () => Promise<void>,
): void {
  const { make, change, taxon, read, matches, send } = callsOf(world, callers);
  test('a stranger finds nothing by what the new level hides while a job waits', async () => {
    const species = await taxon();
    const place: Json = { latitude: 12.3456, longitude: 23.4567, country_code: 'SD' };
    const ids: string[] = [];
    for (let made = 0; made < COUNT; made += 1)
      ids.push(
        await make('owner', 'encounter', {
          ...place,
          taxonomy: species,
          time: `2019-03-${String(made + 1).padStart(2, '0')}`,
          locality: 'quagga gorge',
        }),
      );
    const queries = [
      'bbox=23.45,12.34,23.46,12.35',
      'near=12.3456,23.4567,1',
      `taxonomy=${species}&country_code=SD`,
      `taxonomy=${species}&time=2019-03-04`,
      'q=quagga',
      `taxonomy=${species}&sort=-time&latitude_min=12.34&latitude_max=12.35`,
    ];
    const numberFor = async (who: string, query: string): Promise<unknown> =>
      at(
        parsed((await send(who, 'GET', `search/encounter?${query}&limit=0&count=exact`)).text),
        'response',
        'total',
      );
    const rowsIn = async (who: string, query: string): Promise<number> => {
      const { text } = await send(who, 'GET', `export/encounter?format=csv&${query}`);
      return text.trim().split('\n').length - 1;
    };
    for (const query of queries) {
      expect((await matches('nobody', `encounter?${query}`)) as string[]).not.toHaveLength(0);
      expect(await rowsIn('nobody', query)).toBeGreaterThan(0);
    }
    await settle();
    await withHeldJobs(world().service.strapi.db.connection, async () => {
      await change('administrator', `taxonomy/${species}`, { location_privacy: 'obscured' });
      for (const who of ['nobody', 'stranger'])
        for (const query of queries) {
          expect([query, await matches(who, `encounter?${query}`)]).toEqual([query, []]);
          expect([query, await numberFor(who, query)]).toEqual([query, 0]);
          expect([query, await rowsIn(who, query)]).toEqual([query, 0]);
        }
      expect(await matches('owner', 'encounter?bbox=23.45,12.34,23.46,12.35')).toHaveLength(COUNT);
      const [first = ''] = ids;
      expect(await read('stranger', `encounter/${first}`)).toMatchObject({
        generalized: 'obscured',
        latitude: 12.3,
      });
    });
    await settle();
    // Then by what it is told.
    expect(
      await matches('nobody', `encounter?taxonomy=${species}&bbox=23.4,12.2,23.6,12.4`),
    ).toHaveLength(COUNT);
    expect(await matches('nobody', 'encounter?bbox=23.45,12.34,23.46,12.35')).toEqual([]);
  });
}
