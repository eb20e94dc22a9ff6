import {
  askWith,
  changeAccount,
  logIn,
  newAccount,
  type TestAccount,
} from '../../helpers/accounts';
import { service as itself } from '#app/core/caller';
import { objectsOf } from '#app/plugins/objects/server';
import { asObject, at, parsed, type Json } from '../../helpers/json';
import {
  documents,
  fieldTexts,
  form,
  link,
  notice,
  operator,
  panelOf,
  signInToPanel,
  type Panel,
  type PanelAnswer,
} from '../../helpers/panel';
import type { TestService } from '../../helpers/service';
import { historyOf } from '../../helpers/snapshot';

/** Accounts in the panel, on a shared service. */
export function testAccounts(started: () => TestService): void {
  const USERS = documents('user');

  let service: TestService;
  let administrator: TestAccount;
  let panel: Panel;
  beforeAll(async () => {
    service = started();
    administrator = await newAccount(service, 'administrator');
    panel = await panelOf(service, administrator);
  });

  /** Saves the form of an account, as the panel does. */
  async function save({ id }: TestAccount, changes: Json, by = panel): Promise<PanelAnswer> {
    return by.ask('PUT', `${USERS}/${id}`, form(await by.open('user', id), changes));
  }

  /** Leaves one administrator. */
  async function demoteOthers(): Promise<void> {
    const others = await service.strapi.db
      .connection<{ document_id: string }>('up_users')
      .where('account_role', 'administrator')
      .whereNot('document_id', administrator.id)
      .select();
    for (const { document_id: id } of others) await changeAccount(service, id, { role: 'user' });
  }

  const stored = async (id: string): Promise<Json | undefined> =>
    service.strapi.db.connection<Json>('up_users').where({ document_id: id }).first();

  describe('an account in the list', () => {
    test('is made with a password that is hashed our way, and works at once', async () => {
      const email = 'made@example.org';
      const password = 'Made in the panel, 1';
      const answer = await panel.ask('POST', USERS, {
        name: 'Made here',
        email,
        password,
        accountRole: 'moderator',
        blocked: false,
        emailVerified: false,
        version: 1,
      });
      expect([answer.status, answer.body]).toMatchObject([201, {}]);
      const id = String(at(answer.body, 'data', 'documentId'));
      expect(String((await stored(id))?.['password'])).toMatch(/^\$argon2id\$/);
      expect(JSON.stringify(answer.body)).not.toContain('argon2id');
      expect(await logIn(service, { email, password })).not.toBeNull();
      await panelOf(service, { email, password });
      expect((await historyOf(service, id)).at(0)).toMatchObject({
        action: 'create',
        actor_id: administrator.id,
        actor_name: administrator.name,
      });
    });

    test('is made without one, and invited', async () => {
      const email = 'invited@example.org';
      for (const password of [undefined, '', null]) {
        const answer = await panel.ask('POST', USERS, {
          name: 'Invited',
          email: `${String(password)}${email}`,
          accountRole: 'user',
          password,
        });
        expect(answer.status).toBe(201);
        const id = String(at(answer.body, 'data', 'documentId'));
        expect((await stored(id))?.['password']).toBeNull();
      }
    });

    test('shows faults at their fields', async () => {
      const other = await newAccount(service, 'user');
      const user = { name: 'X', email: other.email, password: 'short', accountRole: 'user' };
      const faultsOf = async (changes: Json): Promise<string[]> => {
        const answer = await panel.ask('POST', USERS, { ...user, ...changes });
        expect(answer.status).toBe(400);
        return Object.keys(fieldTexts(answer) ?? {}).sort();
      };
      expect(await faultsOf({ email: 'x', website: 'x' })).toEqual([
        'email',
        'password',
        'website',
      ]);
      expect(await faultsOf({ password: 'long enough, 1' })).toEqual(['email']);
    });

    test('gets another role, which counts at once', async () => {
      const account = await newAccount(service, 'administrator');
      const [secret, other] = [await logIn(service, account), await panelOf(service, account)];
      expect((await save(account, { accountRole: 'user' })).status).toBe(200);
      expect(await askWith(service, secret)).toBe(200);
      expect((await other.ask('GET', '/admin/users/me')).status).toBe(401);
      expect((await save(account, { accountRole: 'moderator' })).status).toBe(200);
      await panelOf(service, account);
      expect((await historyOf(service, account.id)).at(-1)).toMatchObject({
        actor_id: administrator.id,
        changes: [{ path: 'role', before: 'user', after: 'moderator' }],
      });
    });

    test('gets another password, which ends its sessions', async () => {
      const account = await newAccount(service, 'moderator');
      const [secret, other] = [await logIn(service, account), await panelOf(service, account)];
      const password = 'Set in the panel, 1';
      expect((await save(account, { password })).status).toBe(200);
      expect(String((await stored(account.id))?.['password'])).toMatch(/^\$argon2id\$/);
      expect(await askWith(service, secret)).toBe(401);
      expect((await other.ask('GET', '/admin/users/me')).status).toBe(401);
      expect(await logIn(service, { ...account, password })).not.toBeNull();
    });

    test.each(['', null])('keeps its password when the field is %p', async (password) => {
      const account = await newAccount(service, 'user');
      const secret = await logIn(service, account);
      expect((await save(account, { password, affiliation: 'Zoo' })).status).toBe(200);
      expect(await stored(account.id)).toMatchObject({ affiliation: 'Zoo' });
      expect(await askWith(service, secret)).toBe(200);
      expect(await logIn(service, account)).not.toBeNull();
    });

    test('follows whom its form links and no longer whom it unlinks', async () => {
      const account = await newAccount(service, 'user');
      const others = [await newAccount(service, 'user'), await newAccount(service, 'user')];
      const linked = await Promise.all(
        others.map(async ({ id }) => link(await panel.open('user', id))),
      );
      const followed = async (): Promise<unknown> => {
        const { text } = await objectsOf(service.strapi).read('user', account.id, itself);
        return asObject(parsed(text))['followed_users'];
      };
      const [first, second] = linked;
      const follow = async (changes: Json): Promise<number> =>
        (await save(account, { followedUsers: changes })).status;
      expect(await follow({ connect: linked, disconnect: [] })).toBe(200);
      expect(await followed()).toEqual(others.map(({ id }) => id));
      expect((await save(account, { affiliation: 'Zoo' })).status).toBe(200);
      expect(await followed()).toEqual(others.map(({ id }) => id));
      expect(await follow({ connect: [], disconnect: [first] })).toBe(200);
      expect(await followed()).toEqual([others[1]?.id]);
      expect(await follow({ connect: [second], disconnect: [] })).toBe(200);
      expect(await followed()).toEqual([others[1]?.id]);
    });

    test('keeps the relation that Strapi has and the wire has not', async () => {
      const account = await newAccount(service, 'user');
      const role = { connect: [{ id: 1 }], disconnect: [] };
      expect((await save(account, { role, affiliation: 'Zoo' })).status).toBe(200);
      expect(await stored(account.id)).toMatchObject({ account_role: 'user', affiliation: 'Zoo' });
    });

    test('is blocked and let in again', async () => {
      const account = await newAccount(service, 'moderator');
      const [secret, other] = [await logIn(service, account), await panelOf(service, account)];
      expect((await save(account, { blocked: true })).status).toBe(200);
      expect(await askWith(service, secret)).toBe(401);
      expect((await other.ask('GET', '/admin/users/me')).status).toBe(401);
      expect((await save(account, { blocked: false })).status).toBe(200);
      await panelOf(service, account);
    });

    test('that was changed in the meantime is not saved over', async () => {
      const account = await newAccount(service, 'user');
      const opened = await panel.open('user', account.id);
      await changeAccount(service, account.id, { name: 'Changed meanwhile' });
      const answer = await panel.ask(
        'PUT',
        `${USERS}/${account.id}`,
        form(opened, { name: 'Too late' }),
      );
      expect(answer.status).toBe(400);
      expect(await stored(account.id)).toMatchObject({ name: 'Changed meanwhile' });
    });

    test('is erased like by the API when it is deleted', async () => {
      const account = await newAccount(service, 'moderator');
      const [secret, other] = [await logIn(service, account), await panelOf(service, account)];
      const id = await other.create('encounter', { time: '2024-01' });
      await changeAccount(service, account.id, { affiliation: 'Zoo' });
      const answer = await panel.ask('DELETE', `${USERS}/${account.id}`);
      expect(answer.status).toBe(200);
      expect(await stored(account.id)).toBeUndefined();
      expect(await historyOf(service, account.id)).toEqual([]);
      expect(await askWith(service, secret)).toBe(401);
      expect((await other.ask('GET', '/admin/users/me')).status).toBe(401);
      expect((await historyOf(service, String(id['documentId']))).at(0)).toMatchObject({
        action: 'create',
        actor_id: null,
      });
    });

    test('is deleted with others, whole or not at all', async () => {
      await demoteOthers();
      const accounts = [await newAccount(service, 'user'), await newAccount(service, 'moderator')];
      const ids = accounts.map(({ id }) => id);
      await panelOf(service, accounts[1] ?? administrator);
      const remove = (documentIds: readonly string[]): Promise<PanelAnswer> =>
        panel.ask('POST', `${USERS}/actions/bulkDelete`, { documentIds });
      expect((await remove([...ids, administrator.id])).status).toBe(400);
      for (const id of ids) expect(await stored(id)).toBeDefined();
      expect((await signInToPanel(service, accounts[1] ?? administrator)).status).toBe(200);
      expect((await remove(ids)).status).toBe(200);
      for (const id of ids) expect(await stored(id)).toBeUndefined();
      const email = accounts[1]?.email;
      expect(await service.strapi.db.query('admin::user').count({ where: { email } })).toBe(0);
    });
  });

  describe('the last administrator', () => {
    test.each([
      ['deleted', (): Promise<PanelAnswer> => panel.ask('DELETE', `${USERS}/${administrator.id}`)],
      ['demoted', (): Promise<PanelAnswer> => save(administrator, { accountRole: 'moderator' })],
      ['blocked', (): Promise<PanelAnswer> => save(administrator, { blocked: true })],
    ])('is not %s', async (_, act) => {
      await demoteOthers();
      const answer = await act();
      expect(answer.status).toBe(400);
      expect(notice(answer)).toContain('This is the last administrator: name another one first.');
      expect(await stored(administrator.id)).toMatchObject({ account_role: 'administrator' });
      expect((await panel.ask('GET', '/admin/users/me')).status).toBe(200);
    });
  });

  describe('whoever works in the panel', () => {
    test('is named in the history by the account', async () => {
      const account = await newAccount(service, 'moderator');
      const other = await panelOf(service, account);
      const made = await other.create('encounter', { time: '2024-02' });
      const [entry] = await historyOf(service, String(made['documentId']));
      expect(entry).toMatchObject({
        actor_kind: 'user',
        actor_id: account.id,
        actor_name: account.name,
      });
    });

    test('and by the name in Strapi, where the operator has made it there', async () => {
      const other = await panelOf(service, operator);
      const made = await other.create('encounter', { time: '2024-03' });
      const [entry] = await historyOf(service, String(made['documentId']));
      expect(entry).toMatchObject({
        actor_kind: 'user',
        actor_id: null,
        actor_name: 'Administrator',
      });
    });

    test('does not take an account over by its own entry: address and password want the current one', async () => {
      for (const changes of [{ email: 'eve@example.org' }, { password: 'A new one, 1 for me' }]) {
        const answer = await save(administrator, changes);
        expect(answer.status).toBe(400);
        expect(notice(answer)).toContain('profile');
      }
      expect(await stored(administrator.id)).toMatchObject({ email: administrator.email });
      expect((await save(administrator, { affiliation: 'Zoo' })).status).toBe(200);
    });

    test('has no more rights there than by the API, whatever the panel lets through', async () => {
      const account = await newAccount(service, 'moderator');
      const other = await panelOf(service, account);
      const role = asObject(
        await service.strapi.db.query('admin::role').findOne({ where: { code: 'oms-moderator' } }),
      );
      const fields = ['name', 'email', 'accountRole', 'version'];
      const permissions = service.strapi.db.query('admin::permission');
      const granted = asObject(
        await permissions.create({
          data: {
            action: 'plugin::content-manager.explorer.update',
            subject: 'plugin::users-permissions.user',
            properties: { fields },
            conditions: [],
            actionParameters: {},
            role: role['id'],
          },
        }),
      );
      const victim = await newAccount(service, 'user');
      try {
        for (const [target, changes] of [
          [victim, { name: 'Changed' }],
          [account, { accountRole: 'administrator' }],
        ] as const) {
          const answer = await other.ask('PUT', `${USERS}/${target.id}`, changes);
          expect(answer.status).toBe(400);
        }
      } finally {
        await permissions.delete({ where: { id: granted['id'] } });
      }
      expect(await stored(victim.id)).toMatchObject({ name: victim.name });
      expect(await stored(account.id)).toMatchObject({ account_role: 'moderator' });
    });
  });
}
