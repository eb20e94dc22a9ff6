import { setTimeout as sleep } from 'node:timers/promises';
import { service as itself } from '#app/core/caller';
import { objectsOf } from '#app/plugins/objects/server';
import { LINKS, STRAPI } from '#app/plugins/panel/server/accounts/panel-users';
import {
  askWith,
  changeAccount,
  deleteAccount,
  logIn,
  newAccount,
  type TestAccount,
} from '../helpers/accounts';
import { asObject, at } from '../helpers/json';
import {
  askPanel,
  makeOperator,
  operator,
  panelOf,
  REFUSED,
  signInToPanel,
  told,
  type Panel,
  type PanelAnswer,
} from '../helpers/panel';
import { startService, type TestService } from '../helpers/service';

let service: TestService;
beforeAll(async () => {
  service = await startService();
  await makeOperator(service);
});
afterAll(async () => {
  await service?.close();
});

/** The panel account behind an account, as it is stored. */
async function panelRow({ id }: TestAccount): Promise<Record<string, unknown> | undefined> {
  const knex = service.strapi.db.connection;
  const [link] = await knex<{ panel_user: number }>(LINKS.sqlite).where('account', id).select();
  if (!link) return undefined;
  return (await service.strapi.db
    .query('admin::user')
    .findOne({ where: { id: link.panel_user }, populate: ['roles'] })) as Record<string, unknown>;
}

const rolesOf = (row: unknown): unknown[] =>
  ((asObject(row)['roles'] ?? []) as unknown[]).map((role) => at(role, 'name'));

let number = 1;

const me = (panel: Panel): Promise<PanelAnswer> => panel.ask('GET', '/admin/users/me');

describe('Strapi, where it is replaced', () => {
  test('has the tables and columns that follow an account', () => {
    const { metadata } = service.strapi.db;
    const user = metadata.get('admin::user');
    const roles = user.attributes['roles'] as unknown as {
      joinTable: { name: string; joinColumn: object; inverseJoinColumn: object } & Record<
        string,
        unknown
      >;
    };
    const columns = (uid: string, names: readonly string[]): unknown[] =>
      names.map((name) => at(metadata.get(uid).attributes[name], 'columnName'));
    expect({
      users: user.tableName,
      roles: metadata.get('admin::role').tableName,
      usersRoles: roles.joinTable.name,
      sessions: metadata.get('admin::session').tableName,
    }).toEqual(STRAPI);
    expect(roles.joinTable).toMatchObject({
      joinColumn: { name: 'user_id' },
      inverseJoinColumn: { name: 'role_id' },
      orderColumnName: 'role_ord',
      inverseOrderColumnName: 'user_ord',
    });
    const shown = ['firstname', 'lastname', 'email', 'username', 'isActive'];
    expect(columns('admin::user', shown)).toEqual([
      'firstname',
      'lastname',
      'email',
      'username',
      'is_active',
    ]);
    expect(columns('admin::session', ['userId', 'sessionId', 'origin'])).toEqual([
      'user_id',
      'session_id',
      'origin',
    ]);
  });
});

describe('an account signs in to the panel', () => {
  test.each([
    ['moderator', 'Moderator'],
    ['administrator', 'Administrator'],
  ] as const)('as %s, with the panel role %s', async (role, name) => {
    const account = await newAccount(service, role);
    expect(await panelRow(account)).toBeUndefined();
    const panel = await panelOf(service, account);
    const { status, body } = await me(panel);
    expect(status).toBe(200);
    expect(at(body, 'data')).toMatchObject({ firstname: account.name, email: account.email });
    expect(rolesOf(at(body, 'data'))).toEqual([name]);
    expect(await panelRow(account)).toMatchObject({ isActive: true });
  });

  test('by its user name, and whatever the case of its address', async () => {
    const account = await newAccount(service, 'moderator');
    await changeAccount(service, account.id, { username: 'Maria.M' });
    const { password } = account;
    const first = await panelOf(service, { email: 'maria.m', password });
    const second = await panelOf(service, { email: account.email.toUpperCase(), password });
    expect(at((await me(first)).body, 'data', 'id')).toBe(
      at((await me(second)).body, 'data', 'id'),
    );
  });

  test('once for many sign-ins at the same time', async () => {
    const account = await newAccount(service, 'moderator');
    const panels = await Promise.all([1, 2, 3, 4].map(() => panelOf(service, account)));
    const ids = await Promise.all(
      panels.map(async (one) => at((await me(one)).body, 'data', 'id')),
    );
    expect(new Set(ids).size).toBe(1);
    const email = account.email;
    expect(await service.strapi.db.query('admin::user').count({ where: { email } })).toBe(1);
  });

  test('with rights that end where the role does', async () => {
    const moderator = await panelOf(service, await newAccount(service, 'moderator'));
    const administrator = await panelOf(service, await newAccount(service, 'administrator'));
    const users = '/content-manager/collection-types/plugin::users-permissions.user';
    const settings = '/content-manager/single-types/api::site-settings.site-settings';
    const answers = async (panel: Panel, method: string, url: string, body?: unknown) =>
      (await panel.ask(method, url, body)).status;
    for (const panel of [moderator, administrator]) {
      expect(await answers(panel, 'GET', users)).toBe(200);
      await panel.create('encounter', { time: '2024-05' });
      await panel.create('taxonomy', { scientificName: `Panthera ${number++}` });
      for (const closed of ['users', 'roles', 'permissions'])
        expect([closed, await answers(panel, 'GET', `/admin/${closed}`)]).toEqual([closed, 403]);
    }
    expect(await answers(administrator, 'GET', settings)).not.toBe(403);
    expect(await answers(moderator, 'GET', settings)).toBe(403);
    expect(await answers(moderator, 'POST', users, { name: 'Eve' })).toBe(403);
  });

  test('as moderator without seeing of people what moderators do not see', async () => {
    const other = await newAccount(service, 'user');
    const panel = await panelOf(service, await newAccount(service, 'moderator'));
    const seen = await panel.open('user', other.id);
    expect(seen).toMatchObject({ name: other.name, email: other.email });
    const never = ['username', 'usernameKey', 'emailKey', 'emailVerified', 'blocked', 'language'];
    for (const name of [...never, 'password']) expect(seen).not.toHaveProperty(name);
  });
});

describe('nobody else signs in', () => {
  test('a plain user is answered like a wrong password and like an unknown name', async () => {
    const user = await newAccount(service, 'user');
    const moderator = await newAccount(service, 'moderator');
    for (const credentials of [
      user,
      { ...user, password: 'not the password' },
      { ...moderator, password: 'not the password' },
      { email: 'nobody@example.org', password: 'not the password' },
      { ...operator, password: 'Not the password 1' },
    ])
      expect(told(await signInToPanel(service, credentials))).toEqual(REFUSED);
    expect(await panelRow(user)).toBeUndefined();
  });

  test('nor a blocked moderator, nor what is no text', async () => {
    const account = await newAccount(service, 'moderator');
    await changeAccount(service, account.id, { blocked: true });
    expect(told(await signInToPanel(service, account))).toEqual(REFUSED);
    for (const credentials of [
      { email: 'a\u0000b@example.org', password: account.password },
      { email: '\ud800@example.org', password: account.password },
      { email: account.email, password: 'x'.repeat(100_000) },
      { email: ['a'], password: 'b' },
      { email: account.email, password: { $ne: null } },
    ]) {
      const { status } = await askPanel(service, undefined, 'POST', '/admin/login', credentials);
      expect(status).toBe(400);
    }
  });
});

describe('whom the operator has made through Strapi', () => {
  test('signs in as before, and is no account', async () => {
    const panel = await panelOf(service, operator);
    expect(rolesOf(at((await me(panel)).body, 'data'))).toEqual(['Super Admin']);
    expect((await panel.ask('GET', '/admin/roles')).status).toBe(200);
    expect(await logIn(service, operator)).toBeNull();
  });

  test('is not locked out by an account with the same address, nor let in by it', async () => {
    const { strapi } = service;
    const account = await newAccount(service, 'user', { email: operator.email });
    expect(told(await signInToPanel(service, account))).toEqual(REFUSED);
    expect((await signInToPanel(service, operator)).status).toBe(200);
    await changeAccount(service, account.id, { role: 'moderator' });
    const panel = await panelOf(service, account);
    expect(rolesOf(at((await me(panel)).body, 'data'))).toEqual(['Moderator']);
    expect(rolesOf(at((await me(await panelOf(service, operator))).body, 'data'))).toEqual([
      'Super Admin',
    ]);
    await objectsOf(strapi).write({ op: 'delete', type: 'user', id: account.id }, itself);
    expect((await signInToPanel(service, operator)).status).toBe(200);
  });
});

describe('a panel session ends with the right to it', () => {
  const CLOSING: readonly (readonly [string, (account: TestAccount) => Promise<void>])[] = [
    ['a demotion', ({ id }) => changeAccount(service, id, { role: 'user' })],
    ['a block', ({ id }) => changeAccount(service, id, { blocked: true })],
    ['a deletion', ({ id }) => deleteAccount(service, id)],
    ['a new password', ({ id }) => changeAccount(service, id, { password: 'Another one, 2 now' })],
  ];

  test.each(CLOSING)('%s: the next request is refused', async (_, close) => {
    const account = await newAccount(service, 'moderator');
    const login = await signInToPanel(service, account);
    const cookie = String(login.headers['set-cookie']?.[0]).split(';')[0] ?? '';
    const panel = await panelOf(service, account);
    expect((await me(panel)).status).toBe(200);
    await close(account);
    expect((await me(panel)).status).toBe(401);
    const renewed = await askPanel(
      service,
      undefined,
      'POST',
      '/admin/access-token',
      {},
      {
        Cookie: cookie,
        'Sec-Fetch-Site': 'same-origin',
      },
    );
    expect(renewed.status).toBe(401);
    expect(told(await signInToPanel(service, account))).toEqual(REFUSED);
  });

  test('a demotion closes the panel account and ends none of the sessions of the API', async () => {
    // The last one could not be demoted.
    await newAccount(service, 'administrator');
    const account = await newAccount(service, 'administrator');
    const secret = await logIn(service, account);
    await panelOf(service, account);
    await changeAccount(service, account.id, { role: 'user' });
    expect(await askWith(service, secret)).toBe(200);
    const row = await panelRow(account);
    expect([row?.['isActive'], rolesOf(row)]).toEqual([false, []]);
  });

  test('whoever is demoted or deleted while signing in stays outside', async () => {
    for (const end of [changeAccount, deleteAccount]) {
      for (let times = 0; times < 5; times += 1) {
        const account = await newAccount(service, 'moderator');
        const [login] = await Promise.all([
          signInToPanel(service, account),
          sleep(times * 20).then(() => end(service, account.id, { role: 'user' })),
        ]);
        const row = await panelRow(account);
        expect([row?.['isActive'] ?? false, rolesOf(row)]).toEqual([false, []]);
        const token = at(login.body, 'data', 'token');
        const asked = await askPanel(service, String(token), 'GET', '/admin/users/me');
        expect(asked.status).toBe(401);
      }
    }
  });

  test('a deletion takes the panel account along', async () => {
    const account = await newAccount(service, 'moderator');
    await panelOf(service, account);
    const row = await panelRow(account);
    await deleteAccount(service, account.id);
    expect(await panelRow(account)).toBeUndefined();
    const { strapi } = service;
    expect(await strapi.db.query('admin::user').findOne({ where: { id: row?.['id'] } })).toBeNull();
    expect(
      await strapi.db.query('admin::session').count({ where: { userId: String(row?.['id']) } }),
    ).toBe(0);
  });

  test('another role counts at the next request, and a second promotion opens it again', async () => {
    await newAccount(service, 'administrator'); // so that the other one is not the last
    const account = await newAccount(service, 'administrator');
    const panel = await panelOf(service, account);
    const settings = '/content-manager/single-types/api::site-settings.site-settings';
    expect((await panel.ask('GET', settings)).status).not.toBe(403);
    await changeAccount(service, account.id, { role: 'moderator' });
    expect((await panel.ask('GET', settings)).status).toBe(403);
    await changeAccount(service, account.id, { role: 'user' });
    expect((await me(panel)).status).toBe(401);
    await changeAccount(service, account.id, { role: 'administrator' });
    expect((await me(panel)).status).toBe(401);
    expect((await me(await panelOf(service, account))).status).toBe(200);
  });

  test('a change by the API shows in the panel', async () => {
    const account = await newAccount(service, 'moderator');
    const panel = await panelOf(service, account);
    await changeAccount(service, account.id, { name: 'Márta Nagy', email: 'marta@example.org' });
    expect(at((await me(panel)).body, 'data')).toMatchObject({
      firstname: 'Márta Nagy',
      email: 'marta@example.org',
    });
  });
});
