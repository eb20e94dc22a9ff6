import { idsOf } from '../../helpers/ids';
import { parsed, at, type Json } from '../../helpers/json';
import { runScenarios, runStory, type Scenario } from '../../helpers/scenario';
import type { World } from '../../helpers/world';

const uuid = idsOf(11);

/** The creation of taxa, on a shared service. */
export function testCreate(world: () => World): void {
  const url = '/api/v0/taxonomy';
  const [FAMILY, ZEBRA, SYNONYM] = [uuid(1), uuid(2), uuid(3)];

  beforeAll(async () => {
    await world().create('taxonomy', { id: FAMILY, scientific_name: 'Equidae', rank: 'family' });
    await world().create('taxonomy', {
      id: ZEBRA,
      scientific_name: 'Equus quagga',
      rank: 'species',
      parent: FAMILY,
      itis_tsn: 624930,
      gbif_key: 5787167,
    });
    await world().create('taxonomy', { id: SYNONYM, scientific_name: 'Équus Ürsus' });
  });

  describe('creating a taxon', () => {
    test('keeps every field as it was given', async () => {
      const given: Json = {
        scientific_name: 'Equus grevyi',
        rank: 'species',
        authorship: 'Oustalet, 1882',
        vernacular_names: { en: "Grevy's zebra", fr: 'zèbre de Grévy' },
        parent: FAMILY,
        status: 'synonym',
        accepted: ZEBRA,
        itis_tsn: 1,
        gbif_key: 2147483647,
        location_privacy: 'obscured',
        enabled: false,
      };
      const id = await world().create('taxonomy', given);
      const read = await world().read('taxonomy', id);
      expect(read).toEqual({
        id,
        ...given,
        version: 1,
        created_at: expect.any(String) as string,
        updated_at: read['created_at'],
        permissions: ['update', 'delete'],
      });
    });

    test('needs a name alone', async () => {
      const id = await world().create('taxonomy', { scientific_name: ' Felis  catus ' });
      expect(await world().read('taxonomy', id)).toMatchObject({
        scientific_name: 'Felis catus',
        rank: null,
        authorship: null,
        vernacular_names: null,
        parent: null,
        status: 'accepted',
        accepted: null,
        itis_tsn: null,
        gbif_key: null,
        location_privacy: null,
        enabled: true,
        version: 1,
      });
    });

    const create = (name: string, body: Json, expected: Scenario['expect']): Scenario => ({
      name,
      method: 'POST',
      url,
      body,
      expect: expected,
    });
    const refused = (...invalid: NonNullable<Scenario['expect']['invalid']>) => ({
      status: 400,
      key: 'MALFORMED',
      invalid,
    });
    const taken = (path: string): Scenario['expect'] => ({
      status: 400,
      key: 'ENTITY_EXISTS',
      args: { type: 'taxonomy', path },
      invalid: [[path, 'TAKEN']],
    });
    const good = { status: 200 };

    runScenarios(world, [
      create('wants a name', {}, refused(['scientific_name', 'REQUIRED'])),
      create(
        'wants a name that is not null',
        { scientific_name: null },
        refused(['scientific_name', 'REQUIRED']),
      ),
      create(
        'wants a name that is not blank',
        { scientific_name: ' \t' },
        refused(['scientific_name', 'TOO_SHORT', { min: 1 }]),
      ),
      create(
        'names all that is wrong at once',
        { rank: 5, parent: uuid(0xdead), accepted: ZEBRA, itis_tsn: 0, gbif_key: 5787167, nope: 1 },
        refused(
          ['scientific_name', 'REQUIRED'],
          ['rank', 'TYPE', { expected: 'string' }],
          ['parent', 'NO_SUCH', { type: 'taxonomy' }],
          ['accepted', 'CONFLICT', { with: 'status' }],
          ['itis_tsn', 'TOO_SMALL', { value: 0, min: 1 }],
          ['gbif_key', 'TAKEN'],
          ['nope', 'UNKNOWN'],
        ),
      ),
      create(
        'takes a name once per rank',
        { scientific_name: 'Equus quagga', rank: 'species' },
        taken('scientific_name'),
      ),
      create(
        'takes it without regard to case',
        { scientific_name: 'EQUUS QUAGGA', rank: 'SPECIES' },
        taken('scientific_name'),
      ),
      create(
        'takes it without regard to blanks around it',
        { scientific_name: ' Equus quagga ', rank: ' species ' },
        taken('scientific_name'),
      ),
      create(
        'folds more than the letters of ASCII',
        { scientific_name: 'éQUUS üRSUS' },
        taken('scientific_name'),
      ),
      create(
        'folds what is composed in another way',
        { scientific_name: 'E\u0301quus U\u0308rsus' },
        taken('scientific_name'),
      ),
      create(
        'takes it in another rank',
        { scientific_name: 'Equus quagga', rank: 'subspecies' },
        good,
      ),
      create('does not mix up name and rank', { scientific_name: 'Equus', rank: 'quagga' }, good),
      create(
        'takes a name as long as it may be with a rank as long as it may be',
        { scientific_name: 'n'.repeat(255), rank: 'r'.repeat(50) },
        good,
      ),
      create(
        'compares long names to their end',
        { scientific_name: 'n'.repeat(255), rank: `${'r'.repeat(49)}s` },
        good,
      ),
      create(
        'takes an ITIS number once',
        { scientific_name: 'A', itis_tsn: 624930 },
        taken('itis_tsn'),
      ),
      create(
        'takes a GBIF key once',
        { scientific_name: 'A', gbif_key: 5787167 },
        taken('gbif_key'),
      ),
      create(
        'tells of the first that is taken, and lists all',
        { scientific_name: 'equidae', rank: 'Family', itis_tsn: 624930 },
        {
          status: 400,
          key: 'ENTITY_EXISTS',
          invalid: [
            ['scientific_name', 'TAKEN'],
            ['itis_tsn', 'TAKEN'],
          ],
        },
      ),
      create(
        'refuses an accepted name for what is no synonym',
        { scientific_name: 'B', accepted: ZEBRA },
        refused(['accepted', 'CONFLICT', { with: 'status' }]),
      ),
      create(
        'takes a synonym whose accepted name is not known',
        { scientific_name: 'C', status: 'synonym' },
        good,
      ),
      create(
        'refuses itself as its parent',
        { id: uuid(0xc), scientific_name: 'D', parent: uuid(0xc) },
        refused(['parent', 'NO_SUCH', { type: 'taxonomy' }]),
      ),
    ]);

    runStory(world, 'takes a name without a rank, beside one with a rank, once', [
      create('takes an absent rank for one of its own', { scientific_name: 'Equus quagga' }, good),
      create(
        'takes an absent rank once',
        { scientific_name: 'equus quagga', rank: null },
        taken('scientific_name'),
      ),
    ]);

    test('creates one of twenty with concurrent requests', async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          world().send({
            method: 'POST',
            url,
            body: { scientific_name: n % 2 ? 'Equus kiang' : 'equus KIANG', rank: 'species' },
          }),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([
        200,
        ...Array<number>(19).fill(400),
      ]);
      for (const { text } of answers.filter(({ status }) => status === 400)) {
        expect(at(parsed(text), 'message')).toMatchObject({
          key: 'API_RESPONSE_ENTITY_EXISTS',
          args: { type: 'taxonomy', path: 'scientific_name' },
        });
      }
      const rows = await world()
        .service.strapi.db.connection('taxonomies')
        .whereRaw("lower(scientific_name) = 'equus kiang'");
      expect(rows).toHaveLength(1);
    });

    test('makes one of ten that want the same number under different names', async () => {
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          world().send({ method: 'POST', url, body: { scientific_name: `N ${n}`, itis_tsn: 77 } }),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([
        200,
        ...Array<number>(9).fill(400),
      ]);
      for (const { text } of answers.filter(({ status }) => status === 400)) {
        expect(at(parsed(text), 'message', 'args')).toMatchObject({ path: 'itis_tsn' });
      }
    });
  });
}
