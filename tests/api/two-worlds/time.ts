import { authorizationOf } from '../../helpers/callers';
import { SEED, someOf } from '../../helpers/counterexamples';
import type { Request } from '../../helpers/http';
import { uuid } from '../../helpers/ids';
import type { Json } from '../../helpers/json';
import type { MovedClock } from '../../helpers/moved-clock';
import { bearer, login, makePerson, type Person } from '../../helpers/people';
import { story } from '../../helpers/story';
import { differences, record, requestsFor, type Thing } from '../../helpers/two-worlds';
import { photograph, uploadRequest } from '../../helpers/upload';
import { useSettings, type World } from '../../helpers/world';
import { settle } from '../../helpers/settle';

const [OBSCURED, SECRET, ANIMAL] = [0x71a1, 0x71a2, 0x71a3].map(uuid) as [string, string, string];

/** Of so many requests that name none of these the short form asks, of some 400. */
const SOME = 120;

/**
 * A hidden encounter, its individual and its photograph tell strangers nothing before their date (contract, section 6,
 * "When"): a stranger's answers are the same whether they exist or not.
 */
export function describeTime(world: () => World, clock: MovedClock): void {
  describe('what strangers are not told yet', () => {
    useSettings(world, {
      tell_hidden: 'monthly',
      hidden_tells: 'both',
      show_owner_when_hidden: true,
    });
    const people: Record<string, Person> = {};
    let callers: Readonly<Record<string, Readonly<Record<string, string>>>> = {};
    let owner: Readonly<Record<string, string>> = {};
    let asset = '';
    let before: ReadonlyMap<string, string> = new Map();
    let untold: ReadonlyMap<string, string> = new Map();

    /** Sessions end within months: everybody logs in anew. */
    const when = async (time: string): Promise<void> => {
      clock.set(time);
      const enter = async (name: string) =>
        bearer(await login(world(), people[name] ?? { email: '', password: '' }));
      owner = await enter('owner');
      callers = { nobody: {}, stranger: await enter('stranger') };
      await settle(world().service);
    };
    const call = async (method: string, path: string, body: Json): Promise<void> => {
      const url = `/api/v0/${path}`;
      const { status, text } = await world().send({ method, url, headers: owner, body });
      expect([status, text]).toEqual([200, text]);
    };
    const answers = (): Promise<Map<string, string>> => {
      const things: Thing[] = [
        { type: 'encounter', id: OBSCURED, view: 'obscured' },
        { type: 'encounter', id: SECRET, view: 'private' },
        { type: 'individual', id: ANIMAL, view: 'obscured' },
        { type: 'asset', id: asset, view: 'exact' },
        { type: 'user', id: people['owner']?.id ?? '', view: 'exact' },
      ];
      const all = requestsFor(world(), things, false);
      const isOf = ({ url }: Request): boolean => things.some(({ id }) => url.includes(id));
      const others = all.filter((request) => !isOf(request));
      return record(world(), [...all.filter(isOf), ...someOf(others, SOME)], callers);
    };
    const isSame = async (): Promise<void> => {
      expect(differences(before, await answers())).toEqual([]);
    };

    beforeAll(async () => {
      for (const name of ['owner', 'stranger']) people[name] = await makePerson(world().service);
    });
    afterAll(() => clock.letGo());

    story(
      `is the same as nothing, over two months and the end of a year (OMS_FUZZ_SEED=${SEED})`,
      [
        [
          'as it is reported in October',
          async () => {
            const send: World['send'] = (request) => world().send(request);
            const headers = authorizationOf('moderator');
            const url = '/api/v0/taxonomy';
            const body = { scientific_name: 'Dicerorhinus', location_privacy: 'obscured' };
            const taxon = (await send({ method: 'POST', url, headers, body })).text;
            const taxonomy = (JSON.parse(taxon) as { response: { id: string } }).response.id;
            await when('2051-10-15T12:00Z');
            const upload = { bytes: await photograph(), filename: 'horn.jpg' };
            asset = (
              JSON.parse((await send(uploadRequest(upload, owner))).text) as {
                response: { id: string };
              }
            ).response.id;
            before = await answers();
            expect(before.size).toBeGreaterThan(200);
            await call('POST', 'individual', {
              id: ANIMAL,
              taxonomy,
              names: [{ context: 'nickname', value: 'Badak' }],
            });
            await isSame();
            const seen = { time: '2021-06-13T14:05', latitude: -2.333, longitude: 34.8333 };
            const hidden = { ...seen, locality: 'by the third tree', remarks: 'with a calf' };
            await call('POST', 'encounter', {
              ...{ ...hidden, id: OBSCURED, assets: [asset] },
              ...{ individual: ANIMAL, location_privacy: 'obscured' },
            });
            await call('POST', 'encounter', { ...hidden, id: SECRET, location_privacy: 'private' });
            await settle(world().service);
            await isSame();
          },
        ],
        [
          'when it changes, and on the last day of the month',
          async () => {
            await call('PUT', `encounter/${OBSCURED}`, { sex: 'female', tags: ['tusker'] });
            await call('PUT', `individual/${ANIMAL}`, { sex: 'female' });
            await when('2051-10-31T23:59:00Z');
            await isSame();
          },
        ],
        [
          'but not on the first of November, when the obscured one and its animal are told',
          async () => {
            await when('2051-11-01T00:00Z');
            untold = await answers();
            const told = differences(before, untold);
            expect(told.join('\n')).toContain(`encounter/${OBSCURED}`);
            expect(told.join('\n')).toContain(`individual/${ANIMAL}`);
            expect(told.join('\n')).toContain(`asset/${asset}`);
            expect(told.join('\n')).not.toContain(SECRET);
          },
        ],
        [
          'and the private one until the end of the year',
          async () => {
            before = untold;
            await when('2051-12-01T00:00:01Z');
            await isSame();
            await when('2051-12-31T23:59:00Z');
            await isSame();
            await when('2052-01-01T00:00Z');
            const told = differences(before, await answers());
            expect(told.join('\n')).toContain(`encounter/${SECRET}`);
          },
        ],
      ],
      300_000,
    );
  });
}
