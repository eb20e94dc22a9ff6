import { authorizationOf } from '../helpers/callers';
import { changed, type Entry } from '../helpers/history';
import type { Request } from '../helpers/http';
import { at, parsed, type Json } from '../helpers/json';
import { bearer, login, makePerson } from '../helpers/people';
import { historyOf } from '../helpers/snapshot';
import { story } from '../helpers/story';
import type { World } from '../helpers/world';

const CALLERS = ['nobody', 'stranger', 'partner', 'reporter', 'keeper', 'moderator'] as const;
type Name = (typeof CALLERS)[number];
type Table<T> = Readonly<Record<Name, T>>;

/** What is answered to each where only the keeper and moderators may. */
const OF_THE_KEEPER: Table<number> = {
  ...{ nobody: 401, stranger: 403, partner: 403, reporter: 403, keeper: 200, moderator: 200 },
};

/**
 * A type of which the code knows nothing, with relations through other types, an action of its own and views: what each
 * caller is told of it, on every way that there is.
 */
export function describeCamera(world: () => World): void {
  const ids: Partial<Record<Name, string>> = {};
  const headers: Partial<Record<Name, Readonly<Record<string, string>>>> = {
    nobody: {},
    moderator: authorizationOf('moderator'),
  };
  let [encounter, spare, north, bare] = ['', '', '', ''];
  /** As `north` with its encounter, for the tests that change them. */
  let [seen, moved] = ['', ''];

  const sendAs = (name: Name, method: string, url: string, body?: Json) => {
    const request: Request = { method, url: `/api/v0${url}`, headers: headers[name] ?? {} };
    return world().send(body ? { ...request, body } : request);
  };
  const createAs = async (name: Name, type: string, body: Json): Promise<string> => {
    const { status, text } = await sendAs(name, 'POST', `/${type}`, body);
    if (status !== 200) throw new Error(`${type}: ${text}`);
    return String(at(parsed(text), 'response', 'id'));
  };
  const readAs = async (name: Name, id: string, query = ''): Promise<unknown> => {
    const { status, text } = await sendAs(name, 'GET', `/camera/${id}${query}`);
    return status === 200 ? at(parsed(text), 'response') : status;
  };
  /** Among these, because other tests of the service make cameras, too. */
  const findAs = async (
    name: Name,
    query: string,
    among = [north, bare, spare],
  ): Promise<unknown> => {
    const scope = query.includes('id=') ? '' : `&id=${among.join()}`;
    const { status, text } = await sendAs(name, 'GET', `/search/camera?${query}${scope}`);
    const found = parsed(text);
    const [matches, total] = [at(found, 'matches'), at(found, 'response', 'total')];
    expect(total).toBe(Array.isArray(matches) ? matches.length : undefined);
    return status === 200 ? matches : status;
  };
  /** What each caller is told, all at once. */
  const all = async <T>(ask: (name: Name) => Promise<T>): Promise<Table<T>> =>
    Object.fromEntries(
      await Promise.all(CALLERS.map(async (name) => [name, await ask(name)] as const)),
    ) as Table<T>;

  beforeAll(async () => {
    for (const name of ['stranger', 'partner', 'reporter', 'keeper'] as const) {
      const person = await makePerson(world().service);
      ids[name] = person.id;
      headers[name] = bearer(await login(world(), person));
    }
    encounter = await createAs('reporter', 'encounter', { time: '2021' });
    spare = await createAs('partner', 'camera', { name: 'Spare' });
    const note = 'the key is under the stone';
    const spares = [spare];
    const standing = { name: 'North', spares, position: 17.5, note };
    north = await createAs('keeper', 'camera', { ...standing, encounter });
    seen = await createAs('reporter', 'encounter', { time: '2021' });
    moved = await createAs('keeper', 'camera', { ...standing, encounter: seen });
    bare = await createAs('keeper', 'camera', { name: 'Bare', position: 42, note });
  });

  const times = {
    version: 1,
    created_at: expect.any(String) as unknown,
    updated_at: expect.any(String) as unknown,
  };
  const note = 'the key is under the stone';

  test('each caller reads of an obscured one what is for it', async () => {
    const obscured = { id: north, name: 'North', encounter, spares: [spare], position: 10 };
    const exact = { ...obscured, keeper: ids.keeper, position: 17.5, ...times };
    const everything = { ...exact, note, permissions: ['update', 'delete', 'calibrate'] };
    expect(await all((name) => readAs(name, north))).toEqual({
      nobody: { ...obscured, permissions: [] },
      stranger: { ...obscured, permissions: [] },
      partner: { ...obscured, permissions: ['calibrate'] },
      reporter: { ...exact, permissions: [] },
      keeper: everything,
      moderator: everything,
    } satisfies Table<unknown>);
  });

  test('each caller reads of a private one what is for it', async () => {
    const hidden = { id: bare, name: 'A camera', spares: [], permissions: [] };
    const everything = {
      ...{ ...hidden, name: 'Bare', keeper: ids.keeper, encounter: null, position: 42, note },
      ...{ ...times, permissions: ['update', 'delete', 'calibrate'] },
    };
    expect(await all((name) => readAs(name, bare))).toEqual({
      nobody: 402,
      stranger: hidden,
      partner: hidden,
      reporter: hidden,
      keeper: everything,
      moderator: everything,
    } satisfies Table<unknown>);
  });

  test('what it refers to is included as it is seen, and not through what is hidden', async () => {
    const included = await all(async (name) =>
      at(await readAs(name, north, '?include=keeper,encounter,spares&fields=id'), 'included'),
    );
    const seen = { [encounter]: { id: encounter, display_name: '2021' } };
    const named = (id: string, display_name: string): Json => ({ [id]: { id, display_name } });
    const keeper = {
      [ids.keeper ?? '']: { id: ids.keeper, display_name: expect.any(String) as unknown },
    };
    expect(included).toEqual({
      nobody: { user: {}, encounter: seen, camera: {} },
      stranger: { user: {}, encounter: seen, camera: named(spare, 'A camera') },
      partner: { user: {}, encounter: seen, camera: named(spare, 'Spare') },
      reporter: { user: keeper, encounter: seen, camera: named(spare, 'A camera') },
      keeper: { user: keeper, encounter: seen, camera: named(spare, 'A camera') },
      moderator: { user: keeper, encounter: seen, camera: named(spare, 'Spare') },
    } satisfies Table<unknown>);
  });

  describe('a search finds by what the caller is given', () => {
    type Found = Readonly<Partial<Record<Name, () => readonly string[]>>>;
    const none = (): readonly string[] => [];
    const [one, other, both] = [() => [north], () => [bare], () => [north, bare].sort()];
    const TABLE: readonly [query: () => string, Found][] = [
      [() => 'position=17.5', { reporter: one, keeper: one, moderator: one }],
      [() => 'position=10', { nobody: one, stranger: one, partner: one }],
      [() => 'position=42', { keeper: other, moderator: other }],
      [() => 'position=40', {}],
      [() => 'note=the key is under the stone', { keeper: both, moderator: both }],
      [() => `keeper=${ids.keeper}`, { reporter: one, keeper: both, moderator: both }],
      [
        () => `encounter=${encounter}`,
        { nobody: one, stranger: one, partner: one, reporter: one, keeper: one, moderator: one },
      ],
      [() => 'name=Bare', { keeper: other, moderator: other }],
      [() => 'name=A camera', {}],
      [() => `version=1&id=${north}`, { reporter: one, keeper: one, moderator: one }],
      [
        () => `id=${north},${bare}`,
        {
          ...{ nobody: one, stranger: both, partner: both },
          ...{ reporter: both, keeper: both, moderator: both },
        },
      ],
    ];
    test.each(TABLE.map(([query, found]) => [String(query), query, found] as const))(
      '%s',
      async (_, query, found) => {
        expect(await all((name) => findAs(name, encodeURI(query())))).toEqual(
          Object.fromEntries(CALLERS.map((name) => [name, (found[name] ?? none)()])),
        );
      },
    );

    test('null finds what is empty, and not what is hidden', async () => {
      expect(await all((name) => findAs(name, 'position=null'))).toEqual({
        ...{ nobody: [], stranger: [], reporter: [], keeper: [] },
        ...{ partner: [spare], moderator: [spare] },
      } satisfies Table<unknown>);
    });
  });

  story('what is changed is told to each caller as far as it is for it', [
    [
      'no answer to the public depends on hidden or generalized values',
      async () => {
        const told = async (): Promise<unknown> => {
          const { headers: given, text } = await sendAs('stranger', 'GET', `/camera/${moved}`);
          return [
            given.etag,
            at(parsed(text), 'response'),
            await findAs('stranger', 'position=10', [moved]),
          ];
        };
        const before = await told();
        const change = { position: 18.25, note: 'the key has gone' };
        await sendAs('keeper', 'PUT', `/camera/${moved}`, change);
        expect(await findAs('keeper', 'position=18.25', [moved])).toEqual([moved]);
        expect(await told()).toEqual(before);
        await sendAs('keeper', 'PUT', `/camera/${moved}`, { position: 20 });
        expect(await findAs('stranger', 'position=20', [moved])).toEqual([moved]);
        expect(await findAs('stranger', 'position=10', [moved])).toEqual([]);
      },
    ],

    [
      'each caller has the history as it has the object',
      async () => {
        const told = await all(async (name) => {
          const { status, text } = await sendAs(name, 'GET', `/camera/${moved}/history`);
          if (status !== 200) return status;
          const entries = at(parsed(text), 'response', 'history') as readonly Entry[];
          return entries.map((entry) => changed(entry));
        });
        const made = { name: [null, 'North'], encounter: [null, seen], spares: [[], [spare]] };
        const obscured = [{ position: [10, 20] }, {}, { ...made, position: [null, 10] }];
        const exact = [
          { position: [18.25, 20] },
          { position: [17.5, 18.25] },
          { ...made, position: [null, 17.5], keeper: [null, ids.keeper] },
        ];
        const [last, middle, first] = exact;
        const everything = [
          last,
          { ...middle, note: [note, 'the key has gone'] },
          { ...first, note: [null, note] },
        ];
        expect(told).toEqual({
          ...{ nobody: 401, stranger: obscured, partner: obscured, reporter: exact },
          ...{ keeper: everything, moderator: everything },
        } satisfies Table<unknown>);
        const ofBare = await all(
          async (name) => (await sendAs(name, 'GET', `/camera/${bare}/history`)).status,
        );
        expect(ofBare).toEqual(OF_THE_KEEPER);
      },
    ],

    [
      'its own action is a call, refused in the order of the checks, and has its name in the history',
      async () => {
        const calibrate = (name: Name, id: string, body: Json, etag = '*') =>
          world().send({
            method: 'POST',
            url: `/api/v0/camera/${id}/calibrate`,
            headers: { ...headers[name], 'If-Match': etag },
            body,
          });
        const wrong = { offset: 'x', nope: 1 };
        expect((await calibrate('nobody', moved, wrong, '"1"')).status).toBe(401);
        expect((await calibrate('stranger', seen, wrong, '"1"')).status).toBe(402);
        expect((await calibrate('stranger', moved, wrong, '"1"')).status).toBe(403);
        expect((await calibrate('partner', moved, wrong, '"1"')).status).toBe(412);
        const refused = parsed((await calibrate('partner', moved, wrong)).text);
        expect(at(refused, 'response', 'invalid')).toMatchObject([
          { path: 'nope', key: 'API_RESPONSE_UNKNOWN' },
          { path: 'offset', key: 'API_RESPONSE_TYPE' },
        ]);
        const nothing = parsed((await calibrate('partner', moved, { offset: 0 })).text);
        expect(at(nothing, 'response')).toEqual({ id: moved, version: 3 });
        const done = parsed((await calibrate('partner', moved, { offset: 2.5 }, '"3"')).text);
        expect(at(done, 'response')).toEqual({ id: moved, version: 4 });
        const entry = (await historyOf(world().service, moved)).at(-1);
        expect(entry).toMatchObject({
          action: 'calibrate',
          version: 4,
          actor_id: ids.partner,
          changes: [{ path: 'position', before: 20, after: 22.5 }],
        });
        expect(await findAs('stranger', 'position=20', [moved])).toEqual([moved]);
      },
    ],

    [
      'a relation ends with what it goes through',
      async () => {
        await sendAs('reporter', 'DELETE', `/encounter/${seen}`);
        const statuses = await all(
          async (name) => (await sendAs(name, 'PUT', `/camera/${moved}`, {})).status,
        );
        expect(statuses).toEqual(OF_THE_KEEPER);
        expect(await readAs('nobody', moved)).toBe(402);
        expect(await readAs('reporter', moved)).toMatchObject({ name: 'A camera' });
      },
    ],
  ]);
}
