import { hiddenChange } from '#app/api/encounter/hidden-change';
import { hiddenLines, hiddenNow } from '#app/api/encounter/hidden-now';
import type { HiddenNow } from '#app/plugins/panel/shared/hidden-now';
import { until } from '../../helpers/until';
import { makeOperator, panelOf, type Panel } from '../../helpers/panel';
import { tellHiddenWhenComputed } from '#app/boot/tell-hidden';
import { newAccount } from '../../helpers/accounts';
import { photograph, uploadRequest } from '../../helpers/upload';
import type { World } from '../../helpers/world';
import { callsOf } from './levels';

/** The numbers that the operator and the panel are given of what is hidden. */
export function testHiddenNow(
  world: () => World,
  callers: Readonly<Record<string, Readonly<Record<string, string>>>>,
  settle: () => Promise<void>,
): void {
  const { make, change, taxon } = callsOf(world, callers);
  const signal = new AbortController().signal;
  const counted = (): Promise<HiddenNow> => hiddenNow(world().service.strapi, signal);
  const site = (body: object) => change('administrator', 'site_settings', { ...body });
  const upload = async (): Promise<string> => {
    const { text } = await world().send(
      uploadRequest({ bytes: await photograph() }, callers['owner'] ?? {}),
    );
    return (JSON.parse(text) as { response: { id: string } }).response.id;
  };

  describe('what is hidden, in numbers,', () => {
    let before: HiddenNow;
    let gained: (now: HiddenNow) => Partial<Record<keyof HiddenNow, number>>;
    beforeAll(async () => {
      await settle();
      before = await counted();
      gained = (now) =>
        Object.fromEntries(
          Object.entries(before).flatMap(([name, value]) => {
            const gain = Number(now[name as keyof HiddenNow]) - Number(value);
            return gain === 0 || name === 'isUnderWay' ? [] : [[name, gain]];
          }),
        );
      const [family, open] = [await taxon(), await taxon()];
      const rhino = await taxon({ parent: family, location_privacy: 'obscured' });
      const animal = await make('administrator', 'individual', { taxonomy: rhino });
      const [shared, own] = [await upload(), await upload()];
      await make('owner', 'encounter', { taxonomy: open, assets: [shared] });
      await make('owner', 'encounter', { taxonomy: rhino, assets: [shared, own] });
      await make('administrator', 'encounter', { individual: animal });
      await make('owner', 'encounter', { taxonomy: family });
      await make('owner', 'encounter', { taxonomy: open, location_privacy: 'private' });
    });
    afterAll(() =>
      site({
        protect_unidentified: true,
        show_owner_when_hidden: false,
        hidden_tells: 'place',
      }),
    );

    test('is counted by the settings that hide it', async () => {
      expect(gained(await counted())).toEqual({
        encounters: 5,
        hidden: 4,
        byIndividual: 1,
        unidentified: 1,
        ownerHidden: 4,
        photographs: 2,
        withheld: 1,
      });
      const { hidden } = before;
      await site({ protect_unidentified: false });
      await settle();
      const identified = await counted();
      expect(identified.unidentified).toBe(0);
      expect(identified.hidden).toBeLessThan(hidden + 4);
      await site({ show_owner_when_hidden: true, hidden_tells: 'both' });
      await settle();
      const shown = await counted();
      expect(shown.photographs).toBe(0);
      // Of what is private they are never told.
      expect(shown.ownerHidden).toBeGreaterThan(0);
      expect(shown.ownerHidden).toBeLessThan(identified.ownerHidden);
    });

    test.each([
      [{ protectUnidentified: false }, { protect_unidentified: false }],
      [{ protectUnidentified: true }, { protect_unidentified: true }],
      [{ defaultLocationPrivacy: 'obscured' }, { default_location_privacy: 'obscured' }],
      [{ showOwnerWhenHidden: true }, { show_owner_when_hidden: true }],
      [{ hiddenTells: 'both' }, { hidden_tells: 'both' }],
      [{ hiddenTells: 'place' }, { hidden_tells: 'place' }],
      [
        { defaultLocationPrivacy: 'open', showOwnerWhenHidden: false },
        { default_location_privacy: 'open', show_owner_when_hidden: false },
      ],
    ] as const)('is foretold for a change: %j', async (proposed, body) => {
      // Nothing that is not approved is in this world.
      const { service } = world();
      await service.strapi.db.connection('encounters').update({ state: 'approved' });
      const earlier = await counted();
      const told = await hiddenChange(service.strapi, proposed, signal);
      await site(body);
      await settle();
      const now = await counted();
      expect(told.hides - told.shows).toBe(now.hidden - earlier.hidden);
      expect(Math.min(told.hides, told.shows)).toBe(0);
      expect(told.hidesOwners - told.showsOwners).toBe(now.ownerHidden - earlier.ownerHidden);
      if ('hiddenTells' in proposed)
        expect(told.showsPhotographs - told.hidesPhotographs).toBe(
          earlier.photographs - now.photographs,
        );
      const again = await hiddenChange(service.strapi, proposed, signal);
      expect(Object.values(again).every((count) => count === 0)).toBe(true);
    });

    test('is foretold for readers with an account alone', async () => {
      const { encounters, hidden } = await counted();
      const told = await hiddenChange(world().service.strapi, { readers: 'users' }, signal);
      expect(told).toMatchObject({ hides: encounters - hidden, shows: 0 });
    });

    test('is told in lines', async () => {
      const now = await counted();
      expect(hiddenLines(now)).toContain(
        `Strangers are not told ${now.hidden} of ${now.encounters} encounters as they are stored.`,
      );
      expect(hiddenLines({ ...now, isUnderWay: true }).at(-1)).toMatch(/computed anew/);
    });

    test('is logged once all is computed anew, and at no other start', async () => {
      const { strapi } = world().service;
      await settle();
      const told = jest.spyOn(strapi.log, 'info');
      try {
        await tellHiddenWhenComputed(strapi);
        await strapi.db
          .connection('oms_privacy_jobs')
          .insert({ kind: 'all', target: 0, position: 0, due_at: 0 });
        await tellHiddenWhenComputed(strapi);
        const lines = hiddenLines({ ...(await counted()), isUnderWay: false });
        await until('the numbers are logged', () => told.mock.calls.length >= lines.length);
        expect(told.mock.calls.flat()).toEqual(lines);
      } finally {
        told.mockRestore();
      }
    });

    describe('is an administrator’s in the panel', () => {
      let panels: readonly [moderator: Panel, administrator: Panel];
      beforeAll(async () => {
        const { service } = world();
        await makeOperator(service);
        panels = [
          await panelOf(service, await newAccount(service, 'moderator')),
          await panelOf(service, await newAccount(service, 'administrator')),
        ];
      });

      test('and no one else’s', async () => {
        const [moderator, administrator] = panels;
        expect((await moderator.ask('GET', '/panel/hidden')).status).toBe(403);
        const { status, body } = await administrator.ask('GET', '/panel/hidden');
        expect([status, body]).toEqual([200, { data: await counted() }]);
        const change =
          '/panel/hidden/change?defaultLocationPrivacy=private&protectUnidentified=true';
        expect((await moderator.ask('GET', change)).status).toBe(403);
        const proposed = { defaultLocationPrivacy: 'private', protectUnidentified: true } as const;
        expect((await administrator.ask('GET', change)).body).toEqual({
          data: await hiddenChange(world().service.strapi, proposed, signal),
        });
        for (const wrong of [
          'readers=all',
          'version=1',
          'tellHidden=',
          'readers=users&readers=users',
        ])
          expect((await administrator.ask('GET', `/panel/hidden/change?${wrong}`)).status).toBe(
            400,
          );
        const bare = await fetch(`${world().service.url}/panel/hidden`);
        expect(bare.status).toBe(401);
      });
    });
  });
}
