import { objectsOf } from '#app/plugins/objects/server';
import { copyEncounters } from '../individual/many-encounters';
import type { Json } from '../../helpers/json';
import { doPart } from '../../helpers/settle';
import type { World } from '../../helpers/world';
import { callsOf } from './levels';

/** More than are generalized anew in the transaction of a change (`FEW` in `protected-as.ts`). */
const MANY = 600;

/** What is kept of encounters follows what decides over their level, whatever that is. */
export function testFollows(
  world: () => World,
  callers: Readonly<Record<string, Readonly<Record<string, string>>>>,
  settle: () => Promise<void>,
): void {
  const { make, change, taxon, read, told, matches, send } = callsOf(world, callers);
  const knex = () => world().service.strapi.db.connection;
  const site = (body: Json) => change('administrator', 'site_settings', body);
  const where = { time: '2021-06-03T14:05', latitude: 7.333, longitude: 34.8333 };
  const exactly = 'bbox=34.83,7.33,34.84,7.34';
  const foundExactly = (id: string) => matches('nobody', `encounter?id=${id}&${exactly}`);

  describe('what is kept of an encounter follows its level', () => {
    test('when the first taxon is protected, and the last one no more', async () => {
      const before = await knex()('taxonomies')
        .whereNotNull('location_privacy')
        .select<{ id: number; location_privacy: string }[]>('id', 'location_privacy');
      const rebuild = async (): Promise<void> => {
        await objectsOf(world().service.strapi).rebuild();
      };
      await settle();
      await knex()('taxonomies').update({ location_privacy: null });
      await rebuild();
      try {
        const [bare, named] = [
          await make('owner', 'encounter', where),
          await make('owner', 'encounter', { ...where, taxonomy: await taxon() }),
        ];
        expect([await told(bare), await foundExactly(bare)]).toEqual([null, [bare]]);
        const first = await taxon({ location_privacy: 'obscured' });
        await settle();
        expect([await told(bare), await foundExactly(bare)]).toEqual(['obscured', []]);
        expect(await foundExactly(named)).toEqual([named]);
        await change('administrator', `taxonomy/${first}`, { location_privacy: null });
        await settle();
        expect([await told(bare), await foundExactly(bare)]).toEqual([null, [bare]]);
      } finally {
        for (const { id, location_privacy } of before)
          await knex()('taxonomies').where({ id }).update({ location_privacy });
        await rebuild();
      }
    });

    test('when regions change', async () => {
      const { regions } = await read('administrator', 'site_settings');
      const id = await make('owner', 'encounter', {
        ...{ time: '2021-06', latitude: -2.333, longitude: 34.8333, location_id: 'camp' },
        location_privacy: 'obscured',
      });
      const found = () => matches('nobody', `encounter?id=${id}&location_id=serengeti`);
      expect(await found()).toEqual([id]);
      const smaller = (regions as Json[]).map((region) =>
        region['id'] === 'serengeti' ? { ...region, bbox: [34.82, -2.34, 34.84, -2.32] } : region,
      );
      try {
        await site({ regions: smaller });
        expect(await read('nobody', `encounter/${id}`)).toMatchObject({ location_id: null });
        await settle();
        expect(await found()).toEqual([]);
      } finally {
        await site({ regions });
        await settle();
      }
      expect(await found()).toEqual([id]);
    });

    test('when its individual is merged into a protected one', async () => {
      await site({ protect_unidentified: false });
      await settle();
      try {
        const rhino = await taxon({ location_privacy: 'obscured' });
        const into = await make('stranger', 'individual', { taxonomy: rhino });
        const from = await make('stranger', 'individual', {});
        const id = await make('owner', 'encounter', { ...where, individual: from });
        expect(await foundExactly(id)).toEqual([id]);
        const merge = await send('stranger', 'POST', `individual/${into}/merge`, { from: [from] });
        expect(merge.status).toBe(200);
        expect([await told(id), await foundExactly(id)]).toEqual(['obscured', []]);
      } finally {
        await site({ protect_unidentified: true });
        await settle();
      }
    });

    test('in parts, and the job ends with the last of them', async () => {
      const species = await taxon();
      const ids: string[] = [];
      for (let made = 0; made < 6; made += 1)
        ids.push(await make('owner', 'encounter', { ...where, taxonomy: species }));
      await change('administrator', `taxonomy/${species}`, { location_privacy: 'obscured' });
      await knex()('oms_privacy_jobs').update({ due_at: 0 });
      const part = { type: 'encounter', kept: 'generalized', most: 5 };
      // More than are needed, whatever other tests have left: a job that does not end must not keep this one.
      const parts = Number((await knex()('encounters').count({ count: '*' }))[0]?.['count']) + 100;
      for (let done = 0; done < parts && (await doPart(world().service, part)); done += 1);
      expect(await knex()('oms_privacy_jobs')).toEqual([]);
      for (const id of ids)
        expect([await told(id), await foundExactly(id)]).toEqual(['obscured', []]);
    });

    test('when it is one of very many of an individual', async () => {
      const [rhino, zebra] = [await taxon({ location_privacy: 'obscured' }), await taxon()];
      const animal = await make('stranger', 'individual', { taxonomy: zebra });
      const id = await make('owner', 'encounter', { ...where, individual: animal });
      await copyEncounters(world(), [id], MANY);
      await change('moderator', `individual/${animal}`, { taxonomy: rhino });
      const hidden = async (): Promise<number> => {
        const [row] = await knex()('oms_generalized as g')
          .join('encounters as e', 'e.id', 'g.encounter')
          .join('individuals as i', 'i.id', 'e.individual_id')
          .where('i.document_id', animal)
          .count({ number: '*' });
        return Number(row?.['number']);
      };
      expect(await foundExactly(id)).toEqual([]);
      await settle();
      expect(await hidden()).toBe(MANY + 1);
    });
  });
}
