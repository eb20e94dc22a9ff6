import { backgroundOf } from '#app/plugins/objects/server';
import { authorizationOf } from '../../helpers/callers';
import { at, parsed, type Json } from '../../helpers/json';
import { bearer, login, makePerson, responseOf } from '../../helpers/people';
import { useSettings, type World } from '../../helpers/world';

type Headers = Readonly<Record<string, string>>;

/** The fields that the site adds: what only says to which of few classes an animal belongs may be told. */
export const CUSTOM_FIELDS = {
  individual: [
    {
      key: 'herd',
      type: 'select',
      label: { en: 'Herd' },
      public_when_obscured: true,
      options: [{ value: 'north' }],
    },
    { key: 'collar', type: 'string', label: { en: 'Collar' } },
  ],
};

/** What strangers are told of individuals whose level is not open, and who is no stranger. */
export function describePrivacyOfIndividuals(world: () => World): void {
  describe('an individual whose level is not open', () => {
    const moderator = authorizationOf('moderator');
    const person = async (): Promise<{ readonly id: string; readonly headers: Headers }> => {
      const made = await makePerson(world().service);
      return { id: made.id, headers: bearer(await login(world(), made)) };
    };
    type Person = Awaited<ReturnType<typeof person>>;

    useSettings(world, { anonymous_encounters: true, review_encounters: true });

    let owner: Person;
    let stranger: Person;
    let org: string;
    const taxa: string[] = [];
    /** Of an open taxon, of one that is obscured, and of one that is private. */
    let open: string;
    let obscured: string;
    let hidden: string;

    const send = async (method: string, path: string, headers: Headers, body?: Json) => {
      const answer = await world().send({ method, url: `/api/v0/${path}`, headers, body });
      expect([path, answer.status, answer.text]).toEqual([path, 200, answer.text]);
      return responseOf(answer);
    };
    const make = async (type: string, headers: Headers, body: Json): Promise<string> =>
      String((await send('POST', type, headers, body))['id']);
    const join = async (id: string, { id: user, headers }: Person): Promise<void> => {
      await send('POST', `org/${id}/join`, headers, {});
      await send('POST', `org/${id}/member`, moderator, { user, role: 'member' });
    };
    const read = (id: string, headers: Headers) => send('GET', `individual/${id}`, headers);
    const search = async (query: string, headers: Headers): Promise<unknown> => {
      const url = `/api/v0/search/individual?id=${open},${obscured},${hidden}&${query}`;
      return at(parsed((await world().send({ method: 'GET', url, headers })).text), 'matches');
    };

    const TOLD_OF_OWNERS = {
      time_of_birth: '2011-02-03',
      time_of_death: '2020-12-30/2022-02-01',
      remarks: 'limps on the left',
      tags: ['collared'],
      custom_fields: { herd: 'north', collar: 'imei-35-209900' },
    };

    beforeAll(async () => {
      [owner, stranger] = [await person(), await person()];
      org = await make('org', owner.headers, { name: 'Keepers of pangolins' });
      const taxon = async (name: string, location_privacy: string | null) => {
        taxa.push(await make('taxonomy', moderator, { scientific_name: name, location_privacy }));
        return taxa.at(-1) ?? '';
      };
      const individual = (taxonomy: string, n: number) =>
        make('individual', owner.headers, {
          ...{ ...TOLD_OF_OWNERS, taxonomy, organizations: [org] },
          names: [{ context: 'nickname', value: `Pango ${n}` }],
        });
      open = await individual(await taxon('Phataginus open', null), 1);
      obscured = await individual(await taxon('Phataginus obscured', 'obscured'), 2);
      hidden = await individual(await taxon('Phataginus private', 'private'), 3);
    });

    const settle = async (): Promise<void> => {
      await world().service.strapi.db.connection('oms_privacy_jobs').update({ due_at: 0 });
      await backgroundOf(world().service.strapi).workOff();
    };
    // Servers that share a database wait until all of them know what is protected.
    beforeAll(settle);
    // Where a taxon is protected, what is not identified is obscured: in other tests, too.
    afterAll(async () => {
      for (const id of taxa)
        await send('PUT', `taxonomy/${id}`, moderator, { location_privacy: null });
      await settle();
    });

    test('is told in general terms, by its level and the site', async () => {
      const whole = await read(obscured, owner.headers);
      expect(whole).toMatchObject({ ...TOLD_OF_OWNERS, owner: owner.id, version: 1 });
      const general = {
        time_of_birth: '2011',
        time_of_death: '2020/2022',
        custom_fields: { herd: 'north' },
        name: 'Pango 2',
      };
      const absent = ['remarks', 'tags', 'owner', 'organizations', 'encounter_count'];
      const never = ['version', 'created_at', 'updated_at'];
      for (const caller of [{}, stranger.headers]) {
        const told = await read(obscured, caller);
        expect(told).toMatchObject(general);
        expect(told['custom_fields']).toEqual(general.custom_fields);
        for (const name of [...absent, ...never, 'first_seen', 'last_seen'])
          expect([name, name in told]).toEqual([name, false]);
        const all = await read(open, caller);
        expect(all).toMatchObject({ ...TOLD_OF_OWNERS, owner: owner.id, encounter_count: 0 });
        for (const name of never) expect([name, name in all]).toEqual([name, false]);
      }
    });

    test('is found by what is told alone', async () => {
      const all = [open, obscured, hidden].sort();
      for (const [query, strangers, owners] of [
        ['time_of_birth=2011-02-03', [open], all],
        ['time_of_birth=2011', all, all],
        ['time_of_birth_min=2011-06', [obscured, hidden].sort(), []],
        ['time_of_birth_max=2010', [], []],
        ['tags=collared', [open], all],
        ['custom_fields.collar=imei-35-209900', [open], all],
        ['custom_fields.herd=north', all, all],
        ['q=limps', [open], all],
        ['q=pango', all, all],
        [`owner=${owner.id}`, [open], all],
        [`organizations=${org}`, [open], all],
        ['version=1', [], all],
        ['updated_at_min=2000-01-01T00:00:00Z', [], all],
        ['created_at_min=2000-01-01T00:00:00Z', [], all],
        ['encounter_count=0', [open], all],
      ] as const) {
        expect([query, await search(query, stranger.headers)]).toEqual([query, strangers]);
        expect([query, await search(query, owner.headers)]).toEqual([query, owners]);
      }
    });

    describe('where the site tells who reported what is hidden', () => {
      useSettings(world, { show_owner_when_hidden: true });

      test('tells its owner and orgs, but of what is private', async () => {
        const shared = { owner: owner.id, organizations: [org] };
        expect(await read(obscured, stranger.headers)).toMatchObject(shared);
        expect(await read(hidden, stranger.headers)).not.toHaveProperty('owner');
        expect(await search(`owner=${owner.id}`, stranger.headers)).toEqual(
          [open, obscured].sort(),
        );
      });
    });

    test('is told exactly to collaborators of its owner, members of its orgs and moderators', async () => {
      const [collaborator, member] = [await person(), await person()];
      const asked = { user: collaborator.id, level: 'view' };
      const collaboration = await make('collaboration', owner.headers, asked);
      const accept = { state: 'accepted' };
      await send('PUT', `collaboration/${collaboration}`, collaborator.headers, accept);
      await join(org, member);
      for (const headers of [collaborator.headers, member.headers, moderator])
        expect(await read(hidden, headers)).toMatchObject(TOLD_OF_OWNERS);
    });

    test('is told exactly to whoever sees one of its encounters exactly', async () => {
      const [reporter, friend, member] = [await person(), await person(), await person()];
      const team = await make('org', reporter.headers, { name: 'Team of the pangolin' });
      const asked = { user: friend.id, level: 'view' };
      const collaboration = await make('collaboration', reporter.headers, asked);
      await send('PUT', `collaboration/${collaboration}`, friend.headers, { state: 'accepted' });
      await join(team, member);
      const body = { time: '2021', organizations: [team], individual: null };
      const encounter = await make('encounter', reporter.headers, body);
      const callers = [reporter, friend, member].map(({ headers }) => headers);
      const knows = async (headers: Headers): Promise<boolean> =>
        'remarks' in (await read(hidden, headers));
      for (const headers of callers) expect(await knows(headers)).toBe(false);
      await send('PUT', `encounter/${encounter}`, reporter.headers, { individual: hidden });
      for (const headers of callers) expect(await knows(headers)).toBe(true);
      // Who reads an approved encounter in general terms is a stranger to both.
      await send('POST', `encounter/${encounter}/review`, moderator, { state: 'approved' });
      await send('GET', `encounter/${encounter}`, stranger.headers);
      expect(await knows(stranger.headers)).toBe(false);
      expect(await search('tags=collared', friend.headers)).toEqual([open, hidden].sort());
      await send('DELETE', `encounter/${encounter}`, reporter.headers);
      for (const headers of callers) expect(await knows(headers)).toBe(false);
      const report = await send('POST', 'encounter', {}, { individual: hidden, time: '2021' });
      expect(await knows({})).toBe(false);
      expect(await knows({ 'X-Claim': String(report['claim']) })).toBe(true);
      expect(await knows({ 'X-Claim': 'a'.repeat(43) })).toBe(false);
    });
  });
}
