import { USER_UID } from '#app/plugins/accounts/server/users/account';
import { objectsOf } from '#app/plugins/objects/server';
import { actingFor, changeAccount, newAccount } from '../../helpers/accounts';
import { at, type Json } from '../../helpers/json';
import { documents, panelOf, type Panel } from '../../helpers/panel';
import type { TestService } from '../../helpers/service';

/** The queries of lists and pickers: what moderators may sort and filter by, and what is refused. */
export function testQueries(started: () => Panel): void {
  const USERS = documents('user');

  let service: TestService;
  let administrator: Panel;
  let moderator: Panel;
  /** Accounts whose user names are in another order than their making. */
  const named: string[] = [];
  beforeAll(async () => {
    ({ service } = started());
    administrator = await panelOf(service, await newAccount(service, 'administrator'));
    moderator = await panelOf(service, await newAccount(service, 'moderator'));
    for (const username of ['bbhidden', 'aahidden', 'cchidden']) {
      const { id } = await newAccount(service, 'user');
      await changeAccount(service, id, { username });
      named.push(id);
      const encounter = { op: 'create', type: 'encounter', body: { time: '2024' } } as const;
      await objectsOf(service.strapi).write(encounter, await actingFor(service, id, username));
    }
  });

  const found = async (by: Panel, url: string): Promise<unknown[]> => {
    const { status, body } = await by.ask('GET', url);
    expect([url, status]).toEqual([url, 200]);
    return (at(body, 'results') as unknown[]).map((row) => at(row, 'documentId'));
  };

  async function refused(by: Panel, url: string): Promise<void> {
    const { status, body } = await by.ask('GET', url);
    expect([url, status, at(body, 'error', 'name')]).toEqual([url, 400, 'ValidationError']);
  }

  describe('a moderator finds out nothing by a list', () => {
    test('searched by a user name', async () => {
      const url = `${USERS}?_q=aahidden`;
      expect(await found(moderator, url)).toEqual([]);
    });

    test.each(['username', 'usernameKey', 'blocked', 'emailVerified', 'password'])(
      'sorted by %s',
      async (attribute) => {
        const plain = await found(moderator, `${USERS}?pageSize=100`);
        expect(plain).toEqual(expect.arrayContaining(named));
        for (const direction of ['ASC', 'DESC'])
          await refused(moderator, `${USERS}?pageSize=100&sort=${attribute}:${direction}`);
      },
    );

    test.each([
      'sort=owner.username:ASC',
      'sort=owner.username:DESC',
      'sort[owner][username]=desc',
      'filters[$and][0][owner][username][$startsWith]=aa',
      'filters[$and][0][$or][0][owner][username][$startsWith]=aa',
      'filters[owner][username]=aahidden',
    ])('or by that of encounters, %s', async (query) => {
      await refused(moderator, `${documents('encounter')}?pageSize=100&${query}`);
    });

    test('which an administrator may sort', async () => {
      const sorted = await found(administrator, `${USERS}?pageSize=100&sort=username:DESC`);
      const [b = '', a = '', c = ''] = named;
      expect(sorted.filter((id) => named.includes(String(id)))).toEqual([c, b, a]);
    });
  });

  /** By type: the fields that the pages of the panel are made of, and those that permissions let read. */
  async function fieldsOf(by: Panel): Promise<Json> {
    const { body: init } = await by.ask('GET', '/content-manager/init');
    const { body: mine } = await by.ask('GET', '/admin/users/me/permissions');
    const types = at(init, 'data', 'contentTypes') as { uid: string; attributes: Json }[];
    const permissions = at(mine, 'data') as {
      action: string;
      subject: string;
      properties: { fields: string[] };
    }[];
    const reads = permissions.filter(({ action }) => action.endsWith('explorer.read'));
    const ofStrapi = ['id', 'documentId', 'createdAt', 'updatedAt', 'createdBy', 'updatedBy'];
    return Object.fromEntries(
      reads.map(({ subject, properties }) => {
        const attributes = types.find(({ uid }) => uid === subject)?.attributes ?? {};
        const told = Object.keys(attributes).filter((name) => !ofStrapi.includes(name));
        return [subject, { told: told.sort(), read: [...properties.fields].sort() }];
      }),
    );
  }

  test('the pages are made of the fields that one may read', async () => {
    const [few, all] = [await fieldsOf(moderator), await fieldsOf(administrator)];
    expect([Object.keys(few).length, Object.keys(all).length]).toEqual([7, 8]);
    for (const types of [few, all])
      for (const [uid, fields] of Object.entries(types))
        expect([uid, at(fields, 'told')]).toEqual([uid, at(fields, 'read')]);
    expect(at(few, USER_UID, 'told')).not.toContain('blocked');
    expect(at(all, USER_UID, 'told')).toEqual(expect.arrayContaining(['blocked', 'password']));
  });

  describe('a picker', () => {
    const pickers = '/content-manager/relations/api::encounter.encounter';

    test.each(['password', 'usernameKey', 'username', 'name'])(
      'is not sorted, by %s or anything else',
      async (attribute) => {
        for (const panel of [moderator, administrator])
          for (const direction of ['ASC', 'DESC'])
            await refused(panel, `${pickers}/owner?sort=${attribute}:${direction}`);
      },
    );

    test.each(['createdBy', 'updatedBy', 'locality', 'nothing', '__proto__'])(
      'of %s is refused',
      async (name) => {
        for (const panel of [moderator, administrator]) await refused(panel, `${pickers}/${name}`);
      },
    );

    test('finds by what it shows, and nothing else', async () => {
      const [, , { name = '' } = {}] = await Promise.all([
        refused(moderator, `${pickers}/owner?filters[email][$startsWith]=a`),
        refused(moderator, `${pickers}/owner?populate=role`),
        newAccount(service, 'user'),
      ]);
      expect(
        await found(moderator, `${pickers}/owner?_q=${encodeURIComponent(name)}`),
      ).toHaveLength(1);
      expect(await found(moderator, `${pickers}/owner?_q=aahidden`)).toEqual([]);
    });
  });

  describe('an address that cannot be answered is 400', () => {
    const list = (): string => documents('encounter');
    test.each([
      'filters[id][$eq]=abc',
      'filters[$and]=x',
      'filters[$and][0]=x',
      'filters=x',
      'filters[locality][$like]=x',
      'filters[locality][$contains]=%00',
      'filters[latitude][$contains]=1',
      'filters[latitude][$gt]=north',
      'filters[tags][$contains]=x',
      'filters[createdAt][$gt]=yesterday',
      'filters[createdBy][id][$eq]=1',
      'filters[taxonomy][nope][$eq]=1',
      'filters[taxonomy][$eq]=1',
      'filters[state][$in]=x',
      `filters${'[$not]'.repeat(12)}[state]=x`,
      '_q=%00',
      '_q[x]=1',
      'sort=locality:UP',
      'sort[x]=1',
      'sort=tags:ASC',
      'sort=organizations:ASC',
      'page=0',
      'pageSize=101',
      'pageSize=-1',
      'page=x',
      'populate=*',
      'populate[owner][populate]=*',
      'fields=password',
      'nope=1',
    ])('%s', async (query) => {
      for (const panel of [moderator, administrator]) await refused(panel, `${list()}?${query}`);
    });
  });

  test('a collection is no single type, whose one document is read and changed', async () => {
    for (const type of ['encounter', 'user']) {
      const url = documents(type).replace('collection-types', 'single-types');
      await refused(administrator, url);
      expect((await administrator.ask('PUT', url, {})).status).toBe(400);
    }
    await refused(administrator, documents('site-settings'));
  });

  const DEEP = '{"a":'.repeat(1500) + '1' + '}'.repeat(1500);

  test.each([[[['x']]], [[]], ['x'], [7], [JSON.parse(DEEP) as unknown]])(
    'a body that is no object, or nested too deep, is 400 (%#)',
    async (body) => {
      for (const panel of [moderator, administrator]) {
        const { status, body: told } = await panel.ask('POST', documents('encounter'), body);
        expect([status, at(told, 'error', 'name')]).toEqual([400, 'ValidationError']);
      }
    },
  );

  test('Strapi’s parameters for languages and drafts are ignored', async () => {
    const url = `${documents('encounter')}?pageSize=100`;
    const plain = await found(moderator, url);
    const query =
      'locale=fr&status=draft&plugins[i18n][locale]=fr&publicationFilter=never-published';
    expect(await found(moderator, `${url}&${query}`)).toEqual(plain);
  });
}
