import type { Service } from '#app/boot/boot';
import { anonymous, importer, local, service as itself } from '#app/core/caller';
import { backgroundOf, objectsOf, registryOf } from '#app/plugins/objects/server';
import { execute, query } from '../../helpers/beside';
import { prepareBoots, type Boots } from '../../helpers/boots';
import { testDatabase } from '../../helpers/database';
import { uuid } from '../../helpers/ids';
import { runScript } from '../../helpers/process';

const [ZEBRA, OPEN, HIDDEN, ORG] = [0x51, 0x52, 0x53, 0x54].map(uuid) as [
  string,
  string,
  string,
  string,
];

/** A database that was filled by code that made what is kept in place by other rules. */
export function testVersionsInPlace(start: (boots: Boots) => Promise<Service>): void {
  let boots: Boots;
  let running: Service;
  beforeAll(async () => {
    boots = await prepareBoots();
    running = await start(boots);
    await knex()('site_settings').update({ readers: 'anyone' });
    const place = { latitude: -2.3, longitude: 34.8, time: '2024-05-17', taxonomy: ZEBRA };
    for (const [type, body] of [
      ['taxonomy', { id: ZEBRA, scientific_name: 'Equus quagga' }],
      ['org', { id: ORG, name: 'Serengeti' }],
      ['encounter', { id: OPEN, ...place }],
      ['encounter', { id: HIDDEN, ...place, location_privacy: 'obscured' }],
    ] as const)
      await objectsOf(running.strapi).write({ op: 'create', type, body }, importer('a package'));
  });
  afterAll(async () => {
    await running?.close();
    await boots?.drop();
  });

  const knex = () => running.strapi.db.connection;
  const found = async (type: string, q: string): Promise<unknown> => {
    const parameters = new Map([
      ['q', q],
      ['count', 'exact'],
    ]);
    return objectsOf(running.strapi)
      .find(type, parameters, itself)
      .then(
        ({ total }) => total,
        ({ key }: { key: string }) => key,
      );
  };
  const suggested = async (): Promise<unknown> =>
    objectsOf(running.strapi)
      .suggest('taxonomy', new Map([['q', 'equ']]), 'en', local(anonymous()))
      .then(
        ({ length }) => length,
        ({ key }: { key: string }) => key,
      );
  const generalized = () =>
    knex()('oms_generalized').select('latitude', 'longitude', 'location_id', 'time', 'level');
  const states = async () =>
    Object.fromEntries(
      (
        await knex()('oms_kept_versions').select<{ type: string; name: string; state: string }[]>()
      ).map(({ type, name, state }) => [`${type} ${name}`, state]),
    );

  /** As other code would have left it, which made other values and declared something else. */
  async function begunOtherwise(): Promise<void> {
    const declare = async (type: string, change: object): Promise<void> => {
      const of = knex()('oms_kept_versions').where({ type });
      const { declaration } = (await of.clone().first()) as { declaration: string };
      const declared = { ...(JSON.parse(declaration) as object), ...change };
      await of.clone().update({ declaration: JSON.stringify(declared) });
    };
    await declare('taxonomy', { told: 'others' });
    await declare('org', { made: 'otherwise' });
    await declare('encounter', { made: 0 });
    await knex()('oms_generalized').update({ latitude: -2.31, time: '2024-05-17' });
    await knex()('oms_search_names').where({ type: 'taxonomy' }).delete();
  }

  /** An upgrade tells it before, on PostgreSQL also without a copy. */
  async function expectForetold(): Promise<void> {
    const calling = (hash: string, other: string) =>
      execute(boots, `update oms_projections set hash = '${other}' where hash = '${hash}'`);
    const [{ hash } = {}] = await query(
      boots,
      `select hash from oms_projections where type = 'encounter'`,
    );
    await calling(String(hash), 'otherwise');
    const rehearsal = await runScript('migrate', boots.env, ['--dry-run']);
    expect([await rehearsal.ended, rehearsal.errors()]).toEqual([0, '']);
    expect(rehearsal.output().match(/^What .*? is made anew beside/gm)).toEqual([
      'What each encounter is searched by is made anew beside',
      'What is kept of each encounter (generalized) is made anew beside',
      'What is kept of each org (search) is made anew beside',
      'What is kept of each taxonomy (search) is made anew beside',
    ]);
    await calling('otherwise', String(hash));
  }

  test('what was made in place for other readers is withheld, and made anew beside the service', async () => {
    expect([await found('taxonomy', 'equus'), await suggested()]).toEqual([1, 1]);
    expect(await found('encounter', 'equus')).toBe(2);
    const right = await generalized();
    expect(right).toMatchObject([{ level: 1, time: '2024-05' }]);
    const all = await states();
    expect(new Set(Object.values(all))).toEqual(new Set(['current']));
    const before = registryOf(running.strapi).projections().number;
    await begunOtherwise();
    await running.close();
    await expectForetold();

    running = await start(boots);
    // Servers of the other code see it, and end their work.
    expect(registryOf(running.strapi).projections().number).toBeGreaterThan(before);
    const refused = ['NOT_READY', 'NOT_READY', 'NOT_READY'];
    expect([
      await found('taxonomy', 'equus'),
      await suggested(),
      // By the names of what it refers to.
      await found('encounter', 'equus'),
    ]).toEqual(refused);
    expect(await found('org', 'serengeti')).toBe(1);
    // Not looser than the rule as it is now: nothing.
    expect(await generalized()).toEqual([
      { level: 1, latitude: null, longitude: null, location_id: null, time: null },
    ]);
    // A start that finds nothing new forgets nothing.
    await running.close();
    running = await start(boots);
    expect(await suggested()).toBe('NOT_READY');
    expect(await states()).toEqual({ ...all, 'taxonomy search': 'withheld' });

    if (testDatabase === 'postgres') {
      // Servers of the other code may write for a moment: what they write is waited for.
      await backgroundOf(running.strapi).workOff();
      expect(await suggested()).toBe('NOT_READY');
      for (const table of ['oms_search_jobs', 'oms_privacy_jobs'])
        await knex()(table).update({ due_at: 0 });
    }
    await backgroundOf(running.strapi).workOff();
    expect([
      await found('taxonomy', 'equus'),
      await suggested(),
      await found('encounter', 'equus'),
    ]).toEqual([1, 1, 2]);
    expect(await generalized()).toEqual(right);
    expect(await states()).toEqual(all);
    expect(await knex()('oms_search_jobs').select()).toEqual([]);
  });
}
