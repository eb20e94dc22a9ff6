import { deleteAccount } from '../../helpers/accounts';
import { openToRoles } from '../../helpers/callers';
import { idsOf } from '../../helpers/ids';
import { at, parsed, type Json } from '../../helpers/json';
import { refusal, useMembers, type Member, type Who } from '../../helpers/members';
import { bearer, responseOf } from '../../helpers/people';
import { historyOf } from '../../helpers/snapshot';
import { photograph, uploadRequest } from '../../helpers/upload';
import { type World } from '../../helpers/world';

/** Collaborations of two users. */
export function testCollaborations(world: () => World): void {
  const uuid = idsOf(2);
  const { as, done, invalid, newPerson, read } = useMembers(world);
  const knex = () => world().service.strapi.db.connection;

  const CONFLICT = refusal(409, 'STATE_CONFLICT');
  const FORBIDDEN = refusal(403, 'NOT_PERMITTED');
  const ABSENT = refusal(402, 'ENTITY_NOT_FOUND');

  /** Asks somebody, and gives the ID. */
  const request = async (from: Member, to: Member, level = 'view'): Promise<string> =>
    String(responseOf(await as(from, 'POST', 'collaboration', { user: to.id, level }))['id']);
  const put = (who: Who, id: string, body: Json) => as(who, 'PUT', `collaboration/${id}`, body);

  async function accepted(from: Member, to: Member, level: string): Promise<string> {
    const id = await request(from, to, level);
    await put(to, id, { state: 'accepted' });
    return id;
  }

  let [ana, ben, stranger] = [] as unknown as [Member, Member, Member];
  beforeAll(() => openToRoles(world().service));
  beforeEach(async () => {
    [ana, ben, stranger] = [await newPerson(), await newPerson(), await newPerson()];
  });

  describe('a collaboration is asked for', () => {
    test('by a user of another, and read by the two and moderators alone', async () => {
      const id = await request(ana, ben, 'edit');
      const whole = {
        id,
        from: ana.id,
        to: ben.id,
        level: 'edit',
        requested_level: null,
        requested_by: null,
        state: 'pending',
        version: 1,
        created_at: expect.any(String) as unknown,
        updated_at: expect.any(String) as unknown,
        permissions: ['update'],
      };
      expect(await read(ana, `collaboration/${id}`)).toEqual(whole);
      expect(await read(ben, `collaboration/${id}`)).toEqual(whole);
      expect(await read('moderator', `collaboration/${id}`)).toEqual({ ...whole, permissions: [] });
      for (const method of ['GET', 'PUT'])
        expect(await done(as(stranger, method, `collaboration/${id}`))).toEqual(ABSENT);
      expect(await done(as(null, 'GET', `collaboration/${id}`))).toEqual(
        refusal(401, 'LOGIN_REQUIRED'),
      );
      expect(await done(put('moderator', id, { state: 'accepted' }))).toEqual(FORBIDDEN);
      expect((await as(ana, 'DELETE', `collaboration/${id}`)).status).toBe(405);
      const { may } = await read(ana, 'session');
      expect((may as Json)['create']).toContain('collaboration');
      expect(await read(ana, `user/${ana.id}`)).toMatchObject({ collaborators: [] });
    });

    test.each<[string, () => Json, unknown[]]>([
      ['of nobody', () => ({ level: 'view' }), [['user', 'REQUIRED', {}]]],
      [
        'of nobody at all',
        () => ({}),
        [
          ['level', 'REQUIRED', {}],
          ['user', 'REQUIRED', {}],
        ],
      ],
      ['of null', () => ({ user: null, level: 'view' }), [['user', 'REQUIRED', {}]]],
      [
        'of oneself',
        () => ({ user: ana.id, level: 'view' }),
        [['user', 'CONFLICT', { with: 'from' }]],
      ],
      [
        'of somebody who does not exist',
        () => ({ user: uuid(0xdead), level: 'all' }),
        [
          ['level', 'NOT_ONE_OF', { allowed: ['view', 'edit'] }],
          ['user', 'NO_SUCH', { type: 'user' }],
        ],
      ],
      [
        'with sides and a wish that are not one’s own to say',
        () => ({ user: ben.id, level: 'view', from: ben.id, to: ana.id, requested_level: 'edit' }),
        [
          ['from', 'NOT_WRITABLE', {}],
          ['requested_level', 'NOT_WRITABLE', {}],
          ['to', 'NOT_WRITABLE', {}],
        ],
      ],
    ])('not %s', async (_, body, faults) => {
      const [status, found] = (await invalid(as(ana, 'POST', 'collaboration', body()))) as [
        number,
        unknown[][],
      ];
      expect(status).toBe(400);
      const keyed = (faults as unknown[][]).map(([path, key, args]) => [
        path,
        `API_RESPONSE_${String(key)}`,
        args,
      ]);
      expect([...found].sort()).toEqual(keyed);
    });

    test('not as accepted, and not by the anonymous', async () => {
      const body = { user: ben.id, level: 'edit' };
      expect(await done(as(ana, 'POST', 'collaboration', { ...body, state: 'accepted' }))).toEqual(
        refusal(403, 'FIELD_NOT_PERMITTED'),
      );
      expect(
        await done(as('moderator', 'POST', 'collaboration', { ...body, state: 'accepted' })),
      ).toEqual(refusal(403, 'FIELD_NOT_PERMITTED'));
      expect(await done(as(null, 'POST', 'collaboration', body))).toEqual(
        refusal(401, 'LOGIN_REQUIRED'),
      );
    });

    test('once for two people, whoever asks, until it is decided', async () => {
      const ask = (from: Member, to: Member) =>
        as(from, 'POST', 'collaboration', { user: to.id, level: 'view' });
      const answers = await Promise.all([ask(ana, ben), ask(ben, ana), ask(ana, ben)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
      const [id = ''] = answers.flatMap((answer) => (responseOf(answer)['id'] as string) ?? []);
      const again = await ask(ben, ana);
      expect(at(parsed(again.text), 'message')).toEqual({
        key: 'API_RESPONSE_ENTITY_EXISTS',
        args: { type: 'collaboration', path: 'user', id },
      });
      const { from } = await read(ana, `collaboration/${id}`);
      const [asker, asked] = from === ana.id ? [ana, ben] : [ben, ana];
      await put(asked, id, { state: 'declined' });
      const anew = await request(asked, asker);
      expect(anew).not.toBe(id);
      await put(asker, anew, { state: 'accepted' });
      expect((await ask(ana, ben)).status).toBe(400);
      await put(asker, anew, { state: 'ended' });
      expect((await ask(ana, ben)).status).toBe(200);
    });
  });

  describe('a collaboration is answered', () => {
    type Step = readonly [who: 'from' | 'to', body: Json, expected: unknown];
    const is = (state: string, level: string, requested: 'from' | 'to' | null = null) => ({
      state,
      level,
      requested_level: requested === null ? null : 'edit',
      requested_by: requested,
    });

    test.each<[string, string, readonly Step[]]>([
      [
        'with yes and no, and by the side whose it is',
        'view',
        [
          ['from', { state: 'accepted' }, FORBIDDEN],
          ['from', { state: 'declined' }, FORBIDDEN],
          ['to', { state: 'ended' }, FORBIDDEN],
          ['to', { state: 'declined' }, is('declined', 'view')],
          ['to', { state: 'accepted' }, CONFLICT],
          ['from', { state: 'ended' }, CONFLICT],
          ['from', { level: 'edit' }, CONFLICT],
          ['to', { nope: 1 }, refusal(400, 'MALFORMED')],
          ['to', {}, is('declined', 'view')],
        ],
      ],
      [
        'with less than was asked for',
        'edit',
        [
          ['to', { level: 'view' }, FORBIDDEN],
          ['to', { state: 'accepted', level: 'view' }, is('accepted', 'view')],
          ['to', { state: 'declined' }, CONFLICT],
          ['from', { state: 'pending' }, CONFLICT],
          ['from', { state: 'ended' }, is('ended', 'view')],
          ['to', { state: 'accepted' }, CONFLICT],
        ],
      ],
      [
        'not at all, when it is taken back',
        'edit',
        [
          ['from', { level: 'view' }, is('pending', 'view')],
          ['from', { level: 'edit' }, CONFLICT],
          ['from', { state: 'ended' }, is('ended', 'view')],
          ['to', { state: 'accepted' }, CONFLICT],
        ],
      ],
      [
        'and more is asked for, granted, and given up at once',
        'view',
        [
          ['to', { state: 'accepted' }, is('accepted', 'view')],
          ['from', { level: 'edit' }, is('accepted', 'view', 'from')],
          ['from', { level: 'edit' }, is('accepted', 'view', 'from')],
          ['to', { level: 'view' }, is('accepted', 'view')],
          ['to', { level: 'edit' }, is('accepted', 'view', 'to')],
          ['from', { level: 'edit' }, is('accepted', 'edit')],
          ['from', { state: 'accepted', level: 'view' }, is('accepted', 'view')],
          ['from', { level: 'edit' }, is('accepted', 'view', 'from')],
          ['to', { state: 'ended' }, is('ended', 'view')],
        ],
      ],
    ])('%s', async (_, level, steps) => {
      const id = await request(ana, ben, level);
      const people = { from: ana, to: ben };
      for (const [who, body, expected] of steps) {
        const outcome = await done(put(people[who], id, body));
        if (Array.isArray(expected)) {
          expect([who, body, outcome]).toEqual([who, body, expected]);
          continue;
        }
        const {
          state,
          level: now,
          requested_level,
          requested_by: by,
        } = await read(ana, `collaboration/${id}`);
        const side = by === null ? null : by === ana.id ? 'from' : 'to';
        const found = { state, level: now, requested_level, requested_by: side };
        expect([who, body, found]).toEqual([who, body, expected]);
      }
    });

    test('once: of two answers at once one counts', async () => {
      for (let round = 0; round < 5; round += 1) {
        const id = await request(ana, ben);
        const answers = await Promise.all([
          put(ben, id, { state: 'declined' }),
          put(ana, id, { state: 'ended' }),
        ]);
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
        expect((await read(ana, `collaboration/${id}`))['version']).toBe(2);
      }
    });

    test('with its version, a state that tells what can still be done, and a history', async () => {
      const id = await request(ana, ben);
      const headers = { ...bearer(ben.secret), 'If-Match': '"7"' };
      const url = `/api/v0/collaboration/${id}`;
      const body = { state: 'accepted' };
      expect((await world().send({ method: 'PUT', url, headers, body })).status).toBe(412);
      expect(await done(put(ben, id, body))).toEqual({ id, version: 2 });
      await put(ben, id, { state: 'ended' });
      expect(await read(ana, `collaboration/${id}`)).toMatchObject({ permissions: [], version: 3 });
      const history = await historyOf(world().service, id);
      expect(history.map(({ action, actor_id: actor }) => [action, actor])).toEqual([
        ['create', ana.id],
        ['update', ben.id],
        ['update', ben.id],
      ]);
    });
  });

  describe('collaborations are found', () => {
    test('by the two, by what their fields are', async () => {
      const id = await accepted(ana, ben, 'edit');
      const other = await request(stranger, ana);
      const find = async (who: Who, query: string): Promise<unknown> => {
        const { status, text } = await as(who, 'GET', `search/collaboration?${query}`);
        return status === 200 ? at(parsed(text), 'matches') : status;
      };
      const both = [id, other].sort();
      expect(await find(ana, '')).toEqual(both);
      expect(await find(ben, '')).toEqual([id]);
      expect(await find(ben, `from=${stranger.id}`)).toEqual([]);
      expect(await find(ana, `from=${ana.id}`)).toEqual([id]);
      expect(await find(ana, `to=${ana.id}`)).toEqual([other]);
      expect(await find(ana, 'state=pending')).toEqual([other]);
      expect(await find(ana, 'level=edit&state=accepted,ended')).toEqual([id]);
      expect(await find('moderator', `from=${ana.id},${stranger.id}`)).toEqual(both);
      expect(await find(ana, 'nope=1')).toBe(400);
      expect(await find(null, '')).toBe(401);
    });
  });

  describe('what one owns', () => {
    const statuses = async (path: string, who: readonly Who[]) =>
      Promise.all(
        who.map(async (one) => {
          const [{ status }, changed] = await Promise.all([
            as(one, 'GET', path),
            as(one, 'PUT', path, {}),
          ]);
          return [status, changed.status];
        }),
      );

    async function owned() {
      const sent = uploadRequest({ bytes: await photograph() }, bearer(ana.secret));
      const asset = String(responseOf(await world().send(sent))['id']);
      const encounter = String(responseOf(await as(ana, 'POST', 'encounter', {}))['id']);
      await knex()('encounters').where({ document_id: encounter }).update({ state: 'pending' });
      return [`encounter/${encounter}`, `asset/${asset}`] as const;
    }

    test('is read, and changed with the level edit, as long as the collaboration is accepted', async () => {
      const [encounter, asset] = await owned();
      const who = [ana, ben, stranger];
      const [own, nothing] = [
        [200, 200],
        [402, 402],
      ];
      const both = async () => [await statuses(encounter, who), await statuses(asset, who)];
      const alone = [own, nothing, nothing];
      expect(await both()).toEqual([alone, alone]);
      const id = await request(ben, ana, 'view');
      expect(await both()).toEqual([alone, alone]);
      await put(ana, id, { state: 'accepted' });
      const [, ofAsset] = [null, alone];
      expect(await both()).toEqual([[own, [200, 403], nothing], ofAsset]);
      expect((await read(ben, encounter))['permissions']).toEqual([]);
      await put(ana, id, { level: 'edit' });
      expect(await both()).toEqual([[own, [200, 403], nothing], ofAsset]);
      await put(ben, id, { level: 'edit' });
      expect(await both()).toEqual([
        [own, own, nothing],
        [own, own, nothing],
      ]);
      expect((await read(ben, encounter))['permissions']).toEqual(['update', 'delete']);
      expect(await read(ben, asset)).toMatchObject({ permissions: ['update', 'delete'] });
      expect(await read(ben, asset)).not.toHaveProperty('sha256');
      expect(await read(ben, `user/${ben.id}`)).toMatchObject({
        collaborators: [ana.id],
        version: 1,
      });
      expect(await read(ana, `user/${ana.id}`)).toMatchObject({ collaborators: [ben.id] });
      expect(await read(stranger, `user/${ana.id}`)).not.toHaveProperty('collaborators');
      await put(ana, id, { state: 'ended' });
      expect(await both()).toEqual([alone, alone]);
      expect(await read(ana, `user/${ana.id}`)).toMatchObject({ collaborators: [] });
    });

    test('may be deleted by an editor', async () => {
      const [encounter, asset] = await owned();
      await accepted(ana, ben, 'view');
      expect((await as(ben, 'DELETE', encounter)).status).toBe(403);
      const { id } = responseOf(await as(ben, 'GET', 'search/collaboration')) as { id?: string };
      expect(id).toBeUndefined();
      const [only = ''] = at(
        parsed((await as(ben, 'GET', 'search/collaboration')).text),
        'matches',
      ) as string[];
      await put(ben, only, { level: 'edit' });
      await put(ana, only, { level: 'edit' });
      expect((await as(ben, 'DELETE', encounter)).status).toBe(200);
      expect((await as(ben, 'DELETE', asset)).status).toBe(200);
    });
  });

  describe('the deletion of a user', () => {
    test('deletes the collaborations with their history, of more than one set', async () => {
      const id = await accepted(ana, ben, 'edit');
      const asked = await request(stranger, ana);
      const kept = await accepted(ben, stranger, 'view');
      // More than the writer deletes at a time: decided ones, of which there may be any number.
      const COUNT = 1100;
      const [row] = await knex()<Json>('collaborations').where({ document_id: id });
      const many = Array.from({ length: COUNT }, (_, at) => ({
        document_id: uuid(0xe00000 + at),
        from_id: row?.['from_id'],
        to_id: row?.['to_id'],
        level: 'view',
        state: 'ended',
        version: 1,
      }));
      await knex().batchInsert('collaborations', many, 100);

      await deleteAccount(world().service, ana.id);

      for (const gone of [id, asked, uuid(0xe00000), uuid(0xe00000 + COUNT - 1)]) {
        expect(await done(as('moderator', 'GET', `collaboration/${gone}`))).toEqual(ABSENT);
        expect(await historyOf(world().service, gone)).toEqual([]);
        const again = { id: gone, user: stranger.id, level: 'view' };
        expect(await invalid(as('moderator', 'POST', 'collaboration', again))).toEqual([
          400,
          [['id', 'API_RESPONSE_FORMAT', { expected: 'uuid' }]],
        ]);
      }
      expect(await read(ben, `collaboration/${kept}`)).toMatchObject({ version: 2 });
      expect(await read(ben, `user/${ben.id}`)).toMatchObject({ collaborators: [stranger.id] });
      const all = JSON.stringify(await knex()('oms_history').select());
      expect(all).not.toContain(ana.id);
      const deleted = await knex()('oms_deleted_ids').count('*', { as: 'count' });
      expect(Number(deleted[0]?.['count'])).toBeGreaterThanOrEqual(COUNT + 3);
    });
  });
}
