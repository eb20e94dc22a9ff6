import { changeAccount, logIn, newAccount, type TestAccount } from '../../helpers/accounts';
import { send } from '../../helpers/http';
import { asObject, at, type Json } from '../../helpers/json';
import { writtenMails } from '../../helpers/mail-server';
import {
  askPanel,
  notice,
  operator,
  panelOf,
  signInToPanel,
  type Panel,
  type PanelAnswer,
} from '../../helpers/panel';
import { until } from '../../helpers/until';
import type { TestService } from '../../helpers/service';

/** The ways to set the password of a panel user, on a shared service. */
export function testPasswords(started: () => TestService): void {
  let service: TestService;
  let superAdmin: Panel;
  beforeAll(async () => {
    service = started();
    superAdmin = await panelOf(service, operator);
  });

  /** The mails to an address, as texts. */
  async function mailsTo(email: string): Promise<string[]> {
    const texts = await writtenMails(service.dataDir);
    const plain = texts.map((text) => text.replace(/=\r\n/g, '').replaceAll('=3D', '='));
    return plain.filter((text) => text.includes(`\r\nTo: ${email}\r\n`));
  }

  /** A moderator whose panel account is there. */
  async function tied(): Promise<{ account: TestAccount; row: Json }> {
    const account = await newAccount(service, 'moderator');
    const panel = await panelOf(service, account);
    return { account, row: asObject(at((await panel.ask('GET', '/admin/users/me')).body, 'data')) };
  }

  const stored = async (id: unknown): Promise<Json> =>
    asObject(
      await service.strapi.db.query('admin::user').findOne({ where: { id }, populate: ['roles'] }),
    );

  const forgot = (email: unknown): Promise<PanelAnswer> =>
    askPanel(service, undefined, 'POST', '/admin/forgot-password', { email });

  describe('a forgotten password', () => {
    test('of an account: the reset of the account is sent, and sets its password', async () => {
      const { account, row } = await tied();
      expect((await forgot(account.email)).status).toBe(204);
      const isThere = async (): Promise<boolean> =>
        (await mailsTo(account.email)).some((mail) => mail.includes('/account/reset?token='));
      await until('the reset', isThere);
      const mails = await mailsTo(account.email);
      expect(mails.join()).not.toContain('/admin/auth/reset-password');
      expect(await stored(row['id'])).toMatchObject({ resetPasswordToken: null });
      const token = /\/reset\?token=([\w-]{43})/.exec(mails.at(-1) ?? '')?.[1];
      const body = { token, password: 'A new one for both doors' };
      const set = await send(service.url, { method: 'POST', url: '/api/v0/password', body });
      expect(set.status).toBe(200);
      expect((await signInToPanel(service, account)).status).toBe(400);
      await panelOf(service, { ...account, password: body.password });
    });

    test('of an operator: Strapi sends its own', async () => {
      expect((await forgot(operator.email)).status).toBe(204);
      const isThere = async (): Promise<boolean> =>
        (await mailsTo(operator.email)).some((mail) => mail.includes('/auth/reset-password?code='));
      await until('the mail of Strapi', isThere);
    });

    test('is answered the same for nobody, and refused for what is no address', async () => {
      const known = await forgot((await tied()).account.email);
      const unknown = await forgot('nobody@example.org');
      expect([unknown.status, unknown.body]).toEqual([known.status, known.body]);
      for (const email of ['nobody', 7, null, 'a\u0000b@example.org', { $ne: null }])
        expect((await forgot(email)).status).toBe(400);
    });

    test('is counted by address, as in the API', async () => {
      const statuses: number[] = [];
      for (let tries = 0; tries < 11; tries += 1)
        statuses.push((await forgot('often@example.org')).status);
      expect(statuses).toEqual([...Array<number>(10).fill(204), 429]);
      const body = { email: 'often@example.org' };
      const answer = await send(service.url, { method: 'POST', url: '/api/v0/reset', body });
      expect(answer.status).toBe(429);
    });
  });

  describe('no route of Strapi sets the password of an account', () => {
    const password = 'Brand new one, 1';

    test.each([
      [
        '/admin/reset-password',
        { resetPasswordToken: 'planted', resetPasswordTokenExpiresAt: new Date(Date.now() + 1e6) },
        { resetPasswordToken: 'planted', password },
      ],
      [
        '/admin/register',
        { registrationToken: 'planted' },
        { registrationToken: 'planted', userInfo: { firstname: 'Eve', password } },
      ],
    ])('%s, not even with a token that somebody has planted', async (url, planted, body) => {
      const { account, row } = await tied();
      const where = { id: row['id'] };
      await service.strapi.db.query('admin::user').update({ where, data: planted });
      const before = await stored(row['id']);
      const answer = await askPanel(service, undefined, 'POST', url, body);
      expect([answer.status, notice(answer)]).toEqual([
        400,
        'This is the account of a person: change it in the list of users (Content Manager, User).',
      ]);
      expect(await stored(row['id'])).toEqual(before);
      expect((await signInToPanel(service, { ...account, password })).status).toBe(400);
      expect((await signInToPanel(service, account)).status).toBe(200);
      await service.strapi.db
        .query('admin::user')
        .update({ where, data: { resetPasswordToken: null, registrationToken: null } });
    });

    test('nor does a hash in the row of the panel let anybody in', async () => {
      const { account, row } = await tied();
      const auth = service.strapi.service('admin::auth') as unknown as {
        hashPassword(text: string): Promise<string>;
      };
      await service.strapi.db.query('admin::user').update({
        where: { id: row['id'] },
        data: { password: await auth.hashPassword(password) },
      });
      expect((await signInToPanel(service, { ...account, password })).status).toBe(400);
    });
  });

  describe("Strapi's settings of users", () => {
    test.each([
      ['the address', { email: 'eve@example.org' }],
      ['the password', { password: 'Brand new one, 1' }],
      ['the roles', (roles: unknown) => ({ roles })],
      ['the state', { isActive: false }],
      ['the name', { firstname: 'Eve' }],
    ])('do not change %s of an account', async (_, change) => {
      const { account, row } = await tied();
      const role = asObject(
        await service.strapi.db
          .query('admin::role')
          .findOne({ where: { code: 'strapi-super-admin' } }),
      );
      const body = typeof change === 'function' ? change([role['id']]) : change;
      const before = await stored(row['id']);
      const answer = await superAdmin.ask('PUT', `/admin/users/${String(row['id'])}`, body);
      expect(answer.status).toBe(400);
      expect(notice(answer)).toMatch(/^This is the account of a person/);
      expect(await stored(row['id'])).toEqual(before);
      expect((await signInToPanel(service, account)).status).toBe(200);
    });

    test('do not delete one, alone or among others', async () => {
      const { account, row } = await tied();
      const one = await superAdmin.ask('DELETE', `/admin/users/${String(row['id'])}`);
      const many = await superAdmin.ask('POST', '/admin/users/batch-delete', { ids: [row['id']] });
      expect([one.status, many.status]).toEqual([400, 400]);
      expect((await signInToPanel(service, account)).status).toBe(200);
    });

    test('work as in Strapi for users whom the operator creates', async () => {
      const made = await superAdmin.ask('POST', '/admin/users', {
        email: 'otto@example.org',
        firstname: 'Otto',
        roles: [1],
      });
      expect(made.status).toBe(201);
      const id = String(at(made.body, 'data', 'id'));
      const registrationToken = at(made.body, 'data', 'registrationToken');
      const userInfo = { firstname: 'Otto', password: 'Otto has one, 1' };
      const register = { registrationToken, userInfo };
      expect((await askPanel(service, undefined, 'POST', '/admin/register', register)).status).toBe(
        200,
      );
      const changed = { password: 'Otto has another, 2' };
      expect((await superAdmin.ask('PUT', `/admin/users/${id}`, changed)).status).toBe(200);
      const credentials = { email: 'otto@example.org', ...changed };
      expect((await signInToPanel(service, credentials)).status).toBe(200);
      await superAdmin.ask('PUT', `/admin/users/${id}`, { isActive: false });
      const closed = await signInToPanel(service, credentials);
      expect([closed.status, notice(closed)]).toEqual([400, 'User not active']);
      expect((await superAdmin.ask('DELETE', `/admin/users/${id}`)).status).toBe(200);
      expect(notice(await signInToPanel(service, credentials))).toBe('Invalid credentials');
    });
  });

  test('no command of Strapi resets the password of an account', async () => {
    const { account } = await tied();
    const users = service.strapi.service('admin::user') as unknown as {
      resetPasswordByEmail(email: string, password: string): Promise<void>;
    };
    await users.resetPasswordByEmail(account.email, 'Brand new one, 1');
    const wrong = { ...account, password: 'Brand new one, 1' };
    expect((await signInToPanel(service, wrong)).status).toBe(400);
    expect(await logIn(service, account)).not.toBeNull();
    await changeAccount(service, account.id, { name: 'As before' });
    expect((await signInToPanel(service, account)).status).toBe(200);
  });
}
