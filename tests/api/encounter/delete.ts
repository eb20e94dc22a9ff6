import { idsOf } from '../../helpers/ids';
import { at, parsed } from '../../helpers/json';
import { runScenarios, type Scenario } from '../../helpers/scenario';
import { historyOf } from '../../helpers/snapshot';
import type { World } from '../../helpers/world';

const uuid = idsOf(4);

/** The deletion of encounters, on a shared service. */
export function testDelete(world: () => World): void {
  const [ZEBRA, SEEN, BRIEF] = [uuid(1), uuid(2), uuid(3)];
  const url = `/api/v0/encounter/${SEEN}`;

  beforeAll(async () => {
    await world().create('taxonomy', { id: ZEBRA, scientific_name: 'Panthera pardus' });
    await world().create('encounter', { id: SEEN, taxonomy: ZEBRA, locality: 'here' });
    await world().create('encounter', { id: BRIEF });
  });

  describe('deleting an encounter', () => {
    test('answers its ID, and then it is absent to every call', async () => {
      const id = await world().create('encounter', { taxonomy: ZEBRA });
      const one = `/api/v0/encounter/${id}`;
      const answer = await world().send({
        method: 'DELETE',
        url: one.toUpperCase().replace('/API/V0/ENCOUNTER', '/api/v0/encounter'),
      });
      expect(at(parsed(answer.text), 'response')).toEqual({ id });
      for (const method of ['GET', 'HEAD', 'PUT', 'DELETE'])
        expect([method, (await world().send({ method, url: one })).status]).toEqual([method, 402]);
    });

    test('leaves what it referred to as it was', async () => {
      const before = await world().read('taxonomy', ZEBRA);
      const id = await world().create('encounter', { taxonomy: ZEBRA });
      await world().send({ method: 'DELETE', url: `/api/v0/encounter/${id}` });
      expect(await world().read('taxonomy', ZEBRA)).toEqual(before);
    });

    test('is recorded with all fields in the history', async () => {
      const id = await world().create('encounter', { locality: 'here', group_size: 2 });
      await world().update('encounter', id, { group_size: 3 });
      await world().send({ method: 'DELETE', url: `/api/v0/encounter/${id}` });
      const history = await historyOf(world().service, id);
      expect(history.map(({ action }) => action)).toEqual(['create', 'update', 'delete']);
      expect(history[2]).toMatchObject({ version: 2, type: 'encounter', object: id });
      expect(history[2]?.changes).toEqual(
        expect.arrayContaining([
          { path: 'locality', before: 'here', after: null },
          { path: 'group_size', before: 3, after: null },
        ]),
      );
    });

    test('happens once, however many requests ask for it concurrently', async () => {
      const id = await world().create('encounter');
      const answers = await Promise.all(
        Array.from({ length: 10 }, () =>
          world().send({ method: 'DELETE', url: `/api/v0/encounter/${id}` }),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([
        200,
        ...Array<number>(9).fill(402),
      ]);
      expect(await historyOf(world().service, id)).toHaveLength(2);
    });

    const absent = (id: string): Scenario => ({
      name: `answers 402 for the ID ${id}`,
      method: 'DELETE',
      url: `/api/v0/encounter/${id}`,
      expect: { status: 402, key: 'ENTITY_NOT_FOUND', args: { type: 'encounter', id } },
    });

    runScenarios(world, [
      absent(uuid(0xdead)),
      absent('x'),
      {
        ...absent(ZEBRA),
        name: 'does not delete an object of another type',
      },
      {
        name: 'refuses a body that is not empty, and a parameter',
        method: 'DELETE',
        url: `${url}?force=1`,
        body: { reason: 'x' },
        expect: {
          status: 400,
          key: 'MALFORMED',
          invalid: [
            ['force', 'UNKNOWN'],
            ['reason', 'UNKNOWN'],
          ],
        },
      },
      ...['[]', '[1]', 'null', '5'].map((raw): Scenario => ({
        name: `takes ${raw} for no object`,
        method: 'DELETE',
        url,
        raw,
        headers: { 'Content-Type': 'application/json' },
        expect: {
          status: 400,
          key: 'MALFORMED',
          invalid: [['', 'TYPE', { expected: 'object' }]],
        },
      })),
      {
        name: 'takes an empty object for nothing said',
        method: 'DELETE',
        url: `/api/v0/encounter/${BRIEF}`,
        body: {},
        expect: { status: 200, response: { id: BRIEF } },
      },
    ]);
  });
}
