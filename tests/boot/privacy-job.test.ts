import { changeSettings } from '#app/api/site-settings/setup';
import type { Service } from '#app/boot/boot';
import { importer, service as itself, type Caller } from '#app/core/caller';
import { backgroundOf, jobsOf, objectsOf } from '#app/plugins/objects/server';
import { prepareBoots, type Boots } from '../helpers/boots';
import { uuid } from '../helpers/ids';
import { movedClock } from '../helpers/moved-clock';
import { story } from '../helpers/story';

const COUNT = 5000;
const [ORDER, SPECIES, PERSON] = [uuid(1), uuid(2), uuid(3)];
const STRANGER: Caller = { ...itself, role: 'anonymous' };

let boots: Boots;
let running: Service;
const knex = () => running.strapi.db.connection;
const restart = async (...options: Parameters<Boots['start']>): Promise<void> => {
  await running.close();
  running = await boots.start(...options);
};
/** Changes the taxon above that of all encounters. */
const setPrivacy = (location_privacy: string | null): Promise<unknown> =>
  objectsOf(running.strapi).write(
    { op: 'update', type: 'taxonomy', id: ORDER, body: { location_privacy } },
    itself,
  );
const levels = async (): Promise<Record<string, number>> => {
  const rows = await knex()('oms_generalized').pluck<number[]>('level');
  return {
    1: rows.filter((level) => level === 1).length,
    2: rows.filter((level) => level === 2).length,
  };
};
const listed = async (): Promise<readonly string[]> => {
  const { text } = await objectsOf(running.strapi).read('user', PERSON, STRANGER);
  return (JSON.parse(text) as { encounters: string[] }).encounters;
};
/** Those for the encounters of taxa; that for encounters without one waits for other servers. */
const jobs = () =>
  knex()('oms_privacy_jobs').where({ kind: 'taxonomy' }).select<{ position: number }[]>();

/** Works until some are done, and ends the service. */
async function endInTheMiddle(): Promise<void> {
  const background = backgroundOf(running.strapi);
  const working = background.workOff();
  for (let done = 0; done === 0;) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    done = (await jobs())[0]?.position ?? 0;
  }
  await restart();
  await working;
}

beforeAll(async () => {
  boots = await prepareBoots();
  running = await boots.start();
  await backgroundOf(running.strapi).workOff();
  const objects = objectsOf(running.strapi);
  const make = (type: string, body: Record<string, unknown>) =>
    objects.write({ op: 'create', type, body }, importer('a package'));
  await make('user', {
    id: PERSON,
    name: 'Ann',
    email: 'ann@example.org',
    password: 'her 1 proof',
  });
  await changeSettings(running.strapi, { show_owner_when_hidden: true });
  await make('taxonomy', { id: ORDER, scientific_name: 'Proboscidea' });
  await make('taxonomy', { id: SPECIES, scientific_name: 'Loxodonta', parent: ORDER });
  for (let from = 0; from < COUNT; from += 500) {
    const changes = Array.from({ length: 500 }, (_, at) => ({
      op: 'create' as const,
      type: 'encounter',
      body: {
        id: uuid(0x10000 + from + at),
        owner: PERSON,
        taxonomy: SPECIES,
        time: new Date(Date.UTC(2015, 0, 1 + ((from + at) % 2000))).toISOString().slice(0, 10),
        latitude: ((from + at) % 90) + 0.123,
        longitude: (from + at) % 180,
      },
    }));
    const outcomes = await objects.writeAll(changes, importer('a package'));
    expect(outcomes.every(({ ok }) => ok)).toBe(true);
  }
}, 120_000);
afterAll(async () => {
  await running?.close();
  await boots?.drop();
});

/** Encounters that wait to be told, some parts of them. */
const LATE = 700;

story(
  'the jobs that generalize encounters and tell them',
  [
    [
      'goes on where it ended, and shows nothing meanwhile that is not generalized',
      async () => {
        expect(await listed()).toHaveLength(1000);
        await setPrivacy('obscured');
        expect(await jobs()).toMatchObject([{ position: 0 }]);
        expect(await listed()).toEqual([]);
        await endInTheMiddle();
        const [job] = await jobs();
        const { 1: done = 0 } = await levels();
        expect(done).toBeGreaterThan(0);
        expect(done).toBeLessThan(COUNT);
        expect(job?.position).toBeGreaterThan(0);
        expect((await listed()).length).toBe(Math.min(done, 1000));
        await backgroundOf(running.strapi).workOff();
        expect([await levels(), await jobs()]).toEqual([{ 1: COUNT, 2: 0 }, []]);
        expect(await listed()).toHaveLength(1000);
      },
    ],

    [
      'begins anew when the privacy changes again while it is under way',
      async () => {
        await setPrivacy('private');
        expect(await listed()).toEqual([]);
        await endInTheMiddle();
        await setPrivacy('obscured');
        expect(await jobs()).toMatchObject([{ position: 0 }]);
        // What is kept of some is stricter than it has to be, which tells nobody anything.
        expect(await listed()).toHaveLength(1000);
        await backgroundOf(running.strapi).workOff();
        expect([await levels(), await jobs()]).toEqual([{ 1: COUNT, 2: 0 }, []]);
      },
    ],

    [
      'drops what is kept of encounters that are open again',
      async () => {
        await setPrivacy(null);
        // Each is in the list once, by its own time.
        expect(new Set(await listed()).size).toBe(1000);
        await backgroundOf(running.strapi).workOff();
        expect([await levels(), await jobs()]).toEqual([{ 1: 0, 2: 0 }, []]);
      },
    ],

    [
      'tells in the order of IDs what has become due while no service ran, and goes on where it ended',
      async () => {
        const clock = movedClock();
        const startAt = async (time: string): Promise<void> => {
          clock.set(time);
          await restart({ clock: clock.now });
        };
        const told = (): Promise<string[]> =>
          knex()('encounters')
            .whereNull('untold_since')
            .where('location_privacy', 'obscured')
            .orderBy('document_id')
            .pluck<string[]>('document_id');
        const found = async (): Promise<unknown> =>
          (
            await objectsOf(running.strapi).find(
              'encounter',
              new Map([
                ['generalized', 'obscured'],
                ['taxonomy', 'null'],
                ['count', 'exact'],
              ]),
              STRANGER,
            )
          ).total;
        await startAt('2061-01-15');
        await changeSettings(running.strapi, { tell_hidden: 'monthly' });
        const changes = Array.from({ length: LATE }, () => ({
          op: 'create' as const,
          type: 'encounter',
          body: { owner: PERSON, location_privacy: 'obscured', time: '2021' },
        }));
        const outcomes = await objectsOf(running.strapi).writeAll(changes, importer('a package'));
        expect(outcomes.every(({ ok }) => ok)).toBe(true);
        expect([await told(), await found()]).toEqual([[], 0]);
        await startAt('2061-03-10');
        const working = backgroundOf(running.strapi).workOff();
        for (let done = 0; done === 0; done = (await told()).length)
          await new Promise((resolve) => setTimeout(resolve, 2));
        await startAt('2061-03-10');
        await working;
        const first = await told();
        expect(first.length).toBeGreaterThan(0);
        expect(first.length).toBeLessThan(LATE);
        expect(await found()).toBe(first.length);
        const ids = outcomes.flatMap((one) => (one.ok ? [one.written.id] : [])).sort();
        expect(first).toEqual(ids.slice(0, first.length));
        // A running service tells at leisure, and meanwhile does what somebody waits for.
        const background = backgroundOf(running.strapi);
        await jobsOf(running.strapi).start();
        for (let more = first.length; more === first.length; more = (await told()).length)
          await new Promise((resolve) => setTimeout(resolve, 2));
        await setPrivacy('obscured');
        while ((await jobs()).length > 0) await new Promise((resolve) => setTimeout(resolve, 10));
        expect((await told()).length).toBeLessThan(LATE);
        await background.workOff();
        expect([await told(), await found()]).toEqual([ids, LATE]);
        const dates = knex()('encounters').where('location_privacy', 'obscured');
        expect(await dates.distinct('told_from').pluck('told_from')).toEqual(['2061-02-01']);
      },
    ],
  ],
  360_000,
);
