import { service as itself } from '#app/core/caller';
import { objectsOf, registryOf } from '#app/plugins/objects/server';
import { newAccount } from '../../helpers/accounts';
import { documents, notice, panelOf, type Panel, type PanelAnswer } from '../../helpers/panel';
import { expectUnchanged, snapshot } from '../../helpers/snapshot';
import type { TestService } from '../../helpers/service';

/** What a moderator may do with the documents of each type, of Strapi's own types too, on a shared service. */
export function testTypes(started: () => TestService): void {
  const ACTIONS = ['read', 'create', 'update', 'delete'] as const;
  type Action = (typeof ACTIONS)[number];

  /** The table of contract, section 6; nobody makes an asset without a file, or an account in the panel but administrators. */
  const MAY: Readonly<Record<string, readonly Action[]>> = {
    'api::encounter.encounter': ACTIONS,
    'api::individual.individual': ACTIONS,
    'api::org.org': ACTIONS,
    'api::taxonomy.taxonomy': ACTIONS,
    'api::asset.asset': ['read', 'update', 'delete'],
    'api::collaboration.collaboration': ['read'],
    'plugin::users-permissions.user': ['read'],
  };

  let service: TestService;
  let panel: Panel;
  beforeAll(async () => {
    service = started();
    panel = await panelOf(service, await newAccount(service, 'moderator'));
  });

  const NOBODY = '0a0a0a0a-0000-4000-8000-000000000404';

  /** Whether a request was refused for what it asks for, whatever else was wrong with it. */
  const isRefused = (answer: PanelAnswer): boolean =>
    [401, 403, 405].includes(answer.status) ||
    (answer.status === 400 && /invalid parameter/.test(String(notice(answer))));

  async function mayOf(uid: string, id: string): Promise<Action[]> {
    const url = `/content-manager/collection-types/${uid}`;
    const asked: Readonly<Record<Action, readonly PanelAnswer[]>> = {
      read: [await panel.ask('GET', url), await panel.ask('GET', `${url}/${id}`)],
      create: [await panel.ask('POST', url, {})],
      update: [await panel.ask('PUT', `${url}/${id}`, { version: 99 })],
      delete: [
        await panel.ask('DELETE', `${url}/${NOBODY}`),
        await panel.ask('POST', `${url}/actions/bulkDelete`, { documentIds: [NOBODY] }),
      ],
    };
    const granted = ACTIONS.filter((action) => asked[action].some((one) => !isRefused(one)));
    // Both ways to an action are open, or both are closed.
    for (const action of ACTIONS)
      expect([uid, action, asked[action].map(isRefused)]).toEqual([
        uid,
        action,
        asked[action].map(() => !granted.includes(action)),
      ]);
    return granted;
  }

  test('a moderator may do what the table grants, and with no other type anything', async () => {
    const { contentTypes } = service.strapi;
    const types = Object.keys(contentTypes);
    expect(types).toEqual(expect.arrayContaining(['admin::user', 'plugin::upload.file']));
    const account = await newAccount(service, 'user');
    for (const uid of types) {
      const before = await snapshot(service);
      const expected = MAY[uid] ?? [];
      expect([uid, await mayOf(uid, account.id)]).toEqual([uid, expected]);
      if (!expected.includes('create')) await expectUnchanged(service, before);
    }
    const ours = [...registryOf(service.strapi).model().resources.values()].map(({ uid }) => uid);
    expect(ours.filter((uid) => !(uid in MAY))).toEqual(['api::site-settings.site-settings']);
  });

  test.each(['individual', 'org', 'encounter', 'taxonomy'])(
    'a moderator makes, changes and deletes an %s as its form begins',
    async (type) => {
      const names = { org: { name: 'Friends' }, taxonomy: { scientificName: 'Okapia' } };
      const made = await panel.create(type, names[type as keyof typeof names] ?? {});
      const url = `${documents(type)}/${String(made['documentId'])}`;
      const change =
        type === 'org'
          ? { description: 'x' }
          : type === 'taxonomy'
            ? { rank: 'genus' }
            : { remarks: 'x' };
      expect((await panel.ask('PUT', url, { ...change, version: 1 })).status).toBe(200);
      expect((await panel.ask('DELETE', url)).status).toBe(200);
    },
  );

  test.each([
    ['GET', '/content-manager/single-types/api::site-settings.site-settings', undefined],
    ['PUT', '/content-manager/single-types/api::site-settings.site-settings', { siteName: {} }],
    ['POST', '/panel/review/plugin::users-permissions.user', { records: [] }],
  ])('a moderator is refused %s %s, and nothing has changed', async (method, url, body) => {
    const before = await snapshot(service);
    const answer = await panel.ask(method, url, body);
    expect([400, 403, 404]).toContain(answer.status);
    await expectUnchanged(service, before);
  });

  test('a moderator gives no role, neither to itself nor to others, and blocks nobody', async () => {
    const { id } = await newAccount(service, 'user');
    const users = '/content-manager/collection-types/plugin::users-permissions.user';
    const { object } = await objectsOf(service.strapi).inspect('user', id, itself, [
      'role',
      'blocked',
    ]);
    for (const change of [{ accountRole: 'administrator' }, { blocked: true }, { name: 'Eve' }])
      expect((await panel.ask('PUT', `${users}/${id}`, change)).status).toBe(403);
    const after = await objectsOf(service.strapi).inspect('user', id, itself, ['role', 'blocked']);
    expect(after.object).toEqual(object);
  });
}
