import { idsOf } from '../../helpers/ids';
import { at, parsed, type Json } from '../../helpers/json';
import type { World } from '../../helpers/world';

const uuid = idsOf(15);

/** What is searched for by an accepted name, on a shared service. */
export function testSynonyms(world: () => World): void {
  const [FAMILY, DEER, SYNONYM, OLDER, BELOW, OTHER] = [1, 2, 3, 4, 5, 6].map(uuid) as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const encounters = new Map<string, string>();
  let animal = '';

  beforeAll(async () => {
    const make = (id: string, name: string, body: Json = {}): Promise<string> =>
      world().create('taxonomy', { id, scientific_name: name, ...body });
    await make(FAMILY, 'Cervidae');
    await make(DEER, 'Cervus elaphus', { parent: FAMILY, vernacular_names: { de: 'Rothirsch' } });
    await make(SYNONYM, 'Cervus scoticus', { status: 'synonym', accepted: DEER });
    await make(OLDER, 'Cervus atlanticus', { status: 'synonym', accepted: SYNONYM });
    await make(BELOW, 'Cervus scoticus minor', { parent: SYNONYM });
    await make(OTHER, 'Cervus nippon', { parent: FAMILY });
    for (const taxonomy of [DEER, SYNONYM, OLDER, BELOW, OTHER])
      encounters.set(taxonomy, await world().create('encounter', { taxonomy, time: '1992' }));
    animal = await world().create('individual', { taxonomy: OLDER });
  });

  const find = async (type: string, query: string): Promise<readonly string[]> => {
    const url = `/api/v0/search/${type}?${query}&time_min=1992&time_max=1992`;
    const own = type === 'encounter' ? url : url.replace(/&time_.*/, '');
    const { text } = await world().send({ method: 'GET', url: own });
    return at(parsed(text), 'matches') as string[];
  };
  const of = (...taxa: readonly string[]): readonly unknown[] =>
    taxa.map((taxon) => encounters.get(taxon)).sort();
  const ALL = [DEER, SYNONYM, OLDER, BELOW];

  test.each([
    ['taxonomy_under of the accepted name', `taxonomy_under=${DEER}`, ALL],
    ['taxonomy_under of a synonym', `taxonomy_under=${SYNONYM}`, ALL],
    ['taxonomy_under of the synonym of a synonym', `taxonomy_under=${OLDER}`, ALL],
    ['taxonomy_under of what is below a synonym', `taxonomy_under=${BELOW}`, [BELOW]],
    ['taxonomy_under of a taxon above', `taxonomy_under=${FAMILY}`, [...ALL, OTHER]],
    ['taxonomy', `taxonomy=${DEER}`, [DEER]],
    ['taxonomy of a synonym', `taxonomy=${SYNONYM}`, [SYNONYM]],
    ['the accepted name', 'q=cervus%20elaphus', [DEER, SYNONYM, OLDER]],
    ['a vernacular name of the accepted one', 'q=rothir', [DEER, SYNONYM, OLDER]],
    ['the name of a synonym', 'q=cervus%20scoticus', [SYNONYM, OLDER, BELOW]],
  ])('encounters are found by %s', async (_, query, taxa) => {
    expect([...(await find('encounter', query))].sort()).toEqual(of(...taxa));
    const { text } = await world().send({
      method: 'GET',
      url: `/api/v0/export/encounter?format=csv&${query}`,
    });
    for (const taxon of taxa) expect(text).toContain(String(encounters.get(taxon)));
  });

  test('individuals and taxa are found so, too', async () => {
    expect(await find('individual', 'q=cervus%20elaphus')).toEqual([animal]);
    expect(await find('individual', `taxonomy_under=${DEER}`)).toEqual([animal]);
    expect([...(await find('taxonomy', `taxonomy_under=${DEER}`))].sort()).toEqual([...ALL].sort());
    expect(await find('taxonomy', 'q=cervus%20elaphus')).toEqual([DEER]);
  });
}
