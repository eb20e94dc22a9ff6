import { idsOf } from '../../helpers/ids';
import { runStory, type Scenario } from '../../helpers/scenario';
import type { World } from '../../helpers/world';

const uuid = idsOf(13);

/** The deletion of taxa, on a shared service. */
export function testDelete(world: () => World): void {
  const [FAMILY, GENUS, SPECIES, SYNONYM, SEEN] = [1, 2, 3, 4, 5].map(uuid) as [
    string,
    string,
    string,
    string,
    string,
  ];
  const one = (id: string): string => `/api/v0/taxonomy/${id}`;

  beforeAll(async () => {
    await world().create('taxonomy', { id: FAMILY, scientific_name: 'Felidae', rank: 'family' });
    await world().create('taxonomy', { id: GENUS, scientific_name: 'Panthera', parent: FAMILY });
    await world().create('taxonomy', { id: SPECIES, scientific_name: 'Panthera leo' });
    await world().create('taxonomy', {
      id: SYNONYM,
      scientific_name: 'Panthera massaica',
      status: 'synonym',
      accepted: SPECIES,
    });
    await world().create('encounter', { id: SEEN, taxonomy: SYNONYM });
    await world().create('encounter', { taxonomy: SYNONYM });
  });

  describe('deleting a taxon', () => {
    const inUse = (name: string, id: string, type: string, count: number): Scenario => ({
      name,
      method: 'DELETE',
      url: one(id),
      expect: { status: 400, key: 'IN_USE', args: { type, count } },
    });
    const gone = (name: string, id: string): Scenario => ({
      name,
      method: 'DELETE',
      url: one(id),
      expect: { status: 200, response: { id } },
    });

    runStory(world, 'is done from below, as soon as nothing refers to a taxon', [
      inUse('is refused while a taxon stands below it', FAMILY, 'taxonomy', 1),
      inUse('is refused while a synonym stands for it', SPECIES, 'taxonomy', 1),
      inUse('is refused while encounters are identified as it', SYNONYM, 'encounter', 2),
      {
        ...inUse('does not depend on If-Match', SYNONYM, 'encounter', 2),
        headers: { 'If-Match': '*' },
      },
      {
        name: 'is free of an encounter that is identified anew',
        method: 'PUT',
        url: `/api/v0/encounter/${SEEN}`,
        body: { taxonomy: null },
        expect: { status: 200 },
      },
      inUse('tells how many there still are', SYNONYM, 'encounter', 1),
      gone('is done when nothing refers to it', GENUS),
      gone('is done when what was below it is gone', FAMILY),
      {
        name: 'leaves nothing behind',
        method: 'GET',
        url: one(FAMILY),
        expect: { status: 402, key: 'ENTITY_NOT_FOUND' },
      },
      {
        name: 'frees the name',
        method: 'POST',
        url: '/api/v0/taxonomy',
        body: { scientific_name: 'Felidae', rank: 'family' },
        expect: { status: 200 },
      },
    ]);

    test('and a new reference to it never both succeed', async () => {
      for (let round = 0; round < 5; round += 1) {
        const id = await world().create('taxonomy', { scientific_name: `Brief ${round}` });
        const [removed, made] = await Promise.all([
          world().send({ method: 'DELETE', url: one(id) }),
          world().send({ method: 'POST', url: '/api/v0/encounter', body: { taxonomy: id } }),
        ]);
        expect([removed.status, made.status].sort()).toEqual([200, 400]);
      }
    });
  });
}
