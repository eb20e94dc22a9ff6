import { randomUUID } from 'node:crypto';
import { newAccount, type TestAccount } from '../../helpers/accounts';
import { at, type Json } from '../../helpers/json';
import { askPanel, makeOperator, panelOf, operator, type Panel } from '../../helpers/panel';
import { expectUnchanged, historyOf, snapshot } from '../../helpers/snapshot';
import type { World } from '../../helpers/world';

const ENCOUNTERS = '/panel/review/api::encounter.encounter';

/** The reviews that the panel's pages ask for, on a shared service. @param encounterIn makes one in a state */
export function describePanelReviews(
  world: () => World,
  encounterIn: (state: 'pending' | 'approved' | 'rejected') => Promise<string>,
): void {
  let moderator: TestAccount;
  let panel: Panel;
  beforeAll(async () => {
    const { service } = world();
    await makeOperator(service);
    moderator = await newAccount(service, 'moderator');
    panel = await panelOf(service, moderator);
  });

  /** The versions of records, as a page shows them. */
  const seen = (...records: readonly (readonly [id: string, version: number])[]): Json[] =>
    records.map(([id, version]) => ({ id, version }));
  const review = async (body: Json, as = panel) => {
    const { status, body: answer } = await as.ask('POST', ENCOUNTERS, body);
    return { status, data: at(answer, 'data') as Json[] };
  };
  const open = async (ids: readonly string[], as = panel) => {
    const { status, body } = await as.ask('GET', `${ENCOUNTERS}?ids=${ids.join()}`);
    return { status, data: at(body, 'data') as Json };
  };
  const stateOf = async (id: string) => (await panel.open('encounter', id))['state'];

  test('are offered where a state can be set', async () => {
    const ids = [
      await encounterIn('pending'),
      await encounterIn('approved'),
      await encounterIn('rejected'),
    ];
    const states = [['approved', 'rejected'], ['rejected'], ['approved']];
    const gone = randomUUID();
    const data = Object.fromEntries(ids.map((id, at) => [id, states[at]]));
    expect(await open([...ids, gone])).toEqual({ status: 200, data: { ...data, [gone]: [] } });
  });

  test('are the writer’s, and name the moderator', async () => {
    const ids = [await encounterIn('pending'), await encounterIn('pending')] as const;
    const records = seen([ids[0], 1], [ids[1], 1]);
    expect(await review({ state: 'rejected', review_note: 'Blurred.', records })).toEqual({
      status: 200,
      data: ids.map((id) => ({ id, status: 200, message: null })),
    });
    for (const id of ids) {
      const [, entry] = await historyOf(world().service, id);
      expect(entry).toMatchObject({
        ...{ action: 'review', version: 2, actor_id: moderator.id, actor_name: moderator.name },
        changes: [
          { path: 'state', before: 'pending', after: 'rejected' },
          { path: 'review_note', before: null, after: 'Blurred.' },
        ],
      });
    }
  });

  test('tell of each record that has moved, in words, and review the others', async () => {
    const [fine, changed, decided] = [
      await encounterIn('pending'),
      await encounterIn('approved'),
      await encounterIn('approved'),
    ];
    const gone = randomUUID();
    const records = seen([fine, 1], [changed, 1], [decided, 2], [gone, 1]);
    const { status, data } = await review({ state: 'approved', records });
    expect([status, data]).toEqual([
      200,
      [
        { id: fine, status: 200, message: null },
        {
          id: changed,
          status: 412,
          message: expect.stringMatching(/changed in the meantime/) as unknown,
        },
        {
          id: decided,
          status: 409,
          message: 'This is not possible in the present state: approved.',
        },
        { id: gone, status: 402, message: expect.any(String) as unknown },
      ],
    ]);
    expect(await stateOf(fine)).toBe('approved');
  });

  test.each<[string, (id: string) => Json]>([
    ['a state that is none', (id) => ({ state: 'maybe', records: seen([id, 1]) })],
    [
      'a note that is too long',
      (id) => ({ state: 'approved', review_note: 'a'.repeat(2001), records: seen([id, 1]) }),
    ],
    [
      'a note with a control character',
      (id) => ({ state: 'approved', review_note: 'a\u0000', records: seen([id, 1]) }),
    ],
    ['more than a review', (id) => ({ state: 'approved', sex: 'male', records: seen([id, 1]) })],
    ['no record', () => ({ state: 'approved', records: [] })],
    ['no records', () => ({ state: 'approved' })],
    ['a record without a version', (id) => ({ state: 'approved', records: [{ id }] })],
    ['a record that is none', () => ({ state: 'approved', records: [null] })],
    [
      'too many records',
      (id) => ({
        state: 'approved',
        records: seen(...Array.from({ length: 101 }, () => [id, 1] as const)),
      }),
    ],
  ])('are refused as a whole with %s', async (_, body) => {
    const id = await encounterIn('pending');
    const before = await snapshot(world().service);
    expect((await review(body(id))).status).toBe(400);
    await expectUnchanged(world().service, before);
  });

  test.each(['', '?ids=', '?ids=x', `?ids=${randomUUID()}&ids=${randomUUID()}`])(
    'of nothing are not offered: %s',
    async (query) => {
      expect((await panel.ask('GET', ENCOUNTERS + query)).status).toBe(400);
    },
  );

  test('are of types alone that are reviewed', async () => {
    for (const uid of ['api::taxonomy.taxonomy', 'plugin::users-permissions.user', 'nothing']) {
      const url = `/panel/review/${uid}`;
      expect((await panel.ask('GET', `${url}?ids=${randomUUID()}`)).status).toBe(403);
      expect((await panel.ask('POST', url, {})).status).toBe(403);
    }
  });

  describe('are for whoever has the permission', () => {
    /** A panel user of the operator's, whose role has these permissions for encounters. */
    async function editor(...actions: readonly string[]): Promise<Panel> {
      const { strapi } = world().service;
      const tag = randomUUID();
      const query = strapi.db.query('admin::role');
      const role: unknown = await query.create({ data: { name: tag, code: tag } });
      const roleId = at(role, 'id');
      for (const action of actions) {
        const data = { action, subject: 'api::encounter.encounter', role: roleId };
        const rest = { properties: {}, conditions: [], actionParameters: {} };
        await strapi.db.query('admin::permission').create({ data: { ...data, ...rest } });
      }
      const credentials = { ...operator, email: `${tag}@example.org` };
      const name = { firstname: 'Ed', lastname: 'Itor' };
      const users = strapi.service('admin::user') as unknown as {
        create(user: Json): Promise<unknown>;
      };
      await users.create({ ...credentials, ...name, isActive: true, roles: [roleId] });
      return panelOf(world().service, credentials);
    }

    test('nobody else', async () => {
      const id = await encounterIn('pending');
      const body = { state: 'approved', records: seen([id, 1]) };
      const { service } = world();
      expect((await askPanel(service, undefined, 'POST', ENCOUNTERS, body)).status).toBe(401);
      const without = await editor('plugin::content-manager.explorer.update');
      expect((await review(body, without)).status).toBe(403);
      expect((await open([id], without)).status).toBe(403);
      expect(await stateOf(id)).toBe('pending');
      const reviewer = await editor('plugin::panel.review');
      expect((await review(body, reviewer)).status).toBe(200);
      expect((await historyOf(service, id)).at(-1)).toMatchObject({
        ...{ action: 'review', actor_id: null, actor_name: 'Ed Itor' },
      });
    });

    test('administrators and operators too', async () => {
      const { service } = world();
      const id = await encounterIn('pending');
      const administrator = await panelOf(service, await newAccount(service, 'administrator'));
      const owner = await panelOf(service, operator);
      const set = (state: string, version: number, as: Panel) =>
        review({ state, records: seen([id, version]) }, as);
      expect((await set('approved', 1, administrator)).data).toMatchObject([{ status: 200 }]);
      expect((await set('rejected', 2, owner)).data).toMatchObject([{ status: 200 }]);
      // To send it back is the owner's.
      expect((await set('pending', 3, owner)).data).toMatchObject([{ status: 409 }]);
    });
  });
}
