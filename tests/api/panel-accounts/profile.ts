import {
  askWith,
  changeAccount,
  logIn,
  newAccount,
  type TestAccount,
} from '../../helpers/accounts';
import { asObject, at, type Json } from '../../helpers/json';
import {
  fieldTexts,
  notice,
  operator,
  panelOf,
  signInToPanel,
  type Panel,
  type PanelAnswer,
} from '../../helpers/panel';
import type { TestService } from '../../helpers/service';
import { historyOf } from '../../helpers/snapshot';

/** The profile page of the panel, on a shared service. */
export function testProfile(started: () => TestService): void {
  let service: TestService;
  beforeAll(() => {
    service = started();
  });

  async function signedIn(): Promise<{ account: TestAccount; panel: Panel }> {
    const account = await newAccount(service, 'moderator');
    return { account, panel: await panelOf(service, account) };
  }

  const profile = async (panel: Panel): Promise<Json> =>
    asObject(at((await panel.ask('GET', '/admin/users/me')).body, 'data'));

  /** What the form sends: all its inputs, and of the passwords only what is typed. Read in its source. */
  async function save(panel: Panel, changes: Json): Promise<PanelAnswer> {
    const { email, firstname, lastname, username, preferedLanguage } = await profile(panel);
    const rest = { lastname: lastname ?? '', username: username ?? '', preferedLanguage };
    return panel.ask('PUT', '/admin/users/me', { email, firstname, ...rest, ...changes });
  }

  const stored = async ({ id }: TestAccount): Promise<Json> =>
    asObject(
      await service.strapi.db
        .connection<Json>('up_users')
        .where({ document_id: id })
        .first(
          'name',
          'email',
          'username',
          'password',
          'version',
          'email_verified',
          'account_role',
        ),
    );

  test('the name is that of the account, changed without a password, and by whom is known', async () => {
    const { account, panel } = await signedIn();
    const answer = await save(panel, { firstname: 'Ana', lastname: 'Ruiz' });
    expect(answer.status).toBe(200);
    expect(at(answer.body, 'data')).toMatchObject({ firstname: 'Ana Ruiz', lastname: null });
    expect(at(answer.body, 'data', 'roles')).toMatchObject([{ name: 'Moderator' }]);
    expect(at(answer.body, 'data')).not.toHaveProperty('password');
    expect(await stored(account)).toMatchObject({ name: 'Ana Ruiz' });
    const entry = (await historyOf(service, account.id)).at(-1);
    expect(entry).toMatchObject({
      action: 'update',
      actor_kind: 'user',
      actor_id: account.id,
      changes: [{ path: 'name', before: account.name, after: 'Ana Ruiz' }],
    });
  });

  test('a form that changes nothing changes nothing', async () => {
    const { account, panel } = await signedIn();
    const before = await stored(account);
    expect((await save(panel, {})).status).toBe(200);
    expect(await stored(account)).toEqual(before);
  });

  test('the language of the panel is of the panel alone', async () => {
    const { account, panel } = await signedIn();
    const before = await stored(account);
    expect((await save(panel, { preferedLanguage: 'es' })).status).toBe(200);
    expect(await profile(panel)).toMatchObject({ preferedLanguage: 'es' });
    expect(await stored(account)).toEqual(before);
  });

  describe('a new address', () => {
    test('requires the current password, with a message at its field', async () => {
      const { account, panel } = await signedIn();
      for (const changes of [{ email: 'new@example.org' }, { username: 'newname' }]) {
        const answer = await save(panel, changes);
        expect(answer.status).toBe(400);
        expect(Object.keys(fieldTexts(answer) ?? {})).toEqual(['currentPassword']);
        expect(fieldTexts(answer)?.['currentPassword']).toMatch(/^Type your current password\./);
      }
      expect(await stored(account)).toMatchObject({ email: account.email, username: null });
    });

    test('with it is valid for the API and the panel, and has to be verified again', async () => {
      const { account, panel } = await signedIn();
      const email = 'moved@example.org';
      // The form sends the current password with another one alone: typed again it stays.
      const { password } = account;
      const answer = await save(panel, { email, password, currentPassword: password });
      expect(answer.status).toBe(200);
      expect(at(answer.body, 'data')).toMatchObject({ email });
      expect(Boolean((await stored(account))['email_verified'])).toBe(false);
      expect((await signInToPanel(service, account)).status).toBe(400);
      expect(await logIn(service, { email, password })).not.toBeNull();
      await panelOf(service, { email, password });
      expect((await profile(panel))['email']).toBe(email);
    });

    test('that another account has is refused at its field', async () => {
      const { account, panel } = await signedIn();
      const { email } = await newAccount(service, 'user');
      const answer = await save(panel, { email, currentPassword: account.password });
      expect([answer.status, Object.keys(fieldTexts(answer) ?? {})]).toEqual([400, ['email']]);
    });
  });

  describe('a new password', () => {
    const password = 'Another one, 2 for all';

    test('is that of the account, and ends all sessions but this one', async () => {
      const { account, panel } = await signedIn();
      const [other, secret] = [await panelOf(service, account), await logIn(service, account)];
      const answer = await save(panel, { password, currentPassword: account.password });
      expect(answer.status).toBe(200);
      expect(String((await stored(account))['password'])).toMatch(/^\$argon2id\$/);
      expect(await askWith(service, secret)).toBe(401);
      expect((await other.ask('GET', '/admin/users/me')).status).toBe(401);
      expect((await panel.ask('GET', '/admin/users/me')).status).toBe(200);
      expect(await logIn(service, account)).toBeNull();
      await panelOf(service, { ...account, password });
    });

    test.each([
      ['without the current one', { password }, 'currentPassword'],
      ['with a wrong one', { password, currentPassword: 'wrong' }, 'currentPassword'],
      ['that is too short', { password: 'Short 1', currentPassword: 'CURRENT' }, 'password'],
      ['that is common', { password: 'Password123', currentPassword: 'CURRENT' }, 'password'],
    ])('%s is refused at its field', async (_, given, field) => {
      const { account, panel } = await signedIn();
      const before = await stored(account);
      const current = at(given, 'currentPassword') === 'CURRENT';
      const answer = await save(panel, {
        ...given,
        ...(current ? { currentPassword: account.password } : {}),
      });
      expect(answer.status).toBe(400);
      expect(Object.keys(fieldTexts(answer) ?? {})).toEqual([field]);
      expect(await stored(account)).toEqual(before);
      expect((await panel.ask('GET', '/admin/users/me')).status).toBe(200);
    });

    test('cannot be found by trying', async () => {
      const { panel } = await signedIn();
      for (let tries = 0; tries < 10; tries += 1)
        await save(panel, { password, currentPassword: `wrong ${tries}` });
      const answer = await save(panel, { password, currentPassword: 'wrong' });
      expect([answer.status, notice(answer)]).toEqual([429, 'Too many attempts. Try again later.']);
    });
  });

  test.each([
    ['the role', { roles: [1] }],
    ['the state', { isActive: true }],
    ['the role of the account', { accountRole: 'administrator' }],
    ['what is no text', { firstname: { a: 1 } }],
    ['a control character', { firstname: 'a\u0000b' }],
  ])('%s cannot be sent', async (_, changes) => {
    const { account, panel } = await signedIn();
    const before = await stored(account);
    expect((await save(panel, changes)).status).toBe(400);
    expect(await stored(account)).toEqual(before);
  });

  test('the profile of whom the operator has made is as in Strapi', async () => {
    const panel = await panelOf(service, operator);
    const changes = { firstname: 'Olga', email: 'olga2@example.org', username: null };
    const answer = await save(panel, changes);
    expect(answer.status).toBe(200);
    expect(await profile(panel)).toMatchObject({ firstname: 'Olga', email: 'olga2@example.org' });
    await panelOf(service, { ...operator, email: 'olga2@example.org' });
    const back = { firstname: 'Administrator', email: operator.email, username: null };
    expect((await save(panel, back)).status).toBe(200);
  });

  test('what was demoted in the meantime changes nothing', async () => {
    const { account, panel } = await signedIn();
    await changeAccount(service, account.id, { role: 'user' });
    expect((await panel.ask('PUT', '/admin/users/me', { firstname: 'Eve' })).status).toBe(401);
  });
}
