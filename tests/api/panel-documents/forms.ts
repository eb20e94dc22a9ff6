import { siteOf } from '#app/plugins/objects/server';
import { asObject, at, type Json } from '../../helpers/json';
import {
  documents,
  fieldTexts,
  form,
  link,
  notice,
  type Panel,
  type PanelAnswer,
} from '../../helpers/panel';
import { expectUnchanged, historyOf, snapshot } from '../../helpers/snapshot';

/** Documents in the forms of the panel: made, saved, refused. */
export function testForms(started: () => Panel): void {
  const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

  let panel: Panel;
  beforeAll(() => {
    panel = started();
  });

  /** The row of a document, with the columns that the panel does not show. */
  async function rowOf(table: string, id: unknown): Promise<Json> {
    const knex = panel.service.strapi.db.connection;
    return asObject(await knex(table).where({ document_id: id }).first<unknown>());
  }

  const save = async (type: string, id: unknown, changes: Json): Promise<PanelAnswer> =>
    panel.ask(
      'PUT',
      `${documents(type)}/${String(id)}`,
      form(await panel.open(type, String(id)), changes),
    );

  /** Asks for something that is refused, and proves that nothing was written. */
  async function refused(action: () => Promise<PanelAnswer>): Promise<PanelAnswer> {
    const before = await snapshot(panel.service);
    const answer = await action();
    expect(answer.status).toBe(400);
    await expectUnchanged(panel.service, before);
    return answer;
  }

  describe('a new document', () => {
    test('is saved as its form begins, with nothing derived touched', async () => {
      const taxon = await panel.create('taxonomy', {
        scientificName: '  Equus ZEBRA ',
        rank: 'Species',
      });
      expect(taxon).toMatchObject({
        documentId: expect.stringMatching(UUID) as string,
        scientificName: 'Equus ZEBRA',
        rank: 'species',
        taxonomicStatus: 'accepted',
        enabled: true,
        version: 1,
      });
      expect(await rowOf('taxonomies', taxon['documentId'])).toMatchObject({
        name_key: 'equus zebra\u001fspecies',
      });
    });

    test('has its derived columns, its defaults and its relation', async () => {
      const taxon = await panel.create('taxonomy', {
        scientificName: 'Equus grevyi',
        locationPrivacy: 'obscured',
      });
      const encounter = await panel.create('encounter', {
        taxonomy: { connect: [link(taxon)] },
        time: '2021-06',
        latitude: 12.3456789,
        longitude: -7.1,
        source: 'survey',
        externalId: '7',
        tags: '["Night", "night"]',
        measurements: '[{"type": "length", "value": 2.1, "unit": "m"}]',
      });
      expect(encounter).toMatchObject({
        taxonomy: { documentId: taxon['documentId'] },
        latitude: 12.3456789,
        locationPrivacy: null,
        state: 'approved',
        observers: [],
        tags: ['night'],
        measurements: [{ type: 'length', value: 2.1, unit: 'm' }],
        customFields: {},
      });
      const row = await rowOf('encounters', encounter['documentId']);
      expect(row['import_key']).toBe('source\u001fsurvey\u001f7');
      expect([Number(row['time_start']), Number(row['time_end'])]).toEqual([
        Date.UTC(2021, 5),
        Date.UTC(2021, 6) - 1,
      ]);
    });

    test('waits for a review where the site asks for one, whatever its form begins with', async () => {
      const site = siteOf(panel.service.strapi);
      const settings = { ...site.current(), reviewEncounters: true };
      const current = jest.spyOn(site, 'current').mockReturnValue(settings);
      expect((await panel.create('encounter', {}))['state']).toBe('pending');
      current.mockRestore();
    });

    test('has its row in the history, which names who made it', async () => {
      const { documentId } = await panel.create('taxonomy', { scientificName: 'Equus ferus' });
      const [entry, ...others] = await historyOf(panel.service, String(documentId));
      expect(others).toEqual([]);
      expect(entry).toMatchObject({
        type: 'taxonomy',
        version: 1,
        action: 'create',
        actor_kind: 'user',
        actor_name: 'Administrator',
      });
      expect(entry?.changes).toContainEqual({
        path: 'scientific_name',
        before: null,
        after: 'Equus ferus',
      });
    });
  });

  describe('a document that is saved again', () => {
    test('holds figures that may have moved since it was opened, and edges that it changes', async () => {
      await panel.create('taxonomy', {
        scientificName: 'Protectus protectus',
        locationPrivacy: 'obscured',
      });
      const young = await panel.create('individual', { sex: 'female' });
      const { documentId } = await panel.create('individual', {
        relationships: [{ individual: young['documentId'], type: 'sibling', name: 'whatever' }],
      });
      const opened = await panel.open('individual', String(documentId));
      expect(opened['relationships']).toEqual([
        { individual: young['documentId'], type: 'sibling', name: null },
      ]);
      const { id } = await rowOf('individuals', documentId);
      await panel.create('encounter', {
        time: '2020',
        individual: { connect: [{ id, documentId }] },
      });
      const changes = form(opened, { remarks: 'seen', relationships: [] });
      const answer = await panel.ask(
        'PUT',
        `${documents('individual')}/${String(documentId)}`,
        changes,
      );
      expect([answer.status, at(answer.body, 'data', 'relationships')]).toEqual([200, []]);
      expect(await rowOf('individuals', documentId)).toMatchObject({
        version: 2,
        encounter_count: 1,
        // It is not identified, and some taxon here is protected.
        public_encounter_count: 0,
      });
      expect((await rowOf('individuals', young['documentId']))['version']).toBe(3);
    });

    test('changes by what was changed in its form alone', async () => {
      const taxon = await panel.create('taxonomy', { scientificName: 'Giraffa', rank: 'genus' });
      const { documentId, id } = await panel.create('encounter', {
        taxonomy: { connect: [link(taxon)] },
        time: '2020',
        locality: 'a waterhole',
        groupSize: 3,
        source: 'survey',
        externalId: '8',
      });
      const answer = await save('encounter', documentId, {
        time: '2021-06-03',
        locality: '',
        groupSize: null,
        externalId: '9',
      });
      expect(answer.status).toBe(200);
      expect(at(answer.body, 'data')).toMatchObject({
        id,
        documentId,
        time: '2021-06-03',
        locality: null,
        groupSize: null,
        taxonomy: { documentId: taxon['documentId'] },
        version: 2,
      });
      const row = await rowOf('encounters', documentId);
      expect(Number(row['time_start'])).toBe(Date.UTC(2021, 5, 3));
      expect(row['import_key']).toBe('source\u001fsurvey\u001f9');
      const [, update] = await historyOf(panel.service, String(documentId));
      expect(update).toMatchObject({ version: 2, action: 'update', actor_name: 'Administrator' });
      expect(update?.changes.map(({ path }) => path).sort()).toEqual([
        'external_id',
        'group_size',
        'locality',
        'time',
      ]);
    });

    test('is no change when nothing is', async () => {
      const { documentId } = await panel.create('encounter', { time: '2021', tags: '["a"]' });
      const before = await snapshot(panel.service);
      expect((await save('encounter', documentId, {})).status).toBe(200);
      await expectUnchanged(panel.service, before);
    });

    test('takes JSON as text, and empties it', async () => {
      const { documentId } = await panel.create('taxonomy', {
        scientificName: 'Loxodonta',
        vernacularNames: '{"eng": "elephants"}',
      });
      const names = async (vernacularNames: unknown): Promise<unknown> =>
        at(
          (await save('taxonomy', documentId, { vernacularNames })).body,
          'data',
          'vernacularNames',
        );
      expect(at(await panel.open('taxonomy', String(documentId)), 'vernacularNames')).toEqual({
        en: 'elephants',
      });
      expect(await names('{"fr": "éléphants"}')).toEqual({ fr: 'éléphants' });
      expect(await names('')).toBeNull();
      expect(await names('{"fr": "éléphants"}')).toEqual({ fr: 'éléphants' });
      expect(await names(null)).toBeNull();
    });

    test('is linked, linked to another, and not linked any more', async () => {
      const [first, second] = [
        await panel.create('taxonomy', { scientificName: 'Panthera', rank: 'genus' }),
        await panel.create('taxonomy', { scientificName: 'Felidae', rank: 'family' }),
      ];
      const { documentId } = await panel.create('taxonomy', { scientificName: 'Panthera leo' });
      const parent = async (links: Json): Promise<unknown> => {
        const answer = await save('taxonomy', documentId, { parent: links });
        expect(answer.status).toBe(200);
        return at(answer.body, 'data', 'parent', 'documentId');
      };
      expect(await parent({ connect: [link(first)], disconnect: [] })).toBe(first['documentId']);
      expect(await parent({ connect: [], disconnect: [] })).toBe(first['documentId']);
      expect(await parent({ connect: [link(second)], disconnect: [link(first)] })).toBe(
        second['documentId'],
      );
      expect(await parent({ connect: [], disconnect: [link(second)] })).toBeUndefined();
      expect((await historyOf(panel.service, String(documentId))).at(-1)).toMatchObject({
        version: 4,
        changes: [{ path: 'parent', before: second['documentId'], after: null }],
      });
    });

    test('is refused when somebody else has saved it since the form was opened', async () => {
      const { documentId } = await panel.create('encounter', { time: '2021' });
      const opened = await panel.open('encounter', String(documentId));
      expect((await save('encounter', documentId, { time: '2022' })).status).toBe(200);
      const answer = await refused(() =>
        panel.ask(
          'PUT',
          `${documents('encounter')}/${String(documentId)}`,
          form(opened, { locality: 'a waterhole' }),
        ),
      );
      expect(notice(answer)).toMatch(/changed in the meantime.*not saved/);
      expect(fieldTexts(answer)).toEqual({
        version: expect.stringContaining('version 2') as string,
      });
    });

    test.each([['x'], [0], [1.5], [99], [[1]], [{}]])(
      'is refused when its form holds %j for its version',
      async (version) => {
        const { documentId } = await panel.create('encounter', { time: '2021' });
        await refused(() => save('encounter', documentId, { version, time: '2022' }));
      },
    );
  });

  interface Wrong {
    readonly name: string;
    readonly type?: 'taxonomy';
    readonly data: Json;
    readonly texts: Json;
  }

  const text = (part: string): string => expect.stringContaining(part) as string;

  describe('what is wrong', () => {
    const wrong: readonly Wrong[] = [
      { name: 'a time that is none', data: { time: 'yesterday' }, texts: { time: text('EDTF') } },
      { name: 'half a position', data: { latitude: 1 }, texts: { longitude: text('required') } },
      {
        name: 'numbers beyond their bounds',
        data: { latitude: 91, longitude: 181, groupSize: 0 },
        texts: { latitude: text('90'), longitude: text('180'), groupSize: text('1') },
      },
      {
        name: 'values of another type',
        data: { groupSize: '3', locality: 5 },
        texts: { groupSize: text('whole number'), locality: text('a text') },
      },
      { name: 'a choice that is none', data: { sex: 'both' }, texts: { sex: text('female') } },
      {
        name: 'a country that is none',
        data: { countryCode: 'XX' },
        texts: { countryCode: text('ISO 3166') },
      },
      {
        name: 'a region that is none',
        data: { locationId: 'north' },
        texts: { locationId: text('region') },
      },
      { name: 'JSON that is none', data: { tags: '["a"' }, texts: { 'tags._': text('a list') } },
      {
        name: 'something inside of JSON, with where it is',
        data: { measurements: '[{"type": "length"}, 5]' },
        texts: {
          'measurements.0.value': text('required'),
          'measurements.1': text('object'),
        },
      },
      {
        name: 'a custom field that nobody has defined',
        data: { customFields: '{"color": "red"}' },
        texts: { customFields: text('color: ') },
      },
      {
        name: 'a control character',
        data: { locality: 'a\u0000b', observers: '["a\\u0000b"]' },
        texts: { locality: text('text'), 'observers.0': text('without control characters') },
      },
      { name: 'a lone surrogate', data: { remarks: '\ud800' }, texts: { remarks: text('text') } },
      {
        name: 'an e-mail that is none',
        data: { submitterEmail: 'nobody' },
        texts: { submitterEmail: text('e-mail') },
      },
      {
        name: 'a link to nothing',
        data: {
          taxonomy: { connect: [{ id: 999, documentId: '0a0a0a0a-0000-4000-8000-000000000999' }] },
        },
        texts: { taxonomy: text('no such taxon') },
      },
      {
        name: 'a link to a row instead of a document',
        data: { taxonomy: { connect: [{ id: 1 }] } },
        texts: { taxonomy: text('a text') },
      },
      {
        name: 'links to null',
        data: { taxonomy: { connect: [null] }, assets: { connect: [null], disconnect: [null] } },
        texts: { taxonomy: text('a text'), assets: text('a text') },
      },
      {
        name: 'a state of its own',
        data: { state: 'rejected' },
        texts: { state: text('cannot be written') },
      },
      {
        name: 'a bound of the time',
        data: { timeStart: '5' },
        texts: { timeStart: text('no such field') },
      },
      {
        name: 'the key of an import',
        data: { importKey: 'x' },
        texts: { importKey: text('no such field') },
      },
      {
        name: 'a name that is missing',
        type: 'taxonomy',
        data: { scientificName: '' },
        texts: { scientificName: text('required') },
      },
      {
        name: 'languages that are none',
        type: 'taxonomy',
        data: { vernacularNames: '{"en-": "x", "fr": 5}' },
        texts: { 'vernacularNames.en-': text('BCP 47'), 'vernacularNames.fr': text('a text') },
      },
      {
        name: 'an accepted name of an accepted name',
        type: 'taxonomy',
        data: { accepted: { connect: [{ documentId: '0a0a0a0a-0000-4000-8000-000000000001' }] } },
        texts: { accepted: text('') },
      },
    ];
    const minimal: Readonly<Record<string, Json>> = {
      taxonomy: { scientificName: 'Something wrong' },
      encounter: {},
    };

    test.each(wrong.map((row) => [row.name, row] as const))(
      'is told at its field: %s, in a new document',
      async (_, { type = 'encounter', data, texts }) => {
        const answer = await refused(() =>
          panel.ask('POST', documents(type), { ...minimal[type], ...data }),
        );
        expect(fieldTexts(answer)).toEqual(texts);
      },
    );

    test.each(wrong.map((row) => [row.name, row] as const))(
      'is told at its field: %s, in a document that is there',
      async (name, { type = 'encounter', data, texts }) => {
        const scientificName = `Right before ${name}`;
        const { documentId } = await panel.create(
          type,
          type === 'taxonomy' ? { scientificName } : {},
        );
        const answer = await refused(() => save(type, documentId, data));
        expect(fieldTexts(answer)).toEqual(texts);
      },
    );

    test('is shown above the page, too, with the name of the field', async () => {
      expect(
        notice(await refused(() => panel.ask('POST', documents('encounter'), { time: '?' }))),
      ).toBe(
        'time: This has to be a date or time (EDTF level 0), such as 2021, 2021-06, 2021-06-03 or 2021-06-03T14:05+02:00, or two of these with / between them.',
      );
    });

    test('is a name that is taken, whatever its case', async () => {
      await panel.create('taxonomy', { scientificName: 'Acinonyx jubatus', rank: 'species' });
      const answer = await refused(() =>
        panel.ask('POST', documents('taxonomy'), {
          scientificName: 'acinonyx JUBATUS',
          rank: 'Species',
        }),
      );
      expect(fieldTexts(answer)).toEqual({ scientificName: text('taken') });
    });

    test('is a key that is taken, when a document comes to have it', async () => {
      await panel.create('taxonomy', { scientificName: 'Syncerus caffer', gbifKey: 5 });
      const { documentId } = await panel.create('taxonomy', { scientificName: 'Syncerus' });
      expect(fieldTexts(await refused(() => save('taxonomy', documentId, { gbifKey: 5 })))).toEqual(
        {
          gbifKey: text('taken'),
        },
      );
    });

    test('is one of several that are saved at once with the same name', async () => {
      const answers = await Promise.all(
        [1, 2, 3].map(() =>
          panel.ask('POST', documents('taxonomy'), { scientificName: 'Diceros' }),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
      expect(answers.flatMap((answer) => fieldTexts(answer) ?? [])).toEqual([
        { scientificName: text('taken') },
        { scientificName: text('taken') },
      ]);
    });

    test('is a taxon that would come to stand above itself', async () => {
      const top = await panel.create('taxonomy', { scientificName: 'Bovidae' });
      const below = await panel.create('taxonomy', {
        scientificName: 'Bos',
        parent: { connect: [link(top)] },
      });
      const answer = await refused(() =>
        save('taxonomy', top['documentId'], { parent: { connect: [link(below)], disconnect: [] } }),
      );
      expect(fieldTexts(answer)).toEqual({ parent: text('does not go together') });
    });

    test('is a duplicate, by either of the ways to it', async () => {
      const { documentId } = await panel.create('taxonomy', { scientificName: 'Hippotragus' });
      for (const action of ['clone', 'auto-clone']) {
        const url = `${documents('taxonomy')}/${action}/${String(documentId)}`;
        const before = await snapshot(panel.service);
        const { status } = await panel.ask('POST', url, { scientificName: 'Hippotragus niger' });
        expect([action, status]).toEqual([action, 405]);
        await expectUnchanged(panel.service, before);
      }
    });
  });
}
