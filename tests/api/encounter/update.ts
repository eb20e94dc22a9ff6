import { idsOf } from '../../helpers/ids';
import { at, parsed } from '../../helpers/json';
import { play, runScenarios, type Scenario } from '../../helpers/scenario';
import { historyOf } from '../../helpers/snapshot';
import type { World } from '../../helpers/world';

const uuid = idsOf(3);

/** Updates of encounters, on a shared service. */
export function testUpdate(world: () => World): void {
  const [ZEBRA, LION, SEEN] = [uuid(1), uuid(2), uuid(3)];
  const url = `/api/v0/encounter/${SEEN}`;

  beforeAll(async () => {
    await world().create('taxonomy', { id: ZEBRA, scientific_name: 'Loxodonta africana' });
    await world().create('taxonomy', { id: LION, scientific_name: 'Panthera onca' });
    await world().create('encounter', {
      id: SEEN,
      taxonomy: ZEBRA,
      time: '2021-06-03',
      latitude: 1,
      longitude: 2,
      locality: 'here',
      tags: ['a', 'b'],
      measurements: [{ type: 'mass', value: 1, unit: 'kg' }],
    });
  });

  describe('updating an encounter', () => {
    test('changes only the given fields, and answers the new version', async () => {
      const before = await world().read('encounter', SEEN);
      const answer = await world().send({
        method: 'PUT',
        url,
        body: { locality: 'there', taxonomy: LION, tags: ['b', 'a'] },
      });
      const version = Number(before['version']) + 1;
      expect(at(parsed(answer.text), 'response')).toEqual({ id: SEEN, version });
      const after = await world().read('encounter', SEEN);
      expect(after).toEqual({
        ...before,
        version,
        locality: 'there',
        taxonomy: LION,
        tags: ['b', 'a'],
        updated_at: after['updated_at'],
      });
      expect(String(after['updated_at']) >= String(before['updated_at'])).toBe(true);
    });

    test('changes whatever fields, more sets of them than have statements of their own', async () => {
      const values = (n: number): Record<string, unknown> => ({
        locality: `place ${n}`,
        remarks: `remark ${n}`,
        group_size: n + 1,
        depth: n,
        tags: [`tag ${n}`],
        time: `2021-06-${String((n % 28) + 1).padStart(2, '0')}`,
        latitude: n / 8,
      });
      const all = Object.entries(values(0));
      const id = await world().create('encounter', { ...values(0), longitude: 2 });
      const expected = { ...(await world().read('encounter', id)) };
      for (let set = 1; set < 2 ** all.length; set += 1) {
        const names = all.flatMap(([name], at) => ((set >> at) & 1 ? name : []));
        const changes = Object.fromEntries(names.map((name) => [name, values(set)[name]]));
        await world().update('encounter', id, changes);
        Object.assign(expected, changes, { version: set + 1 });
      }
      const after = await world().read('encounter', id);
      expect(after).toEqual({ ...expected, updated_at: after['updated_at'] });
    });

    test('records each field before and after in the history', async () => {
      const id = await world().create('encounter', { locality: 'a', group_size: 1, tags: ['x'] });
      await world().update('encounter', id, { locality: null, group_size: 2, tags: ['x', 'y'] });
      await world().update('encounter', id, { latitude: 1, longitude: 2 });
      const history = await historyOf(world().service, id);
      expect(history.map(({ version, action }) => [version, action])).toEqual([
        [1, 'create'],
        [2, 'update'],
        [3, 'update'],
      ]);
      const [, second, third] = history.map(({ changes }) =>
        [...changes].sort((a, b) => a.path.localeCompare(b.path)),
      );
      expect(second).toEqual([
        { path: 'group_size', before: 1, after: 2 },
        { path: 'locality', before: 'a', after: null },
        { path: 'tags', before: ['x'], after: ['x', 'y'] },
      ]);
      expect(third).toEqual([
        { path: 'latitude', before: null, after: 1 },
        { path: 'longitude', before: null, after: 2 },
      ]);
    });

    test('moves the span of its time along', async () => {
      const id = await world().create('encounter', { time: '2021' });
      const span = async (): Promise<unknown[]> => {
        const [row] = await world()
          .service.strapi.db.connection<Record<string, unknown>>('encounters')
          .where({ document_id: id })
          .select('time_start', 'time_end');
        return Object.values(row ?? {});
      };
      await world().update('encounter', id, { time: '2020-02-29' });
      expect((await span()).map(Number)).toEqual([Date.UTC(2020, 1, 29), Date.UTC(2020, 2, 1) - 1]);
      await world().update('encounter', id, { time: null });
      expect(await span()).toEqual([null, null]);
    });

    test('keeps version, time and history when nothing changes', async () => {
      const whole = await world().read('encounter', SEEN);
      const same = { version: whole['version'] };
      const bodies = [
        undefined,
        {},
        { locality: whole['locality'] },
        { locality: `  ${String(whole['locality'])} ` },
        { taxonomy: String(whole['taxonomy']).toUpperCase() },
        { measurements: [{ unit: 'kg', value: 1.0, type: 'mass' }] },
        { remarks: null, custom_fields: null, observers: null, assets: [] },
        { latitude: whole['latitude'], time: whole['time'] },
      ];
      for (const body of bodies) {
        await play(world(), {
          name: 'no change',
          method: 'PUT',
          url,
          ...(body === undefined ? {} : { body }),
          expect: { status: 200, response: { id: SEEN, ...same } },
          unchanged: true,
        });
      }
    });

    test('sees the record as it would be, not only what is sent', async () => {
      await play(world(), {
        name: 'half a position',
        method: 'PUT',
        url,
        body: { latitude: null },
        expect: { status: 400, key: 'MALFORMED', invalid: [['latitude', 'REQUIRED']] },
      });
      await world().update('encounter', SEEN, { latitude: null, longitude: null });
      await play(world(), {
        name: 'half a position',
        method: 'PUT',
        url,
        body: { longitude: 5 },
        expect: { status: 400, key: 'MALFORMED', invalid: [['latitude', 'REQUIRED']] },
      });
      await world().update('encounter', SEEN, { latitude: 1, longitude: 2 });
    });

    test('keeps the last of two writers of one field, and both of two fields', async () => {
      const id = await world().create('encounter');
      await Promise.all([
        world().update('encounter', id, { locality: 'a' }),
        world().update('encounter', id, { remarks: 'b' }),
        world().update('encounter', id, { behavior: 'c' }),
      ]);
      expect(await world().read('encounter', id)).toMatchObject({
        version: 4,
        locality: 'a',
        remarks: 'b',
        behavior: 'c',
      });
      expect((await historyOf(world().service, id)).map(({ version }) => version)).toEqual([
        1, 2, 3, 4,
      ]);
    });

    const absent = (id: string): Scenario => ({
      name: `answers 402 for the ID ${id}`,
      method: 'PUT',
      url: `/api/v0/encounter/${id}`,
      body: { nope: 1 },
      expect: { status: 402, key: 'ENTITY_NOT_FOUND', args: { type: 'encounter', id } },
    });

    runScenarios(world, [
      absent(uuid(0xdead)),
      absent('x'),
      absent('00000000-0000-0000-0000-000000000000'),
      {
        name: 'writes nothing when one of its fields is wrong',
        method: 'PUT',
        url,
        body: { locality: 'elsewhere', tags: ['new'], sex: 'both', taxonomy: uuid(0xdead) },
        expect: {
          status: 400,
          key: 'MALFORMED',
          invalid: [
            ['sex', 'NOT_ONE_OF'],
            ['taxonomy', 'NO_SUCH', { type: 'taxonomy' }],
          ],
        },
      },
      {
        name: 'names all that is wrong at once',
        method: 'PUT',
        url: `${url}?nope=1`,
        body: {
          id: SEEN,
          version: 1,
          created_at: null,
          permissions: [],
          nope: 1,
          latitude: 'x',
          owner: SEEN,
        },
        expect: {
          status: 400,
          key: 'MALFORMED',
          invalid: [
            ['nope', 'UNKNOWN'],
            ['nope', 'UNKNOWN'],
            ['id', 'NOT_WRITABLE'],
            ['version', 'NOT_WRITABLE'],
            ['created_at', 'NOT_WRITABLE'],
            ['permissions', 'NOT_WRITABLE'],
            ['latitude', 'TYPE', { expected: 'number' }],
            ['owner', 'NO_SUCH', { type: 'user' }],
          ],
        },
      },
      ...['[]', 'null', '"x"'].map((raw): Scenario => ({
        name: `takes ${raw} for no object`,
        method: 'PUT',
        url,
        raw,
        headers: { 'Content-Type': 'application/json' },
        expect: {
          status: 400,
          key: 'MALFORMED',
          invalid: [['', 'TYPE', { expected: 'object' }]],
        },
      })),
    ]);

    test('takes the key of an import from no other', async () => {
      await world().create('encounter', { source: 's', external_id: '1' });
      const second = uuid(0x52);
      await world().create('encounter', { id: second, source: 's', external_id: '2' });
      await play(world(), {
        name: 'taken',
        method: 'PUT',
        url: `/api/v0/encounter/${second}`,
        body: { external_id: '1' },
        expect: {
          status: 400,
          key: 'ENTITY_EXISTS',
          args: { type: 'encounter', path: 'external_id' },
          invalid: [['external_id', 'TAKEN']],
        },
      });
      await world().update('encounter', second, {
        external_id: '2',
        remarks: 'its own is its own',
      });
      await world().update('encounter', second, { source: 't', external_id: '1' });
      await world().create('encounter', { source: 's', external_id: '2' });
    });
  });
}
