import { registryOf } from '#app/plugins/objects/server';
import { filtersOf, sortable } from '#app/plugins/objects/server/search/language/filters';
import { authorizationOf } from '../../helpers/callers';
import { SEED, someOf } from '../../helpers/counterexamples';
import type { Request } from '../../helpers/http';
import type { Json } from '../../helpers/json';
import { bearer, login, makePerson, responseOf } from '../../helpers/people';
import { differences, record } from '../../helpers/two-worlds';
import type { World } from '../../helpers/world';
import { settle } from '../../helpers/settle';

type Headers = Readonly<Record<string, string>>;

/** Animals of the world, by their names. */
type Animals = Readonly<Record<'zebra' | 'mare' | 'rhino' | 'bull' | 'unknown', string>>;
type Animal = keyof Animals;

/** A hidden encounter, and the individuals that it may have and stay hidden. */
interface Hidden {
  readonly why: string;
  readonly body: Json;
  readonly animals: readonly (Animal | null)[];
}

/** Of so many requests the short form asks, of some 250. */
const SOME = 60;

/** Filters that follow from encounters, or tell when something was written, with values that are hidden or beside them. */
const TELLING: readonly (readonly [name: RegExp, values: readonly string[]])[] = [
  [/^encounter_count/, ['null', '0', '1', '2', '3']],
  [/^(first|last)_seen/, ['null', '2018', '2018-03-04', '2022-02-03', '2023-01-02']],
  [/^(created|updated)_at/, ['null', '2018-01-01T00:00Z']],
];

/**
 * Either the place or the animal (contract, section 6): a stranger's answers are the same whether a hidden encounter has
 * this individual, another one or none, and whether it exists at all. A stranger to the encounter is also who owns some of
 * the individuals.
 */
export function describeAnimal(world: () => World): void {
  describe('a hidden encounter and its individual', () => {
    let animals: Animals;
    let reporter: Headers;
    let keeper: Headers;
    let callers: Readonly<Record<string, Headers>>;
    let plains: string;
    let browsers: string;

    const post = async (type: string, body: Json, headers: Headers): Promise<string> => {
      const answer = await world().send({
        method: 'POST',
        url: `/api/v0/${type}`,
        headers,
        body,
      });
      expect([answer.status, answer.text]).toEqual([200, answer.text]);
      return String(responseOf(answer)['id']);
    };

    beforeAll(async () => {
      const person = async () => bearer(await login(world(), await makePerson(world().service)));
      [reporter, keeper] = [await person(), await person()];
      callers = { nobody: {}, keeper };
      const taxon = (body: Json) => post('taxonomy', body, authorizationOf('moderator'));
      plains = await taxon({ scientific_name: 'Hippotigris' });
      browsers = await taxon({ scientific_name: 'Diceros', location_privacy: 'obscured' });
      const made = async (name: string, taxonomy: string | null, owner: Headers) =>
        post('individual', { names: [{ context: 'nickname', value: name }], taxonomy }, owner);
      animals = {
        zebra: await made('Punda', plains, keeper),
        mare: await made('Farasi', plains, reporter),
        rhino: await made('Faru', browsers, reporter),
        bull: await made('Dume', browsers, keeper),
        unknown: await made('Nani', null, keeper),
      };
      // What is open stays in all lists, around what is hidden.
      for (const [animal, time] of [
        ['zebra', '2019-06-13'],
        ['zebra', '2022-02-03'],
        ['mare', '2020'],
        ['unknown', '2020-05'],
      ] as const)
        await post(
          'encounter',
          { time, taxonomy: plains, individual: animals[animal], latitude: 1, longitude: 2 },
          reporter,
        );
      // Figures are withheld until the job is done that the first protected taxon leaves.
      await settle(world().service);
    }, 60_000);

    const hidden = (): readonly Hidden[] => {
      const seen = { time: '2018-03-04T05:06', latitude: -2.333, longitude: 34.8333 };
      return [
        {
          why: 'obscured by its own level',
          body: { ...seen, location_privacy: 'obscured' },
          animals: ['zebra', 'mare', 'rhino', 'unknown', null],
        },
        {
          why: 'private by its own level',
          body: { ...seen, time: '2023-01-02', location_privacy: 'private', taxonomy: plains },
          animals: ['zebra', 'mare', 'unknown', null],
        },
        {
          why: 'obscured by its taxon',
          body: { ...seen, taxonomy: browsers },
          animals: ['rhino', 'bull', null],
        },
        {
          why: 'obscured by its individual, or because it is unidentified',
          body: seen,
          animals: ['rhino', 'bull', 'unknown', null],
        },
      ];
    };

    /** All that tells of individuals: their pages, lists, filters, orders, exports, history. @param of the encounter */
    const requests = (of: string): Request[] => {
      const resource = registryOf(world().service.strapi).model().resources.get('individual');
      if (!resource) throw new Error('no individuals');
      const known = [...TELLING, [/^encounters/, ['null', of, `${of},null`]] as const];
      const filters = filtersOf(resource).flatMap(({ name }) =>
        known.flatMap(([names, values]) =>
          names.test(name) ? values.map((value) => `${name}=${value}`) : [],
        ),
      );
      const orders = sortable(resource).flatMap(({ name }) => [
        `sort=${name}&expand=true`,
        `sort=-${name},name&limit=2`,
      ]);
      const names = ['punda', 'farasi', 'faru', 'dume', 'nani'];
      const list = ['expand=true&include=encounters', 'count=exact&limit=0', ...orders, ...filters];
      const pages = Object.values(animals).flatMap((id) => [
        ...['', '?include=encounters,taxonomy,owner', '?fields=encounters', '?fields=id'].map(
          (query) => `individual/${id}${query}`,
        ),
        `individual/${id}/history`,
      ]);
      const ofEncounters = [
        ...Object.values(animals).flatMap((id) => [
          `search/encounter?individual=${id}&expand=true`,
          `search/encounter?individual=${id},null&sort=-time&count=exact&limit=1`,
        ]),
        ...['csv', 'geojson'].map(
          (format) => `export/encounter?individual=${animals.zebra}&format=${format}`,
        ),
        ...names.map((name) => `search/encounter?q=${name}&expand=true`),
        `search/encounter?individual=null&id=${of}`,
        `search/encounter?individual_not=${animals.zebra}&id=${of}`,
      ];
      return [
        ...pages,
        ...list.map((query) => `search/individual?${query}`),
        ...names.map((name) => `search/individual?q=${name}`),
        'export/individual?format=csv',
        'export/individual?format=csv&terms=dwc&sort=-last_seen',
        'export/individual?format=geojson&encounter_count_min=1',
        ...ofEncounters,
      ].map((path) => ({ method: 'GET', url: `/api/v0/${path}` }));
    };

    /** What tells of the encounter itself: it is the same whatever individual it has. */
    const itself = (of: string): Request[] =>
      [`encounter/${of}`, `search/encounter?id=${of}&expand=true&include=individual`].map(
        (path) => ({ method: 'GET', url: `/api/v0/${path}` }),
      );

    const asked = (wanted: readonly Request[]) => record(world(), wanted, callers);

    const write = async (method: string, id: string, body: Json = {}): Promise<void> => {
      const url = `/api/v0/encounter/${id}`;
      const { status, text } = await world().send({ method, url, headers: reporter, body });
      expect([status, text]).toEqual([200, text]);
    };

    test(`are told to nobody: which it is, whether there is one, whether it exists (OMS_FUZZ_SEED=${SEED})`, async () => {
      const told: string[] = [];
      const compare = (what: string, before: Map<string, string>, after: Map<string, string>) =>
        void told.push(
          ...differences(before, after)
            .slice(0, 1)
            .map((one) => `${what}: ${one}`),
        );
      for (const { why, body, animals: possible } of hidden()) {
        const of = crypto.randomUUID();
        const all = someOf(requests(of), SOME);
        const without = await asked(all);
        await post('encounter', { ...body, id: of, individual: null }, reporter);
        const alone = await asked(itself(of));
        compare(`${why}, made`, without, await asked(all));
        for (const animal of possible) {
          const individual = animal === null ? null : animals[animal];
          await write('PUT', of, { individual });
          compare(`${why}, of ${animal}`, without, await asked(all));
          compare(`${why}, of ${animal}, itself`, alone, await asked(itself(of)));
        }
        await write('DELETE', of);
        compare(`${why}, deleted`, without, await asked(all));
      }
      expect(told).toEqual([]);
    }, 300_000);

    test('are told where it is open: the same requests find it', async () => {
      const of = crypto.randomUUID();
      const all = requests(of);
      const without = await asked(all);
      const time = '2018-03-04';
      const body = { id: of, time, taxonomy: plains, individual: animals.zebra };
      await post('encounter', body, reporter);
      const found = differences(without, await asked(all)).map((one) => one.split('\n')[0]);
      for (const part of [
        `individual/${animals.zebra} `,
        `encounters=${of} `,
        `encounters_not=${of} `,
        'encounter_count=3 ',
        'first_seen=2018-03-04 ',
        'sort=first_seen&',
        'q=punda&',
        'export/individual?format=csv ',
        `export/encounter?individual=${animals.zebra}&format=csv `,
      ])
        expect([part, found.some((one) => one?.includes(part))]).toEqual([part, true]);
      await write('DELETE', of);
    }, 60_000);
  });
}
