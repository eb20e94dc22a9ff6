import { objectsOf } from '#app/plugins/objects/server';
import { idsOf } from '../../helpers/ids';
import type { MovedClock } from '../../helpers/moved-clock';
import { asObject, at, parsed, type Json } from '../../helpers/json';
import { bearer, login, makePerson, type Person } from '../../helpers/people';
import { doPart } from '../../helpers/settle';
import { story } from '../../helpers/story';
import { useSettings, type World } from '../../helpers/world';
import { callsOf } from './levels';

const WHOLE: Json = {
  time: '2021-06-03T14:05+02:00',
  latitude: -2.333,
  longitude: 34.8333,
  locality: 'by the fever tree',
  country_code: 'TZ',
};

/** When strangers are told of what is not open, by a clock that goes through months. */
export function testTelling(
  world: () => World,
  clock: MovedClock,
  settle: () => Promise<void>,
): void {
  const callers: Record<string, Readonly<Record<string, string>>> = { nobody: {} };
  const uuid = idsOf(8);
  const people = new Map<string, Person>();
  const { make, change, read, matches, send, succeed } = callsOf(world, callers);
  /** Sessions end within months: everybody logs in anew. */
  const enter = async (): Promise<void> => {
    for (const [name, person] of people) callers[name] = bearer(await login(world(), person));
  };
  /** It is this time, and the service has looked what is due. */
  const when = async (time: string): Promise<void> => {
    clock.set(time);
    await enter();
    await settle();
  };
  const site = (body: Json) => change('boss', 'site_settings', body);
  const taxonOf = (body: Json): Promise<string> =>
    make('boss', 'taxonomy', { scientific_name: `Genus${Math.random()}`, ...body });
  const statuses = async (path: string): Promise<number[]> =>
    Promise.all(['stranger', 'nobody'].map(async (who) => (await send(who, 'GET', path)).status));
  /** What strangers are told of an encounter: how they read it, and whether they find it. */
  const told = async (id: string): Promise<unknown[]> => [
    ...(await statuses(`encounter/${id}`)),
    await matches('stranger', `encounter?id=${id}`),
  ];
  const TOLD = (id: string): unknown[] => [200, 200, [id]];
  const UNTOLD: unknown[] = [402, 402, []];
  const dateOf = async (id: string, type = 'encounter'): Promise<unknown> =>
    (await read('owner', `${type}/${id}`))['told_from'];
  const review = (id: string, state: string) =>
    succeed('boss', 'POST', `encounter/${id}/review`, { state });

  describe('when strangers are told,', () => {
    useSettings(world, {
      tell_hidden: 'monthly',
      show_owner_when_hidden: true,
      hidden_tells: 'both',
      anonymous_encounters: true,
    });
    beforeAll(async () => {
      for (const name of ['owner', 'stranger']) people.set(name, await makePerson(world().service));
      people.set('boss', await makePerson(world().service, { role: 'administrator' }));
      await enter();
    });
    // Tests run in any order: each begins where the last one was, at the latest.
    afterEach(() => clock.letGo());

    story('a field report appears on the first of the month after', [
      [
        'an open encounter is told now',
        async () => {
          await when('2031-01-10T12:00Z');
          const id = await make('owner', 'encounter', { ...WHOLE, taxonomy: await taxonOf({}) });
          expect(await told(id)).toEqual(TOLD(id));
          expect(await dateOf(id)).toBe('2031-01-10');
          expect(await read('stranger', `encounter/${id}`)).not.toHaveProperty('told_from');
        },
      ],
      [
        'what is obscured is told on the first of February, what is private in a year',
        async () => {
          const { id: owner = '' } = people.get('owner') ?? {};
          const make_ = (location_privacy: string, more: Json = {}) =>
            make('owner', 'encounter', { ...WHOLE, location_privacy, ...more });
          const [obscured, secret] = [await make_('obscured'), await make_('private')];
          expect([await dateOf(obscured), await dateOf(secret)]).toEqual([
            '2031-02-01',
            '2032-01-01',
          ]);
          for (const id of [obscured, secret]) expect(await told(id)).toEqual(UNTOLD);
          const isIn = async (path: string, id: string): Promise<boolean[]> =>
            Promise.all(
              ['stranger', 'nobody', 'owner'].map(async (who) =>
                (await send(who, 'GET', path)).text.includes(id),
              ),
            );
          const paths = [
            `user/${owner}?include=encounters`,
            `search/encounter?q=fever`,
            `search/encounter?q=${obscured}&expand=true`,
            `search/encounter?bbox=34.8,-2.4,35,-2.2&sort=-time`,
            `search/encounter?owner=${owner}&sort=-time&count=exact`,
            `export/encounter?format=csv&owner=${owner}`,
          ];
          for (const path of paths)
            expect([path, await isIn(path, obscured)]).toEqual([path, [false, false, true]]);
          const { status } = await send('stranger', 'GET', `encounter/${obscured}/history`);
          expect(status).toBe(402);
          clock.set('2031-01-31T23:59:50Z');
          await enter();
          await settle();
          expect(await told(obscured)).toEqual(UNTOLD);
          const { strapi } = world().service;
          await objectsOf(strapi).rebuild();
          expect(await told(obscured)).toEqual(UNTOLD);
          await when('2031-02-01T00:00Z');
          expect(await told(obscured)).toEqual(TOLD(obscured));
          expect(await told(secret)).toEqual(UNTOLD);
          for (const path of paths.filter((one) => !one.includes('fever')))
            expect([path, await isIn(path, obscured)]).toEqual([path, [true, true, true]]);
          expect(await read('stranger', `encounter/${obscured}`)).toMatchObject({
            generalized: 'obscured',
            time: '2021-06',
          });
          expect(await dateOf(obscured)).toBe('2031-02-01');
          await objectsOf(strapi).rebuild();
          expect(await told(obscured)).toEqual(TOLD(obscured));
          expect([await dateOf(obscured), await dateOf(secret)]).toEqual([
            '2031-02-01',
            '2032-01-01',
          ]);
          await when('2031-12-31T23:59:50Z');
          expect(await told(secret)).toEqual(UNTOLD);
          await when('2032-01-01T00:00Z');
          expect(await told(secret)).toEqual(TOLD(secret));
        },
      ],
    ]);

    test('what has become due while no service ran is told by the next one, in the order of IDs', async () => {
      await when('2033-03-05');
      const ids: string[] = [];
      for (let made = 5; made > 0; made -= 1) {
        const body = { ...WHOLE, id: uuid(made), location_privacy: 'obscured' };
        ids.push(await make('owner', 'encounter', body));
      }
      // Which are told first says nothing of when they were reported.
      const part = { type: 'encounter', kept: 'telling', most: 2 };
      await doPart(world().service, { ...part, date: '2033-06-20' });
      for (const [at, id] of ids.entries())
        expect([at, await told(id)]).toEqual([at, at < 3 ? UNTOLD : TOLD(id)]);
      clock.set('2033-06-20');
      await enter();
      const knex = world().service.strapi.db.connection;
      await settle();
      for (const id of ids) {
        expect(await told(id)).toEqual(TOLD(id));
        expect(await dateOf(id)).toBe('2033-04-01');
      }
      const rows = await knex('oms_search_encounters')
        .where({ audience: 1 })
        .whereIn('document_id', ids)
        .count({ count: '*' });
      expect(Number(rows[0]?.['count'])).toBe(ids.length);
    });

    test('approval counts, and what is rejected begins anew', async () => {
      await when('2034-05-20');
      await site({ review_encounters: true });
      try {
        const id = await make('owner', 'encounter', { ...WHOLE, location_privacy: 'obscured' });
        expect([await told(id), await dateOf(id)]).toEqual([UNTOLD, null]);
        await when('2034-07-03');
        await review(id, 'approved');
        expect([await told(id), await dateOf(id)]).toEqual([UNTOLD, '2034-08-01']);
        await when('2034-08-01');
        expect(await told(id)).toEqual(TOLD(id));
        await review(id, 'rejected');
        expect([await told(id), await dateOf(id)]).toEqual([UNTOLD, null]);
        await when('2034-09-09');
        await review(id, 'approved');
        expect([await told(id), await dateOf(id)]).toEqual([UNTOLD, '2034-10-01']);
        await review(id, 'rejected');
        await when('2034-10-02');
        expect([await told(id), await dateOf(id)]).toEqual([UNTOLD, null]);
        await review(id, 'approved');
        await when('2034-11-01');
        expect([await told(id), await dateOf(id)]).toEqual([TOLD(id), '2034-11-01']);
      } finally {
        await site({ review_encounters: false });
      }
    });

    test('a level that changes before the date dates anew, one that changes after takes nothing away', async () => {
      await when('2035-01-15');
      const species = await taxonOf({});
      const [own, byTaxon, before, fallen] = [
        await make('owner', 'encounter', {
          ...WHOLE,
          taxonomy: species,
          location_privacy: 'obscured',
        }),
        await make('owner', 'encounter', {
          ...WHOLE,
          taxonomy: species,
          location_privacy: 'obscured',
        }),
        await make('owner', 'encounter', { ...WHOLE, taxonomy: species }),
        await make('owner', 'encounter', {
          ...WHOLE,
          taxonomy: species,
          location_privacy: 'private',
        }),
      ];
      expect([await dateOf(own), await dateOf(fallen)]).toEqual(['2035-02-01', '2036-01-01']);
      await change('owner', `encounter/${own}`, { location_privacy: 'private' });
      expect(await dateOf(own)).toBe('2036-01-01');
      await change('owner', `encounter/${own}`, { location_privacy: 'open' });
      expect([await told(own), await dateOf(own)]).toEqual([TOLD(own), '2035-01-15']);
      // What was open is told on, in the form of its level.
      expect(await told(before)).toEqual(TOLD(before));
      await change('boss', `taxonomy/${species}`, { location_privacy: 'private' });
      await settle();
      expect(await dateOf(byTaxon)).toBe('2036-01-01');
      for (const id of [own, before]) {
        expect(await told(id)).toEqual(TOLD(id));
        expect(await read('stranger', `encounter/${id}`)).toMatchObject({ generalized: 'private' });
        expect(await dateOf(id)).toBe('2035-01-15');
      }
      await when('2035-02-01');
      expect(await told(byTaxon)).toEqual(UNTOLD);
      await when('2035-03-05');
      await change('boss', `taxonomy/${species}`, { location_privacy: 'obscured' });
      await settle();
      expect([await told(byTaxon), await dateOf(byTaxon)]).toEqual([TOLD(byTaxon), '2035-02-01']);
      expect(await told(fallen)).toEqual(UNTOLD);
      await change('owner', `encounter/${fallen}`, { location_privacy: null });
      expect([await told(fallen), await dateOf(fallen)]).toEqual([TOLD(fallen), '2035-02-01']);
      await change('boss', `taxonomy/${species}`, { location_privacy: 'private' });
      await settle();
      for (const id of [own, byTaxon, before, fallen]) expect(await told(id)).toEqual(TOLD(id));
      // Nor does a change of the encounter itself, of its level or of anything else.
      await change('owner', `encounter/${own}`, { location_privacy: 'private' });
      await change('owner', `encounter/${byTaxon}`, { remarks: 'seen from the road' });
      for (const [id, date] of [
        [own, '2035-01-15'],
        [byTaxon, '2035-02-01'],
      ] as const)
        expect([await told(id), await dateOf(id)]).toEqual([TOLD(id), date]);
    });

    test('a level that rises on the last evening is that of the next morning', async () => {
      await when('2036-01-31T23:59:00Z');
      const species = await taxonOf({ location_privacy: 'obscured' });
      const id = await make('owner', 'encounter', { ...WHOLE, taxonomy: species });
      const knex = world().service.strapi.db.connection;
      await knex('oms_privacy_jobs').delete();
      await change('boss', `taxonomy/${species}`, { location_privacy: 'private' });
      await knex('oms_privacy_jobs').update({ due_at: Date.parse('2036-06-01') });
      await when('2036-02-01T00:00:01Z');
      expect([await told(id), await dateOf(id)]).toEqual([UNTOLD, '2037-01-01']);
      await knex('oms_privacy_jobs').update({ due_at: 0 });
      await settle();
    });

    test('what is open by now is read at once, and found when it has been told', async () => {
      await when('2036-06-15');
      const id = await make('owner', 'encounter', {
        ...WHOLE,
        taxonomy: await taxonOf({}),
        location_privacy: 'obscured',
      });
      expect(await told(id)).toEqual(UNTOLD);
      const { connection: knex } = world().service.strapi.db;
      // As a job leaves it that has done its part, before the one that tells.
      await knex('encounters').where({ document_id: id }).update({ location_privacy: null });
      expect(await told(id)).toEqual([200, 200, []]);
      await when('2036-07-01');
      expect(await told(id)).toEqual(TOLD(id));
    });

    test('the site may tell all at once, and takes nothing away by going back', async () => {
      await when('2038-01-15');
      const animal = await make('owner', 'individual', {
        taxonomy: await taxonOf({ location_privacy: 'obscured' }),
      });
      const [one, secret] = [
        await make('owner', 'encounter', { ...WHOLE, location_privacy: 'obscured' }),
        await make('owner', 'encounter', { ...WHOLE, location_privacy: 'private' }),
      ];
      await when('2038-01-20');
      expect(await statuses(`individual/${animal}`)).toEqual([402, 402]);
      await site({ tell_hidden: 'at_once' });
      try {
        await settle();
        for (const id of [one, secret])
          expect([await told(id), await dateOf(id)]).toEqual([TOLD(id), '2038-01-20']);
        expect(await statuses(`individual/${animal}`)).toEqual([200, 200]);
        const now = await make('owner', 'encounter', { ...WHOLE, location_privacy: 'private' });
        expect([await told(now), await dateOf(now)]).toEqual([TOLD(now), '2038-01-20']);
        await site({ tell_hidden: 'monthly' });
        await settle();
        for (const id of [one, secret, now]) expect(await told(id)).toEqual(TOLD(id));
      } finally {
        await site({ tell_hidden: 'monthly' });
      }
      const after = await make('owner', 'encounter', { ...WHOLE, location_privacy: 'private' });
      expect([await told(after), await dateOf(after)]).toEqual([UNTOLD, '2039-01-01']);
    });

    test('who sent a report without an account reads it until then as strangers will', async () => {
      await when('2040-01-15');
      await site({ review_encounters: true });
      try {
        const { response } = asObject(
          await succeed('nobody', 'POST', 'encounter', { ...WHOLE, location_privacy: 'private' }),
        );
        const { id, claim } = response as { id: string; claim: string };
        callers['reporter'] = { 'X-Claim': claim };
        expect(await read('reporter', `encounter/${id}`)).toMatchObject({ generalized: null });
        await when('2040-02-20');
        await review(id, 'approved');
        expect(await told(id)).toEqual(UNTOLD);
        const seen = await read('reporter', `encounter/${id}`);
        expect(seen).toMatchObject({ generalized: 'private', time: '2021' });
        expect(seen).not.toHaveProperty('locality');
        expect(seen).not.toHaveProperty('told_from');
        await when('2040-12-31T23:00Z');
        expect(await read('reporter', `encounter/${id}`)).toEqual(seen);
        await review(id, 'rejected');
        expect((await send('reporter', 'GET', `encounter/${id}`)).status).toBe(402);
        await review(id, 'approved');
        expect(await read('reporter', `encounter/${id}`)).toEqual(seen);
        await when('2041-01-01');
        expect(await told(id)).toEqual(TOLD(id));
        expect(await read('stranger', `encounter/${id}`)).toEqual(seen);
      } finally {
        await site({ review_encounters: false });
      }
    });

    test('an individual whose level is not open is told late, but to who is no stranger to it', async () => {
      await when('2042-01-15');
      const rhino = await taxonOf({ location_privacy: 'obscured' });
      const hippo = await taxonOf({});
      const name = `Faru${Math.random()}`.replace('.', '');
      const individual = (taxonomy: string, value: string): Promise<string> =>
        make('owner', 'individual', { taxonomy, names: [{ context: 'nickname', value }] });
      const [hidden, open] = [await individual(rhino, name), await individual(hippo, `B${name}`)];
      expect(await statuses(`individual/${open}`)).toEqual([200, 200]);
      expect(await statuses(`individual/${hidden}`)).toEqual([402, 402]);
      expect([await dateOf(hidden, 'individual'), await dateOf(open, 'individual')]).toEqual([
        '2042-02-01',
        '2042-01-15',
      ]);
      expect(await matches('stranger', `individual?q=${name}`)).toEqual([]);
      expect(await matches('nobody', `individual?id=${hidden}`)).toEqual([]);
      expect(await matches('owner', `individual?q=${name}`)).toEqual([hidden]);
      // It is told by no edge, and nobody else refers to it.
      await change('owner', `individual/${open}`, {
        relationships: [{ individual: hidden, type: 'mate' }],
      });
      const { relationships } = await read('stranger', `individual/${open}`);
      expect(relationships).toEqual([]);
      const refused = await send('stranger', 'POST', 'encounter', { individual: hidden });
      expect(at(parsed(refused.text), 'response', 'invalid')).toMatchObject([
        { path: 'individual', key: 'API_RESPONSE_NO_SUCH' },
      ]);
      // Who sees one of its encounters exactly is no stranger to it.
      await make('stranger', 'encounter', { ...WHOLE, individual: open });
      const watcher = await make('stranger', 'encounter', WHOLE);
      await change('boss', `encounter/${watcher}`, { individual: hidden });
      expect(await statuses(`individual/${hidden}`)).toEqual([200, 402]);
      // Its name stands for it in searches of encounters as far as it may be read.
      for (const words of [name, `${name}+fever`]) {
        expect(await matches('stranger', `encounter?q=${words}`)).toEqual([watcher]);
        expect(await matches('stranger', `encounter?count=none&q=${words}`)).toEqual([watcher]);
        expect(await matches('nobody', `encounter?q=${words}`)).toEqual([]);
      }
      await when('2042-02-01');
      expect(await statuses(`individual/${hidden}`)).toEqual([200, 200]);
      expect(await matches('nobody', `individual?q=${name}`)).toEqual([hidden]);
      expect((await read('stranger', `individual/${open}`))['relationships']).toEqual([
        { individual: hidden, type: 'mate' },
      ]);
      await change('boss', `taxonomy/${rhino}`, { location_privacy: 'private' });
      await settle();
      expect(await statuses(`individual/${hidden}`)).toEqual([200, 200]);
      const late = await individual(rhino, `C${name}`);
      expect(await dateOf(late, 'individual')).toBe('2043-01-01');
      await when('2042-03-02');
      await change('boss', `taxonomy/${rhino}`, { location_privacy: 'obscured' });
      await settle();
      expect([...(await statuses(`individual/${late}`)), await dateOf(late, 'individual')]).toEqual(
        [200, 200, '2042-03-01'],
      );
      const opened = await individual(rhino, `D${name}`);
      await change('boss', `taxonomy/${rhino}`, { location_privacy: null });
      expect(await statuses(`individual/${opened}`)).toEqual([200, 200]);
      await settle();
      await change('boss', `taxonomy/${rhino}`, { location_privacy: 'private' });
      expect(await statuses(`individual/${opened}`)).toEqual([200, 200]);
      expect(await dateOf(opened, 'individual')).toBe('2042-03-02');
    });

    test('an open encounter tells its individual with it', async () => {
      await when('2044-01-15');
      const family = await taxonOf({});
      await taxonOf({ parent: family, location_privacy: 'obscured' });
      const open = await taxonOf({ parent: family });
      const [alone, met] = [
        await make('owner', 'individual', { taxonomy: family }),
        await make('owner', 'individual', { taxonomy: family }),
      ];
      expect(await statuses(`individual/${met}`)).toEqual([402, 402]);
      const id = await make('owner', 'encounter', { taxonomy: open, individual: met });
      expect(await read('nobody', `encounter/${id}`)).toMatchObject({
        individual: met,
        generalized: null,
      });
      expect(await statuses(`individual/${met}`)).toEqual([200, 200]);
      expect(await statuses(`individual/${alone}`)).toEqual([402, 402]);
      await change('owner', `encounter/${id}`, { location_privacy: 'obscured' });
      expect(await statuses(`individual/${met}`)).toEqual([200, 200]);
      // One that strangers know stays known in what it becomes.
      await succeed('owner', 'POST', `individual/${alone}/merge`, { from: [met] });
      expect(await statuses(`individual/${alone}`)).toEqual([200, 200]);
      expect(await read('nobody', `individual/${met}`)).toEqual({ id: met, merged_into: alone });
    });
  });
}
