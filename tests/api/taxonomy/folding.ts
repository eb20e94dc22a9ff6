import { at, parsed, type Json } from '../../helpers/json';
import { play } from '../../helpers/scenario';
import type { World } from '../../helpers/world';

/** Texts that are the same in another spelling, on a shared service. */
export function testFolding(world: () => World): void {
  const find = async (type: string, query: Readonly<Record<string, string>>): Promise<unknown> => {
    const url = `/api/v0/search/${type}?${new URLSearchParams(query).toString()}`;
    return at(parsed((await world().send({ method: 'GET', url })).text), 'matches');
  };
  const named = (value: string): Json => ({ names: [{ context: 'catalog', value }] });
  const [CYRILLIC_T, GREEK_A] = ['\u0422', '\u0391'];

  test.each([
    ['Т in Cyrillic', 'T-101', `${CYRILLIC_T}-101`],
    ['a Greek Α', `A-102`, `${GREEK_A.toLowerCase()}-102`],
    ['another dash', 'T-103', 'T\u2013103'],
    ['another apostrophe', "O'Neill 104", 'O\u02bbNEILL 104'],
    ['another blank', 'Big ear 105', 'Big\u00a0ear 105'],
  ])('%s makes no other name of an individual or org', async (_, name, alike) => {
    const id = await world().create('individual', named(name));
    await play(world(), {
      name: 'taken',
      method: 'POST',
      url: '/api/v0/individual',
      body: named(alike),
      expect: {
        status: 400,
        key: 'ENTITY_EXISTS',
        args: { id },
        invalid: [['names.0.value', 'TAKEN']],
      },
    });
    expect(await find('individual', { 'names.value': alike })).toEqual([id]);
    const org = await world().create('org', { name });
    await play(world(), {
      name: 'taken',
      method: 'POST',
      url: '/api/v0/org',
      body: { name: alike },
      expect: {
        status: 400,
        key: 'ENTITY_EXISTS',
        args: { type: 'org', path: 'name', id: org },
        invalid: [['name', 'TAKEN']],
      },
    });
  });

  test('letters and digits of one script stay apart', async () => {
    for (const name of ['F106', 'FI06', 'F1O6']) await world().create('individual', named(name));
  });

  test.each([
    ['Lupus × familiaris', 'lupus x familiaris'],
    ['Lupus x latrans', 'Lupus × latrans'],
    ['×Cupressocyparis', 'x cupressocyparis'],
    ['Kowalskia łódzka', 'lodzka'],
    ['Bjornia ærøensis', 'bjornia aeroe'],
    ['Hawaiʻia prima', "hawai'ia"],
    ['Hawai’ia secunda', 'hawaiʻia secunda'],
    ['Thelypteris–alba', 'thelypteris-alba'],
  ])('words find %s by %s', async (name, words) => {
    const id = await world().create('taxonomy', { scientific_name: name });
    expect(await find('taxonomy', { q: words })).toContain(id);
    const encounter = await world().create('encounter', { taxonomy: id });
    expect(await find('encounter', { q: words })).toContain(encounter);
  });

  test('the sign of a hybrid makes no other name', async () => {
    const id = await world().create('taxonomy', { scientific_name: 'Ovis aries ×  musimon' });
    await play(world(), {
      name: 'taken',
      method: 'POST',
      url: '/api/v0/taxonomy',
      body: { scientific_name: 'Ovis aries x musimon' },
      expect: {
        status: 400,
        key: 'ENTITY_EXISTS',
        args: { id },
        invalid: [['scientific_name', 'TAKEN']],
      },
    });
    expect((await world().read('taxonomy', id))['scientific_name']).toBe('Ovis aries × musimon');
  });
}
