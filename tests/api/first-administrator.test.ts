import type { Service } from '#app/boot/boot';
import { prepareFirstAdministrator } from '#app/boot/first-administrator';
import { hashOfSecret } from '#app/core/secret';
import { makeFirstAdministrator } from '#app/plugins/panel/server/first-administrator/first-administrator';
import { LINKS, STRAPI } from '#app/plugins/panel/server/accounts/panel-users';
import { askWith, deleteAccount, logIn, newAccount } from '../helpers/accounts';
import { prepareBoots, type Boots } from '../helpers/boots';
import { send, type Answer } from '../helpers/http';
import { at, parsed } from '../helpers/json';
import { askPanel, panelOf } from '../helpers/panel';
import { story } from '../helpers/story';
import { freePort, startService, type TestService } from '../helpers/service';

const PATH = '/first-administrator';
const ANA = { email: 'ana@example.org', password: 'correct horse battery' };

const form = (values: Readonly<Record<string, string>>): string =>
  new URLSearchParams(values).toString();

const get = ({ url }: TestService, path: string): Promise<Answer> =>
  send(url, { method: 'GET', url: path });

const post = ({ url }: TestService, values: Readonly<Record<string, string>>): Promise<Answer> =>
  send(url, {
    method: 'POST',
    url: PATH,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    raw: form(values),
  });

const administrators = ({ strapi }: TestService): Promise<number> =>
  strapi.db
    .query('plugin::users-permissions.user')
    .count({ where: { accountRole: 'administrator' } });

describe('named in the environment', () => {
  let boots: Boots;
  let service: TestService;
  const announced: string[] = [];
  let refusal: string | null = null;
  const start = (env: Readonly<Record<string, string>>): Promise<Service> => {
    Object.assign(process.env, env);
    return boots.start({ listen: true, announce: (text) => announced.push(text) });
  };
  const restart = async (env: Readonly<Record<string, string>>): Promise<void> => {
    await service?.close();
    const started = await start(env);
    service = {
      strapi: started.strapi,
      url: started.url ?? '',
      close: () => started.close(),
    } as TestService;
  };
  beforeAll(async () => {
    boots = await prepareBoots({ PORT: String(await freePort()), OMS_ADMIN_EMAIL: ANA.email });
    refusal = await start({ OMS_ADMIN_PASSWORD: 'password123' }).then(
      (started) => started.close().then(() => null),
      (error: unknown) => String(error),
    );
    await restart({ OMS_ADMIN_PASSWORD: ANA.password });
  });
  afterAll(async () => {
    await service?.close();
    await boots?.drop();
  });

  test('with a common password stops the start in words', () => {
    expect(refusal).toMatch(/cannot be created\. OMS_ADMIN_PASSWORD: /);
    expect(refusal).not.toContain('password123');
  });

  test('is an administrator of the API, with the panel account at once, and no Super Admin', async () => {
    expect(
      await service.strapi.db.connection(LINKS.sqlite).count('*', { as: 'rows' }),
    ).toMatchObject([{ rows: expect.anything() as unknown }]);
    expect(await service.strapi.db.query('admin::user').count()).toBe(1);
    const secret = await logIn(service, ANA);
    expect(await askWith(service, secret)).toBe(200);
    const panel = await panelOf(service, ANA);
    const { body } = await panel.ask('GET', '/admin/users/me');
    const roles = at(body, 'data', 'roles') as unknown[];
    expect(roles.map((role) => at(role, 'name'))).toEqual(['Administrator']);
    const headers = { Authorization: `Bearer ${secret}` };
    const session = await send(service.url, { method: 'GET', url: '/api/v0/session', headers });
    expect(at(parsed(session.text), 'response', 'user')).toMatchObject({
      role: 'administrator',
      email: ANA.email,
      email_verified: true,
    });
  });

  test('is announced to nobody, and there is no page', async () => {
    expect(announced).toEqual([]);
    expect((await get(service, `${PATH}?token=`)).status).toBe(404);
    expect((await get(service, PATH)).status).toBe(404);
  });

  test('changes nothing once there is one', async () => {
    const before: unknown = await service.strapi.db.connection('up_users').first();
    await restart({ OMS_ADMIN_EMAIL: 'eve@example.org' });
    expect(await service.strapi.db.connection('up_users').select()).toEqual([before]);
  });
});

describe('by a link that is printed', () => {
  let service: TestService;
  let announced: string[] = [];
  let token = '';
  beforeAll(async () => {
    service = await startService({ announce: (text) => announced.push(text) });
    token = /\?token=([\w-]{43})\n/.exec(announced.join(''))?.[1] ?? '';
  });
  afterAll(async () => {
    await service?.close();
    announced = [];
  });

  const valid = (): Record<string, string> => ({
    token,
    name: 'Ana Ruiz',
    ...ANA,
    password_again: ANA.password,
  });

  test('which leads to this service, and whose secret is nowhere stored', async () => {
    expect(announced.length).toBe(1);
    const { port } = new URL(service.url);
    expect(announced[0]).toContain(`http://localhost:${port}${PATH}?token=${token}`);
    expect(token).toHaveLength(43);
    const rows = await service.strapi.db.connection('oms_first_administrator').select();
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  test('shows a form that wants no script and goes nowhere else', async () => {
    const { status, headers, text } = await get(service, `${PATH}?token=${token}`);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; style-src 'sha256-[\w+/]+=*'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
      ) as unknown,
    });
    expect(text).not.toMatch(/<script| on\w+=| style=|https?:\/\//);
    for (const name of ['token', 'name', 'email', 'password', 'password_again'])
      expect(text).toContain(` name="${name}"`);
  });

  test.each(['', 'x', 'A'.repeat(43)])('with the secret %p there is none', async (wrong) => {
    const page = await get(service, `${PATH}?token=${wrong}`);
    expect(page.status).toBe(404);
    const sent = await post(service, { ...valid(), token: wrong });
    expect([sent.status, sent.text]).toEqual([404, page.text]);
    expect(await administrators(service)).toBe(0);
  });

  test.each([
    ['two passwords that differ', { password_again: 'another' }, 'password_again'],
    ['a short password', { password: 'short', password_again: 'short' }, 'password'],
    ['a common one', { password: 'password123', password_again: 'password123' }, 'password'],
    ['an address that is none', { email: 'ana' }, 'email'],
    ['no name', { name: ' ' }, 'name'],
    ['a control character', { name: 'a\u0000b' }, 'name'],
  ])('%s is told at its field, and makes nothing', async (_, wrong, field) => {
    const { status, text } = await post(service, { ...valid(), ...wrong });
    expect(status).toBe(400);
    expect(text.match(/id="(\w+)-fault"/g)).toEqual([`id="${field}-fault"`]);
    expect(text).not.toContain(ANA.password);
    expect(await administrators(service)).toBe(0);
  });

  test('what was typed comes back as text', async () => {
    const name = '"><script>alert(1)</script>';
    const { text } = await post(service, { ...valid(), name, email: 'no' });
    expect(text).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"');
    expect(text).not.toContain('<script');
  });

  test.each([
    ['DELETE', undefined, 405],
    ['POST', 'application/json', 400],
  ])('%s as %p is refused', async (method, type, status) => {
    const headers: Record<string, string> = type === undefined ? {} : { 'Content-Type': type };
    const answer = await send(service.url, { method, url: PATH, headers, raw: form(valid()) });
    expect(answer.status).toBe(status);
    expect(await administrators(service)).toBe(0);
  });

  test('a form that is too long is refused', async () => {
    const { status } = await post(service, { ...valid(), name: 'x'.repeat(20_000) });
    expect(status).toBe(400);
  });

  test('a secret that has been replaced meanwhile makes nothing, and ends nothing', async () => {
    const account = { name: 'Eve', email: 'eve@example.org', password: ANA.password };
    await expect(
      makeFirstAdministrator(service.strapi, account, 'A'.repeat(43)),
    ).rejects.toMatchObject({ key: 'TOKEN_INVALID' });
    expect(await administrators(service)).toBe(0);
    expect((await get(service, `${PATH}?token=${token}`)).status).toBe(200);
  });

  test('is not replaced by an account of the environment whose address a plain user has', async () => {
    const plain = { email: 'plain@example.org', password: ANA.password };
    await newAccount(service, 'user', plain);
    const named = { administrator: plain, publicUrl: service.url };
    await expect(prepareFirstAdministrator(service.strapi, named)).rejects.toThrow(
      /cannot be created\. OMS_ADMIN_EMAIL: /,
    );
    expect(await administrators(service)).toBe(0);
  });

  test('until then no other route creates one', async () => {
    const answers = [
      { method: 'POST', url: '/api/v0/user', body: { ...ANA, name: 'Eve', role: 'administrator' } },
      {
        method: 'POST',
        url: '/admin/register-admin',
        body: { email: 'eve@example.org', firstname: 'Eve', password: 'A long one, 1 please' },
      },
      {
        method: 'POST',
        url: '/admin/register',
        body: { registrationToken: 'x', userInfo: { firstname: 'Eve', password: 'A long one 1' } },
      },
    ];
    for (const request of answers)
      expect((await send(service.url, request)).status).toBeGreaterThanOrEqual(400);
    expect(await administrators(service)).toBe(0);
    expect(await service.strapi.db.query('admin::user').count()).toBe(0);
  });

  /** Takes back that there is an administrator: the link is worth again what it was. */
  async function withoutAdministrator(): Promise<void> {
    const knex = service.strapi.db.connection;
    for (const table of [LINKS.sqlite, STRAPI.usersRoles, STRAPI.users]) await knex(table).delete();
    await knex('up_users').where('account_role', 'administrator').delete();
    await knex('oms_first_administrator').insert({ hash: hashOfSecret(token) });
  }

  story('makes one administrator', [
    [
      'of two who send it at once one becomes the administrator, and then it is worth nothing',
      async () => {
        const before = await askPanel(service, undefined, 'GET', '/admin/init');
        const closed = await askPanel(service, undefined, 'POST', '/admin/register-admin', {});
        const answers = await Promise.all([
          post(service, valid()),
          post(service, { ...valid(), email: 'eve@example.org' }),
        ]);
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
        expect(answers.find(({ status }) => status === 200)?.text).toContain('href="/admin"');
        expect(await administrators(service)).toBe(1);
        const page = await get(service, `${PATH}?token=${token}`);
        expect(page.status).toBe(404);
        expect((await post(service, { ...valid(), email: 'c@example.org' })).status).toBe(404);
        expect(await administrators(service)).toBe(1);
        const email = String(
          (
            (await service.strapi.db.query('plugin::users-permissions.user').findOne({
              where: { accountRole: 'administrator' },
            })) as { email: string }
          ).email,
        );
        const panel = await panelOf(service, { email, password: ANA.password });
        expect((await panel.ask('GET', '/admin/users/me')).status).toBe(200);

        // Neither of these tells whether there is one.
        const after = await askPanel(service, undefined, 'GET', '/admin/init');
        expect(at(before.body, 'data', 'hasAdmin')).toBe(true);
        expect(after.body).toEqual(before.body);
        const again = await askPanel(service, undefined, 'POST', '/admin/register-admin', {});
        expect([closed.status, again.status]).toEqual([405, 405]);
        expect(again.body).toEqual(closed.body);
      },
    ],
    [
      'the last administrator stays',
      async () => {
        const [row] = await service.strapi.db
          .connection<{ document_id: string }>('up_users')
          .where('account_role', 'administrator')
          .select();
        await expect(deleteAccount(service, row?.document_id ?? '')).rejects.toMatchObject({
          key: 'LAST_ADMINISTRATOR',
        });
        expect(await service.strapi.db.connection(STRAPI.users).select()).toHaveLength(1);
      },
    ],
    ['and is taken back', withoutAdministrator],
  ]);
});
