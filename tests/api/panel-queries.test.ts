import { onBehalfOf } from '#app/core/caller';
import { objectsOf } from '#app/plugins/objects/server';
import { changeAccount, newAccount } from '../helpers/accounts';
import { at } from '../helpers/json';
import { documents, panelOf, type Panel } from '../helpers/panel';
import { startService, type TestService } from '../helpers/service';

const USERS = documents('user');

let service: TestService;
let administrator: Panel;
let moderator: Panel;
/** Accounts whose user names are in another order than their making. */
const named: string[] = [];
beforeAll(async () => {
  service = await startService();
  administrator = await panelOf(service, await newAccount(service, 'administrator'));
  moderator = await panelOf(service, await newAccount(service, 'moderator'));
  for (const username of ['bbhidden', 'aahidden', 'cchidden']) {
    const { id } = await newAccount(service, 'user');
    await changeAccount(service, id, { username });
    named.push(id);
    const encounter = { op: 'create', type: 'encounter', body: { time: '2024' } } as const;
    await objectsOf(service.strapi).write(encounter, onBehalfOf(id, username));
  }
});
afterAll(async () => {
  await service?.close();
});

const found = async (by: Panel, url: string): Promise<unknown[]> => {
  const { status, body } = await by.ask('GET', url);
  expect([url, status]).toEqual([url, 200]);
  return (at(body, 'results') as unknown[]).map((row) => at(row, 'documentId'));
};

describe('a moderator finds out nothing by a list', () => {
  test('searched by a user name', async () => {
    const url = `${USERS}?_q=aahidden`;
    expect(await found(moderator, url)).toEqual([]);
  });

  test.each(['username', 'usernameKey', 'blocked', 'emailVerified'])(
    'sorted by %s',
    async (attribute) => {
      const plain = await found(moderator, `${USERS}?pageSize=100`);
      expect(plain).toEqual(expect.arrayContaining(named));
      for (const direction of ['ASC', 'DESC'])
        expect(
          await found(moderator, `${USERS}?pageSize=100&sort=${attribute}:${direction}`),
        ).toEqual(plain);
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
    const url = `${documents('encounter')}?pageSize=100`;
    expect(await found(moderator, `${url}&${query}`)).toEqual(await found(moderator, url));
  });

  test('which an administrator may sort', async () => {
    const sorted = await found(administrator, `${USERS}?pageSize=100&sort=username:DESC`);
    const [b = '', a = '', c = ''] = named;
    expect(sorted.filter((id) => named.includes(String(id)))).toEqual([c, b, a]);
  });
});
