import { randomUUID } from 'node:crypto';
import { objectsOf } from '#app/plugins/objects/server';
import { authorizationOf } from '../../helpers/callers';
import { uuid } from '../../helpers/ids';
import { at, parsed, type Json } from '../../helpers/json';
import { refusal, useMembers, type Member } from '../../helpers/members';
import { responseOf } from '../../helpers/people';
import { play, type Fault } from '../../helpers/scenario';
import { historyOf } from '../../helpers/snapshot';
import type { World } from '../../helpers/world';
import { isLong } from '../../torture/scale';
import { testMergedReferences } from './merged-references';
import { copyEncounters, readsBeside } from './many-encounters';

const nickname = (value: string, preferred = false): Json => ({
  context: 'nickname',
  value,
  preferred,
});
const rel = (individual: string, type: string): Json => ({ individual, type });

/** Merges of individuals. @param taxa a genus, two species in it, and another genus */
export function describeMerges(
  world: () => World,
  [GENUS, SPECIES, OTHER_SPECIES, OTHER_GENUS]: readonly [string, string, string, string],
): void {
  const { as, done, invalid, newPerson } = useMembers(world);
  const make = (body: Json = {}): Promise<string> => world().create('individual', body);
  const meet = (individual: string, body: Json = {}): Promise<string> =>
    world().create('encounter', { individual, ...body });
  const read = (id: string): Promise<Json> => world().read('individual', id);
  const merge = (into: string, body: Json, who: Member | 'moderator' | null = 'moderator') =>
    as(who, 'POST', `individual/${into}/merge`, body);
  const actions = async (id: string): Promise<string[]> =>
    (await historyOf(world().service, id)).map(({ action }) => action);
  /** Merges what may be merged. */
  const merged = async (into: string, from: readonly string[], more: Json = {}): Promise<void> => {
    expect(await done(merge(into, { from, ...more }))).toMatchObject({ id: into });
  };

  let [owner, stranger, editor] = [] as unknown as [Member, Member, Member];
  beforeAll(async () => {
    [owner, stranger, editor] = [await newPerson(), await newPerson(), await newPerson()];
    const asked = await as(editor, 'POST', 'collaboration', { user: owner.id, level: 'edit' });
    await as(owner, 'PUT', `collaboration/${String(responseOf(asked)['id'])}`, {
      state: 'accepted',
    });
  });

  describe('a merge', () => {
    test('moves encounters, names, tags, relationships and followers', async () => {
      const [young, mate] = [await make(), await make()];
      const into = await make({ names: [nickname('Nala')], tags: ['a'], sex: 'female' });
      const from = await make({
        names: [nickname('NALA'), nickname('Elsa', true)],
        taxonomy: SPECIES,
        tags: ['b', 'a'],
        sex: 'female',
        relationships: [rel(young, 'offspring'), rel(mate, 'mate')],
      });
      const kept = await meet(into, { time: '2020' });
      const [moved, foreign] = [
        await meet(from, { time: '2021' }),
        await meet(from, { time: '2019', owner: owner.id }),
      ];
      await world().update('user', owner.id, { followed_individuals: [from, into] });
      await world().update('user', stranger.id, { followed_individuals: [young, from, mate] });
      const preview = await done(merge(into, { from: [from], dry_run: true }));
      const names = [nickname('Nala'), nickname('Elsa')];
      expect(preview).toEqual({
        encounters: 2,
        relationships: 2,
        followers: 2,
        names,
        conflicts: [{ path: 'taxonomy', values: [null, SPECIES] }],
      });
      expect(await read(from)).toMatchObject({ version: 1, merged_into: null });

      expect(await done(merge(into, { from: [from.toUpperCase()] }))).toEqual({
        id: into,
        version: 2,
      });
      expect(await read(into)).toMatchObject({
        names,
        name: 'Nala',
        taxonomy: null,
        tags: ['a', 'b'],
        relationships: [rel(mate, 'mate'), rel(young, 'offspring')],
        encounters: [moved, kept, foreign],
        encounter_count: 3,
        first_seen: '2019',
        last_seen: '2021',
        merged_into: null,
      });
      expect(await read(from)).toEqual({ id: from, merged_into: into });
      expect(await read(young)).toMatchObject({ version: 3, relationships: [rel(into, 'mother')] });
      expect(await read(mate)).toMatchObject({ version: 3, relationships: [rel(into, 'mate')] });
      expect(await world().read('encounter', foreign)).toMatchObject({
        individual: into,
        version: 2,
      });
      const follows = async ({ id }: Member) =>
        (await world().read('user', id, '?fields=followed_individuals'))['followed_individuals'];
      expect(await follows(owner)).toEqual([into]);
      expect(await follows(stranger)).toEqual([young, into, mate]);
    });

    test('lets its encounters be found by the names that their individual then has', async () => {
      const [into, from] = [
        await make({ names: [nickname('Zephyrine')] }),
        await make({ names: [nickname('Quillon')] }),
      ];
      const here = { latitude: 1.5, longitude: 36.2, remarks: 'limps a little' };
      const open = await meet(from, here);
      const moved = [open, await meet(from, { ...here, location_privacy: 'private' })].sort();
      const found = async (words: string, who: Member | 'moderator'): Promise<unknown> => {
        const { text } = await as(who, 'GET', `search/encounter?q=${encodeURIComponent(words)}`);
        return [...(at(parsed(text), 'matches') as string[])].sort();
      };
      await merged(into, [from]);
      await world().update('individual', into, { names: [nickname('Zephyrine')] });
      for (const [who, seen] of [
        ['moderator', moved],
        [stranger, [open]],
      ] as const) {
        expect(await found('zephyrine', who)).toEqual(seen);
        expect(await found('quillon', who)).toEqual([]);
      }
      expect(await found('limps a zephyrine', 'moderator')).toEqual(moved);
      await done(as('moderator', 'DELETE', `individual/${into}`));
      expect(await found('zephyrine', 'moderator')).toEqual([]);
      expect(await found('limps', 'moderator')).toEqual(moved);
    });

    test('stands in the history of all that it changes', async () => {
      const [into, from] = [await make({ owner: owner.id }), await make({ owner: owner.id })];
      await world().update('individual', from, { names: [nickname('Kept in history')] });
      const encounter = await meet(from);
      await merged(into, [from]);
      expect(await actions(into)).toEqual(['create', 'merge']);
      expect(await actions(from)).toEqual(['create', 'update', 'merge']);
      const { history } = responseOf(await as(owner, 'GET', `individual/${from}/history`)) as {
        history: Json[];
      };
      expect(history[0]).toMatchObject({
        action: 'merge',
        version: 3,
        changes: expect.arrayContaining([
          { path: 'merged_into', before: null, after: into },
          { path: 'names', before: [nickname('Kept in history')], after: [] },
        ]) as unknown,
      });
      expect((await historyOf(world().service, encounter)).at(-1)).toMatchObject({
        action: 'update',
        changes: [{ path: 'individual', before: from, after: into }],
      });
    });

    test('keeps the values of the individual that stays, and tells which differ', async () => {
      const into = await make({ sex: 'male', remarks: 'big' });
      const [one, other] = [
        await make({ sex: 'female', living_status: 'dead', remarks: 'big' }),
        await make({ sex: 'female', time_of_birth: '2001' }),
      ];
      const from = [one, other];
      const conflicts = async (more: Json = {}) =>
        (responseOf(await merge(into, { from, dry_run: true, ...more })) as { conflicts: Json[] })
          .conflicts;
      expect(await conflicts()).toEqual([
        { path: 'sex', values: ['male', 'female'] },
        { path: 'living_status', values: [null, 'dead'] },
        { path: 'time_of_birth', values: [null, '2001'] },
      ]);
      expect(await conflicts({ sex: 'female', living_status: null })).toEqual([
        { path: 'time_of_birth', values: [null, '2001'] },
      ]);
      await merged(into, from, { sex: 'female', time_of_birth: '2001-05' });
      expect(await read(into)).toMatchObject({
        sex: 'female',
        living_status: null,
        time_of_birth: '2001-05',
        remarks: 'big',
      });
    });

    test('makes a parent of the sex that the individual then has', async () => {
      const young = await make();
      const into = await make({ sex: 'male' });
      const from = await make({ sex: 'female', relationships: [rel(young, 'offspring')] });
      await merged(into, [from]);
      expect((await read(young))['relationships']).toEqual([rel(into, 'father')]);
    });

    test('forgets relationships among the merged', async () => {
      const [one, other, third] = [await make(), await make(), await make()];
      await world().update('individual', one, {
        relationships: [rel(other, 'sibling'), rel(third, 'mate')],
      });
      await world().update('individual', other, {
        relationships: [rel(one, 'sibling'), rel(third, 'mate')],
      });
      const preview = responseOf(await merge(one, { from: [other], dry_run: true }));
      expect(preview).toMatchObject({ relationships: 0 });
      await merged(one, [other]);
      expect((await read(one))['relationships']).toEqual([rel(third, 'mate')]);
      expect((await read(third))['relationships']).toEqual([rel(one, 'mate')]);
    });
  });

  describe('a merge is refused', () => {
    test('for what is wrong with its body, all of it at once', async () => {
      const [into, from] = [await make(), await make()];
      const wrong: [string, Json, readonly Fault[]][] = [
        ['nothing', {}, [['from', 'REQUIRED']]],
        ['an empty list', { from: [] }, [['from', 'TOO_SHORT', { min: 1 }]]],
        ['no list', { from }, [['from', 'TYPE', { expected: 'array' }]]],
        [
          'several',
          { from: [from, into, uuid(0xdead)], sex: 5, names: [], version: 1, dry_run: 'x' },
          [
            ['sex', 'NOT_ONE_OF'],
            ['names', 'UNKNOWN'],
            ['version', 'UNKNOWN'],
            ['dry_run', 'TYPE', { expected: 'boolean' }],
          ],
        ],
        [
          'itself, and what is not there',
          { from: [from, into, uuid(0xdead)], sex: 'none' },
          [
            ['from.1', 'CONFLICT', { with: 'id' }],
            ['from.2', 'NO_SUCH', { type: 'individual' }],
            ['sex', 'NOT_ONE_OF'],
          ],
        ],
        [
          'references of the values',
          { from: [from], taxonomy: uuid(0xdead) },
          [['taxonomy', 'NO_SUCH', { type: 'taxonomy' }]],
        ],
        [
          'too many',
          { from: Array.from({ length: 101 }, () => randomUUID()) },
          [['from', 'TOO_LONG', { max: 100 }]],
        ],
      ];
      for (const [name, body, faults] of wrong)
        await play(world(), {
          name,
          method: 'POST',
          url: `/api/v0/individual/${into}/merge`,
          body,
          expect: { status: 400, key: 'MALFORMED', invalid: faults },
        });
    });

    test('to whoever is not own or moderator of all of them', async () => {
      const [mine, second] = [await make({ owner: owner.id }), await make({ owner: owner.id })];
      const foreign = await make();
      expect(await done(merge(mine, { from: [second] }, null))).toEqual(
        refusal(401, 'LOGIN_REQUIRED'),
      );
      for (const who of [stranger, editor])
        expect(await done(merge(mine, { from: [second] }, who))).toEqual(
          refusal(403, 'NOT_PERMITTED'),
        );
      expect(await done(merge(mine, { from: [foreign, 'x'] }, owner))).toEqual(
        refusal(403, 'NOT_PERMITTED'),
      );
      expect(await done(merge(uuid(0xdead), { from: [mine] }, owner))).toEqual(
        refusal(402, 'ENTITY_NOT_FOUND'),
      );
      expect((await read(mine))['permissions']).toContain('merge');
      expect(await done(merge(mine, { from: [second] }, owner))).toMatchObject({ version: 2 });
    });

    test('where the version has moved on', async () => {
      const [into, from] = [await make(), await make()];
      await play(world(), {
        name: 'version',
        method: 'POST',
        url: `/api/v0/individual/${into}/merge`,
        headers: { ...authorizationOf('moderator'), 'if-match': '"7"' },
        body: { from: [from] },
        expect: { status: 412, key: 'VERSION_MISMATCH' },
      });
    });

    test('where taxa disagree, unless one is given that all agree with', async () => {
      const into = await make({ taxonomy: SPECIES });
      const from = await make({ taxonomy: OTHER_SPECIES });
      await meet(from, { taxonomy: OTHER_SPECIES });
      const conflict = [['taxonomy', 'API_RESPONSE_CONFLICT', { with: 'encounters' }]];
      expect(await invalid(merge(into, { from: [from] }))).toEqual([400, conflict]);
      expect(await invalid(merge(into, { from: [from], taxonomy: OTHER_GENUS }))).toEqual([
        400,
        conflict,
      ]);
      expect(responseOf(await merge(into, { from: [from], dry_run: true }))).toMatchObject({
        conflicts: [{ path: 'taxonomy', values: [SPECIES, OTHER_SPECIES] }],
      });
      await merged(into, [from], { taxonomy: GENUS });
      expect(await read(into)).toMatchObject({ taxonomy: GENUS });
    });

    test('where one animal would be kin of another in two ways', async () => {
      const [into, from, third] = [await make(), await make(), await make()];
      await world().update('individual', into, { relationships: [rel(third, 'mother')] });
      await world().update('individual', from, { relationships: [rel(third, 'father')] });
      expect(await invalid(merge(into, { from: [from] }))).toEqual([
        400,
        [['relationships', 'API_RESPONSE_CONFLICT', { with: 'from' }]],
      ]);
      expect(responseOf(await merge(into, { from: [from], dry_run: true }))).toMatchObject({
        conflicts: [
          { path: 'relationships', values: [rel(third, 'mother'), rel(third, 'father')] },
        ],
      });
    });

    test('where a name is another one’s in the taxon that they then have', async () => {
      await make({ names: [nickname('Taken')], taxonomy: SPECIES });
      const into = await make({ names: [nickname('Free')], taxonomy: SPECIES });
      const from = await make({ names: [nickname('Taken')] });
      expect(await invalid(merge(into, { from: [from] }))).toEqual([
        400,
        [['names.1.value', 'API_RESPONSE_TAKEN', {}]],
      ]);
    });
  });

  testMergedReferences(world);

  describe('what was merged', () => {
    test('takes no change', async () => {
      const [into, from] = [await make({ owner: owner.id }), await make({ owner: owner.id })];
      await merged(into, [from]);
      const gone = { status: 409, key: 'MERGED', args: { into } } as const;
      const url = `/api/v0/individual/${from}`;
      const base = { name: 'merged', url, expect: gone };
      await play(world(), { ...base, method: 'PUT', body: { remarks: 'x' } });
      await play(world(), { ...base, method: 'DELETE' });
      const act = { ...base, method: 'POST', url: `${url}/merge` };
      await play(world(), { ...act, body: { from: [into] } });
      const wrong = (...invalid: Fault[]) => ({ status: 400, key: 'MALFORMED', invalid }) as const;
      await play(world(), {
        ...base,
        method: 'PUT',
        body: { sex: 1 },
        expect: wrong(['sex', 'NOT_ONE_OF']),
      });
      await play(world(), { ...act, body: { from: [] }, expect: wrong(['from', 'TOO_SHORT']) });
      expect(await done(as(stranger, 'DELETE', `individual/${from}`))).toEqual(
        refusal(403, 'NOT_PERMITTED'),
      );

      expect(await invalid(merge(into, { from: [from] }))).toEqual([
        400,
        [['from.0', 'API_RESPONSE_NO_SUCH', { type: 'individual' }]],
      ]);
    });

    test('is found by no search, and in no list', async () => {
      const tag = `tag ${randomUUID()}`;
      const [into, from] = [await make({ tags: [tag] }), await make({ tags: [tag] })];
      const found = async (query: string): Promise<unknown> => {
        const { text } = await as('moderator', 'GET', `search/individual?${query}`);
        return at(parsed(text), 'matches');
      };
      expect(await found(`tags=${encodeURIComponent(tag)}&sort=name`)).toHaveLength(2);
      await merged(into, [from]);
      expect(await found(`tags=${encodeURIComponent(tag)}`)).toEqual([into]);
      expect(await found(`id=${from}`)).toEqual([]);
      expect(await found(`q=${from}`)).toEqual([]);
      const answer = await as(
        'moderator',
        'GET',
        `export/individual?format=csv&id=${from},${into}`,
      );
      expect(answer.text.trim().split('\n')).toHaveLength(2);
    });

    test('points at the last of several merges, and goes with it', async () => {
      const [first, second, last] = [await make(), await make(), await make()];
      await merged(second, [first]);
      await merged(last, [second]);
      for (const id of [first, second]) expect(await read(id)).toEqual({ id, merged_into: last });
      const answer = await as('moderator', 'DELETE', `individual/${last}`);
      expect(answer.status).toBe(200);
      for (const id of [first, second, last])
        expect(await done(as('moderator', 'GET', `individual/${id}`))).toEqual(
          refusal(402, 'ENTITY_NOT_FOUND'),
        );
      expect((await actions(first)).at(-1)).toBe('delete');
    });

    test('frees its names and its taxon', async () => {
      const taxonomy = await world().create('taxonomy', { scientific_name: 'Once merged' });
      const [into, from] = [await make(), await make({ taxonomy, names: [nickname('Freed')] })];
      await merged(into, [from]);
      await world().update('individual', into, { names: [] });
      await make({ names: [nickname('Freed')] });
      expect((await as('moderator', 'DELETE', `taxonomy/${taxonomy}`)).status).toBe(200);
    });
  });

  describe('at once', () => {
    test('two merges of the same individuals have one result', async () => {
      for (let round = 0; round < 5; round += 1) {
        const [one, other] = [await make(), await make()];
        const encounters = [await meet(one), await meet(other)];
        const answers = await Promise.all([
          merge(one, { from: [other] }),
          merge(other, { from: [one] }),
        ]);
        expect(answers.map(({ status }) => status).sort()).toEqual([200, expect.any(Number)]);
        expect([400, 409]).toContain(answers.map(({ status }) => status).sort()[1]);
        const [left, gone] = answers[0].status === 200 ? [one, other] : [other, one];
        expect(await read(gone)).toEqual({ id: gone, merged_into: left });
        expect((await read(left))['encounters']).toEqual(expect.arrayContaining(encounters));
      }
    });

    test('a merge and changes of what it moves lose nothing', async () => {
      for (let round = 0; round < 5; round += 1) {
        const [into, from, other] = [await make(), await make(), await make()];
        const encounter = await meet(from);
        const [, ...changes] = await Promise.all([
          merged(into, [from]),
          as('moderator', 'PUT', `encounter/${encounter}`, { remarks: 'seen' }),
          as('moderator', 'POST', 'encounter', { individual: from }),
          as('moderator', 'PUT', `individual/${other}`, { relationships: [rel(from, 'mate')] }),
          as('moderator', 'PUT', `user/${owner.id}`, { followed_individuals: [] }),
        ]);
        expect(changes.every(({ status }) => status < 500)).toBe(true);
        const made = changes[1].status === 200 ? [String(responseOf(changes[1])['id'])] : [];
        const left = await read(into);
        expect([...(left['encounters'] as string[])].sort()).toEqual([encounter, ...made].sort());
        const related = changes[2].status === 200 ? [rel(into, 'mate')] : [];
        expect((await read(other))['relationships']).toEqual(related);
        expect(left['encounter_count']).toBe(1 + made.length);
      }
    });

    test('in a batch, all of it or nothing', async () => {
      const [into, from] = [await make(), await make()];
      const operation = { op: 'merge', type: 'individual', id: into, body: { from: [from] } };
      const update = { op: 'update', type: 'individual', id: from, body: { remarks: 'late' } };
      const batch = (operations: Json[]) => as('moderator', 'POST', 'batch', { operations });
      expect((await batch([operation, update])).status).toBe(400);
      expect(await read(from)).toMatchObject({ merged_into: null });
      expect(responseOf(await batch([operation]))).toEqual({
        results: [{ status: 200, response: { id: into, version: 2 } }],
      });
    });
  });

  test('all encounters of two owners move, each with its version and history', async () => {
    const COUNT = isLong ? 20_000 : 1000;
    const [into, from] = [await make(), await make()];
    const templates = [
      await meet(from, { owner: owner.id, time: '2020-02-03' }),
      await meet(from, { owner: stranger.id, time: '2021', location_privacy: 'obscured' }),
    ];
    await copyEncounters(world(), templates, COUNT / 2 - 1);
    await objectsOf(world().service.strapi).rebuild();
    const reading = { url: `/api/v0/individual/${into}`, headers: authorizationOf('moderator') };
    const reads = await readsBeside(world(), reading, () => merged(into, [from]));
    expect(reads).toBeGreaterThan(0);
    expect(await read(into)).toMatchObject({
      encounter_count: COUNT,
      ...{ first_seen: '2020-02-03', last_seen: '2021' },
    });
    const knex = world().service.strapi.db.connection;
    const versions = await knex('encounters')
      .join('individuals', 'individuals.id', 'encounters.individual_id')
      .where('individuals.document_id', into)
      .groupBy('encounters.version')
      .select('encounters.version')
      .count({ rows: '*' });
    expect(versions.map((row: Json) => [row['version'], Number(row['rows'])])).toEqual([
      [2, COUNT],
    ]);
    const entries = await knex('oms_history')
      .where({ type: 'encounter', action: 'update' })
      .where('changes', 'like', `%${into}%`)
      .count({ rows: '*' });
    expect(Number(entries[0]?.['rows'])).toBe(COUNT);
    const changed = await objectsOf(world().service.strapi).rebuild();
    expect([...changed].filter(([, rows]) => rows > 0)).toEqual([]);
  }, 120_000);
}
