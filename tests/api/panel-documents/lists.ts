import { asObject, at, type Json } from '../../helpers/json';
import { documents, form, link, type Panel } from '../../helpers/panel';

/** Lists and pickers of the panel, on a shared service: what they show of the records that are made here. */
export function testLists(started: () => Panel): void {
  let panel: Panel;
  let family: Json;
  let species: Json;
  const ours: unknown[] = [];

  let since = '';
  beforeAll(async () => {
    since = new Date().toISOString();
    panel = started();
    family = await panel.create('taxonomy', { scientificName: 'Equidae', rank: 'family' });
    species = await panel.create('taxonomy', {
      scientificName: 'Equus quagga',
      rank: 'species',
      parent: { connect: [link(family)] },
    });
    const seen: readonly Json[] = [
      {
        time: '2021-06-03',
        locality: 'Seronera',
        groupSize: 2,
        taxonomy: { connect: [link(species)] },
      },
      { time: '2020', locality: 'Lobo', groupSize: 7, taxonomy: { connect: [link(family)] } },
      { time: '2022', locality: 'Naabi Hill' },
    ];
    const encounters = [];
    for (const data of seen) encounters.push(await panel.create('encounter', data));
    ours.push(...[family, species, ...encounters].map(({ documentId }) => documentId));
  });

  const LIST = '?page=1&pageSize=100';

  const isOurs = (row: unknown): boolean => ours.includes(at(row, 'documentId'));

  /** One column of our rows that a list or a picker shows. */
  async function shown(url: string, column: string): Promise<unknown[]> {
    const { status, body } = await panel.ask('GET', url);
    expect([url, status]).toEqual([url, 200]);
    const rows = (at(body, 'results') as unknown[]).filter(isOurs);
    return rows.map((row) => asObject(row)[column]);
  }

  const localities = (query: string): Promise<unknown[]> =>
    shown(`${documents('encounter')}${LIST}${query}`, 'locality');

  describe('a list', () => {
    test.each([
      [
        'by a column',
        '&sort=groupSize:ASC&filters[$and][0][groupSize][$notNull]=true',
        ['Seronera', 'Lobo'],
      ],
      [
        'by the name of a taxon',
        '&sort=taxonomy.scientificName:DESC&filters[$and][0][taxonomy][id][$notNull]=true',
        ['Seronera', 'Lobo'],
      ],
      ['by when it was made', '&sort=createdAt:DESC', ['Naabi Hill', 'Lobo', 'Seronera']],
    ])('is sorted %s', async (_, query, expected) => {
      expect(await localities(query)).toEqual(expected);
    });

    test.each([
      ['a text', '&filters[$and][0][locality][$containsi]=LOBO', ['Lobo']],
      ['a number', '&filters[$and][0][groupSize][$gt]=2', ['Lobo']],
      ['a choice', '&filters[$and][0][state][$eq]=pending', []],
      [
        'the name of a taxon',
        '&filters[$and][0][taxonomy][scientificName][$eq]=Equus quagga',
        ['Seronera'],
      ],
    ])('is filtered by %s', async (_, query, expected) => {
      expect(await localities(encodeURI(query))).toEqual(expected);
    });

    test('is searched', async () => {
      expect(await localities('&_q=seroNERA')).toEqual(['Seronera']);
      expect(await localities('&_q=hill%20NAAB')).toEqual(['Naabi Hill']);
      // As the API: by words, and not by what else a row has.
      expect(await localities('&_q=2022')).toEqual([]);
      expect(await localities('&_q=%22%27%25')).toEqual([]);
    });

    test('shows the status of a name, and the parent of a taxon', async () => {
      const equids = 'filters[$and][0][scientificName][$startsWith]=Equ';
      const url = `${documents('taxonomy')}${LIST}&sort=scientificName:ASC&${equids}`;
      expect(await shown(url, 'taxonomicStatus')).toEqual(['accepted', 'accepted']);
      expect((await shown(url, 'parent')).map((parent) => at(parent, 'scientificName'))).toEqual([
        undefined,
        'Equidae',
      ]);
    });
  });

  describe('a relation', () => {
    const relations = '/content-manager/relations/api::encounter.encounter/taxonomy';

    test('offers the taxa, by their names', async () => {
      expect(await shown(`${relations}?pageSize=100&_q=&page=1`, 'scientificName')).toEqual([
        'Equidae',
        'Equus quagga',
      ]);
      expect(await shown(`${relations}?pageSize=100&_q=quag&page=1`, 'scientificName')).toEqual([
        'Equus quagga',
      ]);
    });

    test('shows the taxon that it is linked to', async () => {
      const { body } = await panel.ask('GET', `${documents('encounter')}${LIST}&_q=Lobo`);
      const { documentId } = asObject((at(body, 'results') as unknown[]).find(isOurs));
      const url = `/content-manager/relations/api::encounter.encounter/${String(documentId)}/taxonomy`;
      expect(await shown(`${url}?pageSize=5&page=1`, 'documentId')).toEqual([family['documentId']]);
    });
  });

  describe('the panel asks the database', () => {
    const knex = () => panel.service.strapi.db.connection;

    async function queriesOf(action: () => Promise<unknown>): Promise<number> {
      let count = 0;
      const onQuery = (): void => void (count += 1);
      knex().on('query', onQuery);
      await action();
      knex().removeListener('query', onQuery);
      return count;
    }

    /** Without what the service asks of its own accord meanwhile. */
    async function leastQueriesOf(action: () => Promise<unknown>): Promise<number> {
      const counts = [await queriesOf(action), await queriesOf(action), await queriesOf(action)];
      return Math.min(...counts);
    }

    // Most of them are Strapi's own: who asks, what they may do, and what the panel shows of relations.
    test.each([
      [
        'a list',
        14,
        () => panel.ask('GET', `${documents('encounter')}${LIST}&sort=createdAt:DESC`),
      ],
      [
        'a form',
        12,
        () => panel.open('encounter', String(species['documentId'])).catch(() => null),
      ],
      ['a new document', 12, () => panel.create('encounter', { time: '2023' })],
    ] as const)('a bounded number of times for %s', async (_, most, action) => {
      expect(await leastQueriesOf(action)).toBeLessThanOrEqual(most);
    });

    test('as often for many rows as for few', async () => {
      const list = (size: number) => () =>
        panel.ask(
          'GET',
          `${documents('encounter')}?page=1&pageSize=${size}&sort=createdAt:ASC&filters[createdAt][$gte]=${since}`,
        );
      expect(await leastQueriesOf(list(50))).toBe(await leastQueriesOf(list(1)));
    });

    test('a bounded number of times for a save', async () => {
      const { documentId } = await panel.create('encounter', { time: '2024' });
      const opened = await panel.open('encounter', String(documentId));
      const url = `${documents('encounter')}/${String(documentId)}`;
      const save = () => panel.ask('PUT', url, form(opened, { time: '2025' }));
      expect(await queriesOf(save)).toBeLessThanOrEqual(19);
    });
  });
}
