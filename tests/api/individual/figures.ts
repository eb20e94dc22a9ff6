import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { service as itself } from '#app/core/caller';
import { parseWritten } from '#app/core/time';
import { objectsOf } from '#app/plugins/objects/server';
import { authorizationOf, openToRoles } from '../../helpers/callers';
import { isLong, SEED } from '../../helpers/counterexamples';
import { bearer, login, makePerson, responseOf } from '../../helpers/people';
import { at, parsed, type Json } from '../../helpers/json';
import { testDatabase } from '../../helpers/database';
import { type World } from '../../helpers/world';

/** The figures of individuals: count, first and last time of their encounters. */
export function testFigures(world: () => World): void {
  beforeAll(() => openToRoles(world().service));

  const knex = () => world().service.strapi.db.connection;
  const objects = () => objectsOf(world().service.strapi);

  interface Encounter {
    readonly id: string;
    individual: string | null;
    time: string | null;
    state: string;
    owner: string | null;
  }

  type Headers = Readonly<Record<string, string>>;
  type Figures = readonly [count: unknown, first: unknown, last: unknown];

  type Caller = 'administrator' | 'user' | 'anonymous';

  /** @param as a role, or the headers of a person */
  async function figuresOf(id: string, as: Caller | Headers): Promise<Figures> {
    const headers = typeof as === 'string' ? authorizationOf(as) : as;
    const answer = await world().send({ method: 'GET', url: `/api/v0/individual/${id}`, headers });
    const { encounter_count, first_seen, last_seen } = responseOf(answer);
    return [encounter_count, first_seen, last_seen];
  }

  /** Somebody with an account, and a session. */
  async function person(): Promise<{ readonly id: string; readonly headers: Headers }> {
    const made = await makePerson(world().service);
    return { id: made.id, headers: bearer(await login(world(), made)) };
  }

  /** Sets the state as a review will. */
  const setState = (id: string, state: string): Promise<unknown> =>
    objects().write({ op: 'update', type: 'encounter', id, body: {}, set: { state } }, itself);

  /** Makes strangers see the time of an encounter to the year, to the month, or as it is. @param length of that time */
  async function generalize(encounter: Encounter, length: 4 | 7 | null): Promise<void> {
    const privacy = length === null ? 'open' : length === 4 ? 'private' : 'obscured';
    await world().update('encounter', encounter.id, { location_privacy: privacy });
  }

  /** The figures by plain counting. */
  function expected(counted: readonly Encounter[]) {
    const times = counted
      .flatMap(({ time }) => {
        const span = time === null ? null : parseWritten(time)?.local;
        return span ? [{ time, start: span.start, end: span.end }] : [];
      })
      .sort(
        (a, b) => a.start - b.start || a.end - b.end || (String(a.time) < String(b.time) ? -1 : 1),
      );
    return [counted.length, times[0]?.time ?? null, times.at(-1)?.time ?? null] as const;
  }

  /** All individuals and what searches use of encounters, and the same after everything has been computed anew. */
  async function beforeAndAfterRebuild(): Promise<[unknown, unknown]> {
    const all = async () => {
      const found = await knex()('oms_search_encounters').orderBy(['id', 'audience']);
      const individuals: unknown = await knex()('individuals').orderBy('id');
      return { individuals, found: found.map(comparable) };
    };
    const before: unknown = await all();
    await checkIndex();
    await objects().rebuild();
    await checkIndex();
    return [before, await all()];
  }

  /** Without the key, which is one by chance, and the positions of words, which depend on what was there before. */
  const comparable = ({ key: _, words, ...row }: Json): Json => ({
    ...row,
    words: testDatabase === 'postgres' ? String(words).replace(/:[\d,]+/g, '') : words,
  });

  /** @throws the database's error where the index of words has other ones than the rows */
  async function checkIndex(): Promise<void> {
    const words = 'oms_search_encounters_words';
    if (testDatabase === 'sqlite')
      await knex().raw(`insert into ${words} (${words}, rank) values ('integrity-check', 1)`);
  }

  test('figures are of all encounters for moderators, of what anybody is told for all others, and with the own ones for owners', async () => {
    const [owner, other] = [await person(), await person()];
    const individual = await world().create('individual', { owner: owner.id });
    const encounter = async (time: string | null, of = other, state = 'approved') => {
      const id = await world().create('encounter', { individual, time, owner: of.id });
      if (state !== 'approved') await setState(id, state);
      return { id, individual, time, state, owner: of.id };
    };
    await encounter('2021-06-03T14:05+02:00');
    await encounter('2019-01-05', owner, 'pending');
    await encounter('2018-04-01', other, 'pending');
    const last = await encounter('2022-08-09');
    const own = await encounter('2020-02-02', owner);
    await encounter(null);
    await generalize(last, 7);
    await generalize(own, 4);
    const all = [6, '2018-04-01', '2022-08-09'];
    const told = [2, '2021-06-03T14:05+02:00', '2021-06-03T14:05+02:00'];
    const kept = [4, '2019-01-05', '2021-06-03T14:05+02:00'];
    expect(await figuresOf(individual, 'administrator')).toEqual(all);
    expect(await figuresOf(individual, 'user')).toEqual(told);
    expect(await figuresOf(individual, 'anonymous')).toEqual(told);
    expect(await figuresOf(individual, owner.headers)).toEqual(kept);
    const collaborator = await person();
    await collaborate(owner, collaborator);
    expect(await figuresOf(individual, collaborator.headers)).toEqual(kept);
    // Whoever reported what is hidden is no owner of the individual.
    expect(await figuresOf(individual, other.headers)).toEqual(told);
    expect(await world().read('individual', individual)).toMatchObject({ version: 1 });
    await generalize(last, null);
    expect(await figuresOf(individual, 'user')).toEqual([3, told[1], '2022-08-09']);
    await world().update('individual', individual, { owner: other.id });
    expect(await figuresOf(individual, owner.headers)).toEqual([3, told[1], '2022-08-09']);
    expect(await figuresOf(individual, other.headers)).toEqual([4, '2018-04-01', '2022-08-09']);
    await world().update('encounter', own.id, { owner: other.id });
    expect(await figuresOf(individual, other.headers)).toEqual([5, '2018-04-01', '2022-08-09']);
  });

  async function collaborate(from: { headers: Headers }, to: { id: string; headers: Headers }) {
    const asked = { user: to.id, level: 'view' };
    const url = '/api/v0/collaboration';
    const made = await world().send({ method: 'POST', url, headers: from.headers, body: asked });
    const accept = { method: 'PUT', headers: to.headers, body: { state: 'accepted' } };
    const { status } = await world().send({
      ...accept,
      url: `${url}/${String(responseOf(made)['id'])}`,
    });
    expect(status).toBe(200);
  }

  test('filters and sorts go by what anybody is told of, for owners too', async () => {
    const owner = await person();
    const body = { owner: owner.id, taxonomy: null };
    const [shown, hidden] = [
      await world().create('individual', body),
      await world().create('individual', body),
    ];
    for (const [individual, privacy] of [
      [shown, 'open'],
      [hidden, 'obscured'],
    ] as const)
      for (const time of ['1911-01-05', '1912-01-05'])
        await world().create('encounter', {
          ...{ individual, time, owner: owner.id },
          location_privacy: privacy,
        });
    const found = async (query: string, as: Caller | Headers): Promise<unknown> => {
      const headers = typeof as === 'string' ? authorizationOf(as) : as;
      const url = `/api/v0/search/individual?id=${shown},${hidden}&${query}`;
      return at(parsed((await world().send({ method: 'GET', url, headers })).text), 'matches');
    };
    for (const query of ['encounter_count_min=1', 'first_seen=1911-01-05', 'last_seen_min=1912']) {
      for (const as of [owner.headers, 'user', 'anonymous'] as const)
        expect([query, await found(query, as)]).toEqual([query, [shown]]);
      expect([query, await found(query, 'administrator')]).toEqual([query, [shown, hidden].sort()]);
    }
    for (const sort of ['-encounter_count', 'first_seen'])
      expect(await found(`sort=${sort}`, owner.headers)).toEqual([shown, hidden]);
    const jobs = () => knex()('oms_privacy_jobs');
    await jobs().insert({ kind: 'untaxed', target: 0, position: 0, due_at: FAR });
    try {
      expect(await figuresOf(shown, 'user')).toEqual([null, null, null]);
      expect(await figuresOf(shown, owner.headers)).toEqual([null, null, null]);
      expect(await figuresOf(shown, 'administrator')).toEqual([2, '1911-01-05', '1912-01-05']);
      expect(await found('encounter_count_min=0', 'user')).toEqual([]);
      expect(await found('first_seen_min=1900', 'anonymous')).toEqual([]);
      expect(await found('sort=-encounter_count', 'user')).toEqual(
        [shown, hidden].sort().reverse(),
      );
    } finally {
      await jobs().delete();
    }
  });

  test('a preview of a merge counts no hidden encounter of others', async () => {
    const owner = await person();
    const make = () => world().create('individual', { owner: owner.id });
    const [into, from] = [await make(), await make()];
    const hidden = { individual: from, location_privacy: 'private' };
    for (const body of [{ individual: from }, hidden, { ...hidden, owner: owner.id }])
      await world().create('encounter', body);
    const body = { from: [from], dry_run: true };
    const url = `/api/v0/individual/${into}/merge`;
    for (const [headers, encounters] of [
      [authorizationOf('moderator'), 3],
      [owner.headers, 2],
    ] as const)
      expect(responseOf(await world().send({ method: 'POST', url, headers, body }))).toMatchObject({
        encounters,
      });
  });

  test('figures are right after changes at once', async () => {
    const [one, other] = [await world().create('individual'), await world().create('individual')];
    const ids = await Promise.all(
      Array.from({ length: 24 }, (_, n) =>
        world().create('encounter', {
          individual: n % 2 ? one : other,
          time: `20${10 + (n % 12)}`,
        }),
      ),
    );
    await Promise.all(
      ids.map((id, n) =>
        n % 3 === 0
          ? world().send({ method: 'DELETE', url: `/api/v0/encounter/${id}` })
          : world().update('encounter', id, { individual: n % 4 === 1 ? other : one }),
      ),
    );
    const [before, after] = await beforeAndAfterRebuild();
    expect(before).toEqual(after);
    const counts = [one, other].map(async (id) => Number((await figuresOf(id, 'user'))[0]));
    expect((await Promise.all(counts)).reduce((sum, n) => sum + n)).toBe(16);
  });

  /** Beyond every time at which a job is due. */
  const FAR = 1e15;

  /** Random changes, of which the suite has some hundreds: `OMS_FUZZ=long` has some thousands. */
  const LENGTH = isLong ? 4000 : testDatabase === 'sqlite' ? 250 : 100;

  const TIMES = [
    null,
    '2020',
    '2020-03',
    '2020-03-04',
    '2020-01-01',
    '2021-06/2021-08',
    '2021-06-30',
  ];
  const EXACT = [
    '2021-06-03T14:05+02:00',
    '2021-06-01T00:10+02:00',
    '2019-12-31T23:50-05:00',
    '2022',
  ];

  const step = fc.record({
    what: fc.constantFrom(
      'see',
      'see',
      'see',
      'move',
      'time',
      'say',
      'say',
      'state',
      'hide',
      'hide',
      'lose',
      'end',
      'batch',
      'batch',
      'bulk',
      'merge',
      'give',
      'hand over',
    ),
    encounter: fc.nat(),
    individual: fc.nat(),
    isNone: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    time: fc.constantFrom(...TIMES, ...EXACT),
    state: fc.constantFrom('approved', 'approved', 'pending', 'rejected'),
    length: fc.constantFrom(4, 7, null),
    isAtomic: fc.boolean(),
    isRefused: fc.integer({ min: 0, max: 2 }).map((n) => n === 0),
  });
  type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

  test('figures are what they would be if they were computed anew, whatever has changed', async () => {
    const seed = SEED;
    const steps = fc.sample(fc.array(step, { minLength: LENGTH, maxLength: LENGTH }), {
      seed,
      numRuns: 1,
    })[0] as readonly Step[];
    const people = [await person(), await person()] as const;
    const [leaving] = people;
    /** The owner of each individual. */
    const owners = new Map<string, string>();
    let encounters: Encounter[] = [];
    let individuals: string[] = [];
    let made = 0;
    const pick = <T>(list: readonly T[], n: number): T | undefined => list[n % list.length];

    const somebody = (n: number): string => pick(people, n)?.id ?? '';

    const create = async (given: Json, state: string): Promise<void> => {
      const body = { ...given, owner: somebody(made) };
      const id = await world().create('encounter', body);
      const encounter = { ...body, id, state: 'approved' } as unknown as Encounter;
      encounters.push(encounter);
      made += 1;
      if (state !== 'approved') await change(encounter, { state });
    };
    const change = async (encounter: Encounter, changes: Partial<Encounter>): Promise<void> => {
      const { state, ...body } = changes;
      Object.assign(encounter, changes);
      if (state !== undefined) await setState(encounter.id, state);
      else await world().update('encounter', encounter.id, body);
    };
    const remove = (type: string, id: string): Promise<unknown> =>
      world().send({ method: 'DELETE', url: `/api/v0/${type}/${id}` });

    /** A batch that makes an encounter, moves another one in time and place, and deletes a third. */
    const batch = async (given: Step, changed: Encounter): Promise<void> => {
      const { individual: n, time, isNone, isAtomic, isRefused } = given;
      const [added, lost] = [randomUUID(), pick(encounters, given.encounter + 1)];
      const body = { individual: isNone ? null : (pick(individuals, n) ?? null), time };
      const moved = { individual: pick(individuals, n + 1) ?? null, time: pick(EXACT, n) ?? null };
      const operations = [
        { op: 'create', type: 'encounter', body: { ...body, id: added, owner: somebody(n) } },
        { op: 'update', type: 'encounter', id: changed.id, body: moved },
        ...(lost && lost !== changed ? [{ op: 'delete', type: 'encounter', id: lost.id }] : []),
        ...(isRefused ? [{ op: 'delete', type: 'encounter', id: randomUUID() }] : []),
      ];
      const url = '/api/v0/batch';
      const answer = await world().send({
        method: 'POST',
        url,
        body: { operations, atomic: isAtomic },
      });
      const isKept = !(isAtomic && isRefused);
      expect([answer.status, answer.text]).toEqual([isKept ? 200 : 400, answer.text]);
      if (!isKept) return;
      encounters.push({ ...body, id: added, state: 'approved', owner: somebody(n) });
      Object.assign(changed, moved);
      if (lost !== changed) encounters = encounters.filter((one) => one !== lost);
    };

    /** As the panel deletes a selection. */
    const removeSelected = async (selected: readonly Encounter[]): Promise<void> => {
      const manager = world()
        .service.strapi.plugin('content-manager')
        .service<{ deleteMany(ids: readonly string[], uid: string): Promise<unknown> }>(
          'document-manager',
        );
      await manager.deleteMany(
        selected.map(({ id }) => id),
        'api::encounter.encounter',
      );
      encounters = encounters.filter((one) => !selected.includes(one));
    };

    /** Another individual becomes this one. */
    const mergeInto = async (into: string | null): Promise<void> => {
      const from = individuals.find((one) => one !== into);
      if (into === null || from === undefined) return;
      const url = `/api/v0/individual/${into}/merge`;
      const answer = await world().send({ method: 'POST', url, body: { from: [from] } });
      expect([answer.status, answer.text]).toEqual([200, answer.text]);
      for (const one of encounters) if (one.individual === from) one.individual = into;
      individuals = individuals.filter((one) => one !== from);
    };

    const take = async (given: Step): Promise<void> => {
      const { what, isNone, time, state } = given;
      while (individuals.length < 3) {
        const some = encounters
          .slice(-(given.encounter % 3))
          .filter((_, at) => given.isNone && at < 2);
        const id = await world().create('individual', {
          owner: somebody(given.individual),
          encounters: some.map((one) => one.id),
        });
        for (const one of some) Object.assign(one, { individual: id });
        for (const one of some) await generalize(one, null);
        individuals.push(id);
        owners.set(id, somebody(given.individual));
      }
      const individual = isNone ? null : (pick(individuals, given.individual) ?? null);
      const encounter = pick(encounters, given.encounter);
      if (what === 'see' || !encounter) await create({ individual, time }, state);
      else if (what === 'move') await change(encounter, { individual });
      else if (what === 'time') await change(encounter, { time });
      else if (what === 'say')
        await world().update('encounter', encounter.id, {
          remarks: pick(['a calf', 'with a calf', null], given.encounter),
          sex: pick(['male', null], given.individual),
        });
      else if (what === 'state') await change(encounter, { state });
      else if (what === 'hide') await generalize(encounter, given.length);
      else if (what === 'batch') await batch(given, encounter);
      else if (what === 'bulk') await removeSelected(encounters.slice(0, given.encounter % 3));
      else if (what === 'merge') await mergeInto(individual);
      else if (what === 'give')
        await change(encounter, { owner: isNone ? null : somebody(given.individual) });
      else if (what === 'hand over') {
        const [id, to] = [pick(individuals, given.individual) ?? '', somebody(given.encounter)];
        await world().update('individual', id, { owner: to });
        owners.set(id, to);
      } else if (what === 'lose') {
        await remove('encounter', encounter.id);
        encounters = encounters.filter((one) => one !== encounter);
      } else if (individual !== null && given.individual % 3 === 0) {
        for (const one of encounters.filter((one) => one.individual === individual)) {
          one.individual = null;
        }
        await remove('individual', individual);
        individuals = individuals.filter((one) => one !== individual);
      }
    };

    const check = async (at: number): Promise<void> => {
      const rows = await knex()('oms_generalized')
        .join('encounters', 'encounters.id', 'oms_generalized.encounter')
        .select<{ document_id: string }[]>('encounters.document_id');
      const hidden = new Set(rows.map(({ document_id }) => document_id));
      for (const id of individuals) {
        const seen = encounters.filter(({ individual }) => individual === id);
        const owner = owners.get(id) ?? null;
        const isTold = ({ id: one, state }: Encounter): boolean =>
          state === 'approved' && !hidden.has(one);
        const keeper = people.find((one) => one.id === owner);
        const found = [
          await figuresOf(id, 'administrator'),
          await figuresOf(id, 'anonymous'),
          ...(keeper ? [await figuresOf(id, keeper.headers)] : []),
        ];
        const wanted = [
          expected(seen),
          expected(seen.filter(isTold)),
          ...(keeper ? [expected(seen.filter((one) => isTold(one) || one.owner === owner))] : []),
        ];
        expect({ seed, at, id, found }).toEqual({ seed, at, id, found: wanted });
      }
      const [before, after] = await beforeAndAfterRebuild();
      expect({ seed, at, rows: before }).toEqual({ seed, at, rows: after });
    };

    for (const [at, given] of steps.entries()) {
      await take(given);
      if (at % 10 === 9) await check(at);
    }
    await remove('user', leaving.id);
    for (const one of encounters) if (one.owner === leaving.id) one.owner = null;
    for (const [id, owner] of owners) if (owner === leaving.id) owners.delete(id);
    await check(steps.length);
    expect(made).toBeGreaterThan(LENGTH / 20);
  });
}
