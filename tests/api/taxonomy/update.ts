import { idsOf } from '../../helpers/ids';
import type { Json } from '../../helpers/json';
import { runScenarios, runStory, type Scenario } from '../../helpers/scenario';
import type { World } from '../../helpers/world';

const uuid = idsOf(12);

/** Updates of taxa, on a shared service. */
export function testUpdate(world: () => World): void {
  const [FAMILY, GENUS, SPECIES, OTHER, SYNONYM] = [1, 2, 3, 4, 5].map(uuid) as [
    string,
    string,
    string,
    string,
    string,
  ];
  const one = (id: string): string => `/api/v0/taxonomy/${id}`;

  beforeAll(async () => {
    await world().create('taxonomy', { id: FAMILY, scientific_name: 'Canidae', rank: 'family' });
    await world().create('taxonomy', { id: GENUS, scientific_name: 'Canis', parent: FAMILY });
    await world().create('taxonomy', {
      id: SPECIES,
      scientific_name: 'Canis lupus',
      parent: GENUS,
    });
    await world().create('taxonomy', { id: OTHER, scientific_name: 'Vulpes vulpes', itis_tsn: 5 });
    await world().create('taxonomy', {
      id: SYNONYM,
      scientific_name: 'Canis aureus',
      status: 'synonym',
      accepted: SPECIES,
    });
  });

  const update = (
    name: string,
    id: string,
    body: Json,
    expected: Scenario['expect'],
  ): Scenario => ({
    name,
    method: 'PUT',
    url: one(id),
    body,
    expect: expected,
  });

  const refused = (...invalid: NonNullable<Scenario['expect']['invalid']>): Scenario['expect'] => ({
    status: 400,
    key: 'MALFORMED',
    invalid,
  });

  describe('updating a taxon', () => {
    const taken = (path: string): Scenario['expect'] => ({
      status: 400,
      key: 'ENTITY_EXISTS',
      args: { type: 'taxonomy', path },
      invalid: [[path, 'TAKEN']],
    });

    runScenarios(world, [
      update(
        'refuses the name of another',
        OTHER,
        { scientific_name: 'CANIS LUPUS' },
        taken('scientific_name'),
      ),
      update(
        'refuses the rank that would make the name that of another',
        OTHER,
        { scientific_name: 'Canidae', rank: 'Family' },
        taken('scientific_name'),
      ),
      update('refuses the number of another', SPECIES, { itis_tsn: 5 }, taken('itis_tsn')),
      update(
        'refuses to be without a name',
        OTHER,
        { scientific_name: null },
        refused(['scientific_name', 'REQUIRED']),
      ),
      update(
        'refuses to be accepted while it names another as accepted',
        SYNONYM,
        { status: 'accepted' },
        refused(['accepted', 'CONFLICT', { with: 'status' }]),
      ),
    ]);

    runStory(world, 'keeps its version where nothing changes', [
      update(
        'takes its own name in another case',
        OTHER,
        { scientific_name: 'VULPES vulpes' },
        { status: 200, response: { version: 2 } },
      ),
      update(
        'takes its own number for no change',
        OTHER,
        { itis_tsn: 5 },
        { status: 200, response: { version: 2 } },
      ),
      update(
        'gives an emptied status, and whether it is offered, its default',
        OTHER,
        { status: null, enabled: null },
        { status: 200, response: { version: 2 } },
      ),
    ]);

    runStory(world, 'changes status and accepted name together', [
      update(
        'is accepted when both are changed',
        SYNONYM,
        { status: 'accepted', accepted: null },
        { status: 200, response: { version: 2 } },
      ),
      update(
        'is a synonym again when both are changed',
        SYNONYM,
        { status: 'synonym', accepted: SPECIES },
        { status: 200, response: { version: 3 } },
      ),
    ]);

    test('frees the name that it had', async () => {
      const id = await world().create('taxonomy', { scientific_name: 'Given up', rank: 'genus' });
      await world().update('taxonomy', id, { scientific_name: 'Taken up' });
      await world().create('taxonomy', { scientific_name: 'given up', rank: 'genus' });
    });
  });

  describe('the tree of taxa', () => {
    const cycle = (path: string) => refused([path, 'CONFLICT', { with: 'id' }]);

    runScenarios(world, [
      update('does not take a taxon for its own parent', GENUS, { parent: GENUS }, cycle('parent')),
      update('does not turn in a circle of two', FAMILY, { parent: GENUS }, cycle('parent')),
      update('does not turn in a circle of three', FAMILY, { parent: SPECIES }, cycle('parent')),
      update(
        'tells of a circle beside what else is wrong',
        FAMILY,
        { parent: SPECIES, rank: 1 },
        refused(['parent', 'CONFLICT', { with: 'id' }], ['rank', 'TYPE']),
      ),
      update(
        'does not take a taxon for its own accepted name',
        SYNONYM,
        { accepted: SYNONYM },
        cycle('accepted'),
      ),
      update(
        'does not let two synonyms stand for each other',
        SPECIES,
        { status: 'synonym', accepted: SYNONYM },
        cycle('accepted'),
      ),
    ]);

    runStory(world, 'is changed by moving a taxon', [
      update('takes a parent elsewhere in the tree', SPECIES, { parent: FAMILY }, { status: 200 }),
      update('takes a taxon out of the tree', SPECIES, { parent: null }, { status: 200 }),
      update('puts it back', SPECIES, { parent: GENUS }, { status: 200 }),
    ]);

    test('does not turn in a circle however deep it is', async () => {
      const line: string[] = [];
      for (let depth = 0; depth < 130; depth += 1) {
        const parent = line.at(-1);
        const body = { scientific_name: `Deep ${depth}`, ...(parent ? { parent } : {}) };
        const answer = await world().send({ method: 'POST', url: '/api/v0/taxonomy', body });
        // A service may refuse a line that is too deep, as long as it makes no circle.
        if (answer.status === 400) break;
        line.push((JSON.parse(answer.text) as { response: { id: string } }).response.id);
      }
      const [root = ''] = line;
      const { status } = await world().send({
        method: 'PUT',
        url: one(root),
        body: { parent: line.at(-1) },
      });
      expect(status).toBe(400);
    });

    test.each([
      ['ends', false],
      // Two that have no taxon in common: nothing but the tree itself stands between them.
      ['ends, each below a child of the other,', true],
    ])('does not turn in a circle when its %s move at the same time', async (_, isIndirect) => {
      for (let round = 0; round < 5; round += 1) {
        const name = `${isIndirect} ${round}`;
        const make = (end: string, parent: string | null): Promise<string> =>
          world().create('taxonomy', { scientific_name: `${end} ${name}`, parent });
        const [a, b] = [await make('a', null), await make('b', null)];
        const [belowA, belowB] = isIndirect ? [await make('c', a), await make('d', b)] : [a, b];
        const answers = await Promise.all([
          world().send({ method: 'PUT', url: one(a), body: { parent: belowB } }),
          world().send({ method: 'PUT', url: one(b), body: { parent: belowA } }),
        ]);
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
        const parents = await Promise.all(
          [a, b].map(async (id) => (await world().read('taxonomy', id))['parent']),
        );
        expect(parents.filter((parent) => parent === null)).toHaveLength(1);
      }
    });
  });
}
