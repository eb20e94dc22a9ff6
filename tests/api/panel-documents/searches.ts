import type { Core } from '@strapi/strapi';
import { service as itself } from '#app/core/caller';
import { objectsOf } from '#app/plugins/objects/server';
import { actingFor, newAccount } from '../../helpers/accounts';
import { at, type Json } from '../../helpers/json';
import { documents, panelOf, type Panel } from '../../helpers/panel';
import type { TestService } from '../../helpers/service';

const UID = 'api::encounter.encounter';
const RELATIONS = '/content-manager/relations';

/** What lists and pickers of the panel find: words, filters, and what was merged. */
export function testSearches(started: () => Panel): void {
  let service: TestService;
  let panels: Panel[];
  const ids: Record<string, string> = {};
  let strapi: Core.Strapi;

  const make = async (type: string, body: Json): Promise<string> =>
    (await objectsOf(strapi).write({ op: 'create', type, body }, itself)).id;

  beforeAll(async () => {
    ({ service } = started());
    ({ strapi } = service);
    const roles = ['moderator', 'administrator'] as const;
    const accounts = await Promise.all(roles.map((role) => newAccount(service, role)));
    panels = [started(), ...(await Promise.all(accounts.map((one) => panelOf(service, one))))];
    ids['duck'] = await make('taxonomy', {
      scientific_name: 'Anas platyrhynchos',
      rank: 'species',
      vernacular_names: { en: 'mallard', nl: 'wilde eend' },
    });
    ids['swan'] = await make('taxonomy', { scientific_name: 'Cygnus olor', rank: 'species' });
    ids['quacky'] = await make('individual', {
      names: [{ context: 'ring', value: 'Quacky 042' }],
      taxonomy: ids['duck'],
    });
    ids['plain'] = await make('encounter', { taxonomy: ids['duck'], time: '2011-05' });
    ids['named'] = await make('encounter', {
      individual: ids['quacky'],
      taxonomy: ids['duck'],
      time: '2011-06',
    });
    ids['placed'] = await make('encounter', {
      taxonomy: ids['swan'],
      time: '2011-07-02T10:00+02:00',
      locality: 'Kromme Rijn, 50% shade',
      group_size: 12,
      country_code: 'NL',
      sex: 'female',
      external_id: 'NL_7',
      latitude: 52.1,
      longitude: 5.2,
    });
  });

  const found = async (by: Panel, url: string): Promise<string[]> => {
    const { status, body } = await by.ask('GET', encodeURI(url));
    expect([url, status, status === 200 ? null : body]).toEqual([url, 200, null]);
    return (at(body, 'results') as unknown[]).map((row) => String(at(row, 'documentId')));
  };
  const named = (...names: string[]): string[] => names.map((name) => ids[name] ?? '').sort();

  describe.each(['platyrhynchos', 'mallard', 'wilde eend', 'EEND Wil', 'platyrh'])(
    'ducks are found by "%s"',
    (words) => {
      test.each([
        ['encounter', ['plain', 'named']],
        ['individual', ['quacky']],
        ['taxonomy', ['duck']],
      ])('among the lists: %s', async (type, expected) => {
        for (const panel of panels) {
          const list = `${documents(type)}?page=1&pageSize=50&_q=${words}`;
          expect((await found(panel, list)).sort()).toEqual(named(...expected));
        }
      });

      test.each([
        [`${UID}/taxonomy`, ['duck']],
        [`${UID}/individual`, ['quacky']],
        ['api::taxonomy.taxonomy/parent', ['duck']],
      ])('by the picker of %s', async (relation, expected) => {
        for (const panel of panels) {
          const picker = `${RELATIONS}/${relation}?page=1&pageSize=10&_q=${words}`;
          expect((await found(panel, picker)).sort()).toEqual(named(...expected));
        }
      });
    },
  );

  test('a list is searched by names, words of texts and IDs, and by nothing that is not there', async () => {
    const list = `${documents('encounter')}?page=1&pageSize=50`;
    for (const panel of panels) {
      expect(await found(panel, `${list}&_q=quacky`)).toEqual(named('named'));
      expect(await found(panel, `${list}&_q=rijn krom`)).toEqual(named('placed'));
      expect(await found(panel, `${list}&_q=${ids['placed']}`)).toEqual(named('placed'));
      expect(await found(panel, `${list}&_q=krom swallow`)).toEqual([]);
      const sorted = `${list}&_q=mallard&sort=time:`;
      expect(await found(panel, `${sorted}ASC`)).toEqual([ids['plain'], ids['named']]);
      expect(await found(panel, `${sorted}DESC`)).toEqual([ids['named'], ids['plain']]);
      const second = '&_q=mallard&sort=time:ASC&page=2&pageSize=1';
      expect(await found(panel, documents('encounter') + second.replace('&', '?'))).toEqual(
        named('named'),
      );
    }
  });

  describe('a picker', () => {
    const picker = `${RELATIONS}/${UID}/taxonomy?page=1&pageSize=10&_q=anas`;

    test('leaves out what was chosen, and what is linked', async () => {
      const [panel] = panels as [Panel];
      const { body } = await panel.ask('GET', picker);
      const [row] = at(body, 'results') as [Json];
      expect(at(body, 'pagination')).toEqual({ page: 1, pageSize: 10, pageCount: 1, total: 1 });
      expect(row).toMatchObject({ documentId: ids['duck'], scientificName: 'Anas platyrhynchos' });
      expect(await found(panel, `${picker}&idsToOmit[0]=${String(row['id'])}`)).toEqual([]);
      expect(await found(panel, `${picker}&id=${ids['plain']}`)).toEqual([]);
      expect(
        await found(panel, `${picker}&id=${ids['plain']}&idsToInclude[0]=${String(row['id'])}`),
      ).toEqual(named('duck'));
      expect(await found(panel, `${picker}&id=${ids['placed']}`)).toEqual(named('duck'));
    });

    test('shows the text with the name that does not have it, or the panel would not show it', async () => {
      const [panel] = panels as [Panel];
      for (const [words, name] of [
        ['wilde%20eend', 'Anas platyrhynchos (wilde eend)'],
        ['PLATY', 'Anas platyrhynchos'],
      ]) {
        const { body } = await panel.ask('GET', `${RELATIONS}/${UID}/taxonomy?_q=${words}`);
        const [row] = at(body, 'results') as Json[];
        expect(row?.['scientificName']).toBe(name);
      }
    });

    test('offers no individual that was merged into another', async () => {
      const [into, from] = [await make('individual', {}), await make('individual', {})];
      const body = { from: [from] };
      const change = { op: 'act', action: 'merge', type: 'individual', id: into, body } as const;
      await objectsOf(strapi).write(change, itself);
      const individuals = `${documents('individual')}?page=1&pageSize=100`;
      for (const panel of panels) {
        const offered = await found(panel, `${RELATIONS}/${UID}/individual?page=1&pageSize=100`);
        expect([offered.includes(into), offered.includes(from)]).toEqual([true, false]);
        // A list shows it where one asks for it.
        const listed = await found(panel, individuals);
        expect([listed.includes(into), listed.includes(from)]).toEqual([true, false]);
        const asked = `${individuals}&filters[$and][0][mergedInto][documentId][$eq]=${into}`;
        expect(await found(panel, asked)).toEqual([from]);
        const any = `${individuals}&filters[$and][0][mergedInto][id][$notNull]=true`;
        expect(await found(panel, any)).toEqual([from]);
      }
    });
  });

  describe('a list is filtered as Strapi filters it', () => {
    const CONDITIONS: readonly Json[] = [
      { groupSize: { $eq: '12' } },
      { groupSize: { $ne: '12' } },
      { groupSize: { $gte: '7' } },
      { groupSize: { $lt: '7' } },
      { groupSize: { $between: ['2', '7'] } },
      { groupSize: { $null: 'true' } },
      { groupSize: { $notNull: 'true' } },
      { latitude: { $gt: '52' } },
      { sex: { $eq: 'female' } },
      { sex: { $null: 'true' } },
      { sex: { $in: ['female', 'male'] } },
      { state: { $eq: 'approved' } },
      { state: { $ne: 'approved' } },
      { state: { $notIn: ['pending'] } },
      { countryCode: { $eq: 'NL' } },
      { countryCode: 'NL' },
      { countryCode: { $eqi: 'nl' } },
      { countryCode: { $notContains: 'N' } },
      { locality: { $contains: 'Kromme' } },
      { locality: { $containsi: 'kromme rijn' } },
      { locality: { $contains: '50%' } },
      { locality: { $notContainsi: 'KROMME' } },
      { locality: { $startsWith: 'Kromme' } },
      { locality: { $endsWith: 'shade' } },
      { locality: { $endsWithi: 'SHADE' } },
      { locality: { $eq: 'Lobo' } },
      { locality: { $eqi: 'LOBO' } },
      { externalId: { $eq: 'NL_7' } },
      { externalId: { $contains: 'NL_' } },
      { externalId: { $notNull: 'true' } },
      { time: { $eq: '2011-05' } },
      { time: { $ne: '2011-05' } },
      { time: { $startsWith: '2011' } },
      { time: { $contains: '2011-07-02' } },
      { time: { $null: 'true' } },
      { createdAt: { $gt: '2020-01-01T00:00:00.000Z' } },
      { createdAt: { $lt: '2020-01-01T00:00:00.000Z' } },
      { taxonomy: { scientificName: { $eq: 'Anas platyrhynchos' } } },
      { taxonomy: { scientificName: { $containsi: 'cygnus' } } },
      { taxonomy: { scientificName: { $null: 'true' } } },
      { taxonomy: { scientificName: { $ne: 'Cygnus olor' } } },
      { taxonomy: { rank: { $eq: 'species' } } },
      { taxonomy: { id: { $null: 'true' } } },
      { taxonomy: { id: { $notNull: 'true' } } },
      { individual: { name: { $eq: 'Quacky 042' } } },
      { individual: { name: { $notNull: 'true' } } },
      { organizations: { name: { $null: 'true' } } },
      { organizations: { name: { $eq: 'Flock' } } },
      { $or: [{ groupSize: { $eq: '12' } }, { time: { $eq: '2011-05' } }] },
      { $or: [{ countryCode: { $eq: 'NL' } }, { state: { $eq: 'pending' } }] },
      { $not: { groupSize: { $eq: '12' } } },
      { $and: [{ sex: { $eq: 'female' } }, { countryCode: { $eq: 'NL' } }] },
      { taxonomy: { $or: [{ rank: 'family' }, { scientificName: 'Cygnus olor' }] } },
      { version: { $eq: '1' }, sex: { $notNull: 'true' } },
    ];

    /** As the panel sends them. */
    const asQuery = (value: unknown, path: string): string[] => {
      if (typeof value !== 'object' || value === null) return [`${path}=${String(value)}`];
      const parts = Object.entries(value as Json);
      return parts.flatMap(([name, part]) => asQuery(part, `${path}[${name}]`));
    };

    beforeAll(async () => {
      const { id, name } = await newAccount(service, 'user');
      const by = await actingFor(service, id, name);
      const create = async (type: string, body: Json): Promise<string> =>
        (await objectsOf(strapi).write({ op: 'create', type, body }, by)).id;
      const org = await create('org', { name: 'Flock' });
      await create('encounter', { time: '2013', organizations: [org] });
    });

    test.each(CONDITIONS.map((one) => [JSON.stringify(one), one] as const))(
      '%s',
      async (_, condition) => {
        // Outside of a request it is Strapi itself that answers.
        const expected = await strapi
          .documents(UID)
          .findMany({ filters: condition as never, fields: ['documentId'] });
        const all: number = await strapi.documents(UID).count({});
        // Some of the conditions hold for all of them, none for none that another one would not tell.
        expect(all).toBeGreaterThan(expected.length - 1);
        const query = asQuery(condition, 'filters[$and][0]').join('&');
        const list = `${documents('encounter')}?page=1&pageSize=100&sort=createdAt:ASC&${query}`;
        const { body } = await (panels[0] as Panel).ask(
          'GET',
          encodeURI(list).replace(/50%(?!25)/g, '50%25'),
        );
        const listed = (at(body, 'results') as unknown[]).map((row) => at(row, 'documentId'));
        const wanted = expected.map(({ documentId }) => documentId);
        expect([...listed].sort()).toEqual([...new Set(wanted)].sort());
        expect(at(body, 'pagination', 'total')).toBe(new Set(wanted).size);
      },
    );

    test('what no list is filtered by is refused', async () => {
      for (const query of ['filters[timeStart][$gt]=1', 'sort=timeStart:ASC'])
        for (const panel of panels.slice(1)) {
          const { status } = await panel.ask('GET', `${documents('encounter')}?${query}`);
          expect([query, status]).toEqual([query, 400]);
        }
    });
  });

  test('the list of a type says which of its columns sort it', async () => {
    const url = `/content-manager/content-types/${UID}/configuration`;
    const { body } = await (panels[0] as Panel).ask('GET', url);
    const metadatas = at(body, 'data', 'contentType', 'metadatas') as Json;
    const sortable = Object.keys(metadatas).filter(
      (name) => at(metadatas, name, 'list', 'sortable') === true,
    );
    expect(sortable.sort()).toEqual(['createdAt', 'documentId', 'externalId', 'time', 'updatedAt']);
  });
}
