import { randomUUID } from 'node:crypto';
import { newAccount, type TestAccount } from '../../helpers/accounts';
import { at, type Json } from '../../helpers/json';
import { askPanel, operator, panelOf, type Panel } from '../../helpers/panel';
import { expectUnchanged, historyOf, snapshot } from '../../helpers/snapshot';
import type { World } from '../../helpers/world';

/** What the pages call, on a shared service that has its operator. @param encounterIn makes one in a state */
export function describePageCalls(
  world: () => World,
  encounterIn: (state: 'pending' | 'approved' | 'rejected') => Promise<string>,
): void {
  let moderator: TestAccount;
  let panel: Panel;
  beforeAll(async () => {
    moderator = await newAccount(world().service, 'moderator');
    panel = await panelOf(world().service, moderator);
  });

  const batch = (operations: readonly Json[], as = panel) =>
    as.ask('POST', '/panel/api/batch', { operations });
  const approve = (id: string, version: number): Json => ({
    ...{ op: 'review', type: 'encounter', id, if_match: `"${version}"` },
    body: { state: 'approved' },
  });

  test('are answered as those of the interface, to the account of the panel’s user', async () => {
    const id = await encounterIn('pending');
    const found = await panel.ask('GET', `/panel/api/search/encounter?id=${id}&expand=true`);
    expect(found).toMatchObject({
      status: 200,
      body: { success: true, matches: [id], response: { objects: [{ id, state: 'pending' }] } },
    });
    expect((await batch([approve(id, 1)])).body).toMatchObject({
      ...{ success: true, response: { results: [{ status: 200, response: { version: 2 } }] } },
    });
    expect((await historyOf(world().service, id)).at(-1)).toMatchObject({
      ...{ action: 'review', actor_id: moderator.id, actor_name: moderator.name },
    });
    const history = await panel.ask('GET', `/panel/api/encounter/${id}/history`);
    expect(at(history.body, 'response', 'history')).toHaveLength(2);
  });

  test('are refused as there, and nothing is half done', async () => {
    const id = await encounterIn('pending');
    const before = await snapshot(world().service);
    expect(await panel.ask('GET', '/panel/api/search/encounter?state=bogus')).toMatchObject({
      ...{ status: 400, body: { success: false, message: { key: 'API_RESPONSE_MALFORMED' } } },
    });
    const edit = { op: 'update', type: 'encounter', id, if_match: '"1"', body: { remarks: 'x' } };
    expect(await batch([edit, approve(id, 7)])).toMatchObject({
      ...{ status: 400, body: { response: { results: [{}, { status: 412 }] } } },
    });
    const control = { ...edit, body: { remarks: 'a\u0000b' } };
    expect(await batch([control])).toMatchObject({ status: 400, body: { success: false } });
    const user = { op: 'update', type: 'user', id: moderator.id, body: { role: 'administrator' } };
    expect((await batch([user])).body).toMatchObject({
      response: { results: [{ status: 403 }] },
    });
    expect((await panel.ask('GET', `/panel/api/encounter/${randomUUID()}`)).status).toBe(402);
    await expectUnchanged(world().service, before);
  });

  test.each([
    ['GET', '/panel/api/search/encounter'],
    ['GET', '/panel/api/site_settings'],
    ['POST', '/panel/api/batch'],
    ['GET', '/panel/second-looks'],
    ['PUT', `/panel/second-looks/${randomUUID()}`],
  ])('are for nobody without a session: %s %s', async (method, url) => {
    expect((await askPanel(world().service, undefined, method, url)).status).toBe(401);
  });

  test.each([
    ['PUT', '/panel/api/site_settings'],
    ['POST', '/panel/api/login'],
    ['POST', '/panel/api/asset'],
    ['DELETE', `/panel/api/encounter/${randomUUID()}`],
    ['GET', '/panel/api/openapi.json'],
  ])('are those that a page makes, and no others: %s %s', async (method, url) => {
    expect([404, 405]).toContain((await panel.ask(method, url)).status);
  });

  test('are for an operator who may do everything, and for no other one', async () => {
    const { service } = world();
    const url = '/panel/api/search/encounter?limit=0';
    expect((await (await panelOf(service, operator)).ask('GET', url)).status).toBe(200);
    const { strapi } = service;
    const role = { name: 'Reader', code: 'pages-reader' };
    const { id } = (await strapi.db.query('admin::role').create({ data: role })) as { id: number };
    const credentials = { ...operator, email: 'reader@example.org' };
    const users = strapi.service('admin::user') as unknown as {
      create(user: Json): Promise<unknown>;
    };
    await users.create({ ...credentials, firstname: 'Rea', isActive: true, roles: [id] });
    const reader = await panelOf(service, credentials);
    for (const path of [url, '/panel/second-looks'])
      expect([path, (await reader.ask('GET', path)).status]).toEqual([path, 403]);
  });

  describe('marks for a second look', () => {
    const marks = async (): Promise<unknown> =>
      (await panel.ask('GET', '/panel/second-looks')).body;
    const mark = (id: string, method = 'PUT') => panel.ask(method, `/panel/second-looks/${id}`);

    test('are seen by all, until they are taken away or the encounter is decided', async () => {
      const ids = [await encounterIn('pending'), await encounterIn('pending')].sort();
      for (const id of [...ids, ids[0] ?? '']) expect((await mark(id)).status).toBe(200);
      const other = await panelOf(world().service, await newAccount(world().service, 'moderator'));
      expect((await other.ask('GET', '/panel/second-looks')).body).toEqual({ data: ids });
      await batch([approve(ids[0] ?? '', 1)]);
      expect(await marks()).toEqual({ data: [ids[1]] });
      await mark(ids[1] ?? '', 'DELETE');
      expect(await marks()).toEqual({ data: [] });
      const rows = await world().service.strapi.db.connection('oms_second_looks').count('* as n');
      expect(Number((rows[0] as { n: unknown }).n)).toBe(0);
    });

    test('are of encounters that wait alone', async () => {
      for (const id of [await encounterIn('approved'), randomUUID()])
        expect((await mark(id)).status).toBe(200);
      expect((await mark('x')).status).toBe(400);
      expect(await marks()).toEqual({ data: [] });
    });
  });
}
