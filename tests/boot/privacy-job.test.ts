// @databases sqlite postgres
import type { Service } from '#app/boot/boot';
import { importer, service as itself, type Caller } from '#app/core/caller';
import { backgroundOf, objectsOf } from '#app/plugins/objects/server';
import { prepareBoots, type Boots } from '../helpers/boots';
import { uuid } from '../helpers/ids';

const COUNT = 5000;
const [ORDER, SPECIES, PERSON] = [uuid(1), uuid(2), uuid(3)];
const STRANGER: Caller = { ...itself, role: 'anonymous' };

let boots: Boots;
let running: Service;
const knex = () => running.strapi.db.connection;
const restart = async (): Promise<void> => {
  await running.close();
  running = await boots.start();
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
const jobs = () => knex()('oms_privacy_jobs').select<{ taxon: number; position: number }[]>();

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

test('goes on where it ended, and shows nothing meanwhile that is not generalized', async () => {
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
}, 120_000);

test('begins anew when the privacy changes again while it is under way', async () => {
  await setPrivacy('private');
  expect(await listed()).toEqual([]);
  await endInTheMiddle();
  await setPrivacy('obscured');
  expect(await jobs()).toMatchObject([{ position: 0 }]);
  // What is kept of some is stricter than it has to be, which tells nobody anything.
  expect(await listed()).toHaveLength(1000);
  await backgroundOf(running.strapi).workOff();
  expect([await levels(), await jobs()]).toEqual([{ 1: COUNT, 2: 0 }, []]);
}, 120_000);

test('drops what is kept of encounters that are open again', async () => {
  await setPrivacy(null);
  // Each is in the list once, by its own time.
  expect(new Set(await listed()).size).toBe(1000);
  await backgroundOf(running.strapi).workOff();
  expect([await levels(), await jobs()]).toEqual([{ 1: 0, 2: 0 }, []]);
}, 120_000);
