import type { Json } from '../../helpers/json';
import {
  documents,
  fieldTexts,
  form,
  link,
  type Panel,
  type PanelAnswer,
} from '../../helpers/panel';
import { expectUnchanged, historyOf, snapshot } from '../../helpers/snapshot';
import { story } from '../../helpers/story';

/** Names that are unique within a kingdom, as the content manager saves them. */
export function testHomonyms(started: () => Panel): void {
  const URL = documents('taxonomy');
  const taken = { scientificName: expect.stringContaining('taken') as string };
  const made = new Map<string, Json>();

  const linked = (name: string): Json => ({
    connect: [link(made.get(name) ?? {})],
    disconnect: [],
  });
  const genus = (parent: string, more: Json = {}): Json => ({
    scientificName: 'Oenanthe',
    rank: 'genus',
    parent: linked(parent),
    ...more,
  });
  const synonymOf = (accepted: string): Json => ({
    taxonomicStatus: 'synonym',
    accepted: linked(accepted),
  });

  /** Makes a taxon, by which name others are linked to it. */
  async function make(name: string, data: Json): Promise<void> {
    made.set(name, await started().create('taxonomy', data));
  }

  /** The kingdom that is kept with a taxon, by its name. */
  async function kingdomOf(name: string): Promise<unknown> {
    const knex = started().service.strapi.db.connection;
    const row = await knex('taxonomies')
      .join('taxonomies as k', 'k.id', 'taxonomies.kingdom')
      .where('taxonomies.document_id', String(made.get(name)?.['documentId']))
      .first<{ name: string } | undefined>('k.scientific_name as name');
    return row?.name;
  }

  /** Proves that a form is refused at the name, in words, and that nothing is written. */
  async function refused(method: string, url: string, data: Json): Promise<void> {
    const before = await snapshot(started().service);
    const answer: PanelAnswer = await started().ask(method, url, data);
    expect([answer.status, fieldTexts(answer)]).toEqual([400, taken]);
    await expectUnchanged(started().service, before);
  }

  const save = async (name: string, changes: Json): Promise<readonly [string, Json]> => {
    const id = String(made.get(name)?.['documentId']);
    return [`${URL}/${id}`, form(await started().open('taxonomy', id), changes)];
  };

  story('a name is there once in a kingdom', [
    [
      'a bird and a plant of one name are both made',
      async () => {
        await make('animals', { scientificName: 'Animals', rank: 'kingdom' });
        await make('plants', { scientificName: 'Plants', rank: 'kingdom' });
        await make('birds', { scientificName: 'Birds', parent: linked('animals') });
        await make('bird', genus('birds'));
        await make('plant', genus('plants'));
        expect([await kingdomOf('bird'), await kingdomOf('plant')]).toEqual(['Animals', 'Plants']);
        const [entry] = await historyOf(started().service, String(made.get('plant')?.documentId));
        expect(entry).toMatchObject({ action: 'create', actor_name: 'Administrator' });
      },
    ],
    [
      'a third one is refused at its name, in each of them and in none',
      async () => {
        for (const parent of ['animals', 'birds', 'plants'])
          await refused('POST', URL, genus(parent, { scientificName: 'OENANTHE' }));
        await refused('POST', URL, { scientificName: 'Oenanthe', rank: 'genus' });
      },
    ],
    [
      'one of them does not move to the other',
      async () => {
        const parent = { connect: [link(made.get('birds') ?? {})], disconnect: [] };
        await refused('PUT', ...(await save('plant', { parent })));
      },
    ],
    [
      'a synonym has the kingdom of its accepted name, wherever it stands',
      async () => {
        await refused('POST', URL, genus('plants', synonymOf('bird')));
        const name = { scientificName: 'Saxicola vera', rank: 'species' };
        await make('namesake', { ...name, parent: linked('plants') });
        await make('synonym', { ...name, parent: linked('plants'), ...synonymOf('bird') });
        expect([await kingdomOf('namesake'), await kingdomOf('synonym')]).toEqual([
          'Plants',
          'Animals',
        ]);
        await refused('POST', URL, { ...name, parent: linked('birds') });
      },
    ],
    [
      'and gets that of another one with it, unless its name is taken there',
      async () => {
        const accepted = {
          connect: [link(made.get('plant') ?? {})],
          disconnect: [link(made.get('bird') ?? {})],
        };
        await refused('PUT', ...(await save('synonym', { accepted })));
        const [url, data] = await save('synonym', { accepted, scientificName: 'Saxicola sola' });
        expect((await started().ask('PUT', url, data)).status).toBe(200);
        expect(await kingdomOf('synonym')).toBe('Plants');
      },
    ],
  ]);
}
