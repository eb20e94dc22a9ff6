import * as hash from '#app/plugins/accounts/server/passwords/hash';
import { issueToken } from '#app/plugins/accounts/server/tokens/tokens';
import { databaseOf } from '#app/plugins/objects/server';
import { ACCOUNTS, authorizationOf, openToRoles } from '../../helpers/callers';
import { idsOf } from '../../helpers/ids';
import { play, runScenarios, stepsOf, type Scenario } from '../../helpers/scenario';
import { historyOf } from '../../helpers/snapshot';
import { story, type Step } from '../../helpers/story';
import type { World } from '../../helpers/world';

const uuid = idsOf(2);

/** The update of users, on a shared service. */
export function testUpdate(world: () => World): void {
  const own = `/api/v0/user/${ACCOUNTS.user}`;
  const CURRENT = 'correct horse battery';
  const ENCOUNTER = uuid(0xe0);

  beforeAll(async () => {
    await openToRoles(world().service);
    const knex = world().service.strapi.db.connection;
    const password = await hash.hashPassword(CURRENT);
    await knex('up_users').where({ document_id: ACCOUNTS.user }).update({ password });
  });

  // Other tests of the service read the account, too.
  afterAll(async () => {
    const body = { name: 'A user', website: null, affiliation: null, username: null };
    const headers = authorizationOf('administrator');
    expect((await world().send({ method: 'PUT', url: own, headers, body })).status).toBe(200);
  });

  const put = (
    name: string,
    as: Scenario['as'],
    body: object,
    expected: Scenario['expect'],
  ): Scenario => ({
    name,
    ...(as ? { as } : {}),
    method: 'PUT',
    url: own,
    body,
    expect: expected,
  });
  const NOT_PERMITTED = { status: 403, key: 'NOT_PERMITTED' };
  const forbidden = (path: string): Scenario['expect'] => ({
    status: 403,
    key: 'FIELD_NOT_PERMITTED',
    invalid: [[path, 'NOT_PERMITTED']],
  });

  describe('an account is changed', () => {
    runScenarios(world, [
      put(
        'not without a login',
        'anonymous',
        { name: 'X' },
        { status: 401, key: 'LOGIN_REQUIRED' },
      ),
      put('not by a moderator', 'moderator', { name: 'X' }, NOT_PERMITTED),
      {
        ...put('not by another user', 'user', { name: 'X' }, NOT_PERMITTED),
        url: `/api/v0/user/${ACCOUNTS.moderator}`,
      },
      put('by an administrator', 'administrator', { affiliation: 'Here' }, { status: 200 }),
      put('by itself', 'user', { name: 'New', website: 'https://example.org' }, { status: 200 }),
      put('to no higher role by itself', 'user', { role: 'administrator' }, forbidden('role')),
      put('to the role that it has already by itself', 'user', { role: 'user' }, { status: 200 }),
      put('to no other state by itself', 'user', { blocked: false }, forbidden('blocked')),
      put(
        'to no other password by itself here',
        'user',
        { password: 'another horse' },
        forbidden('password'),
      ),
      {
        ...put(
          'to no other password by itself here, as an administrator either',
          'administrator',
          { password: 'another horse' },
          forbidden('password'),
        ),
        url: `/api/v0/user/${ACCOUNTS.administrator}`,
      },
      put(
        'by itself, and all that it may not is told',
        'user',
        { role: 'moderator', password: 'another horse', blocked: true },
        {
          status: 403,
          key: 'FIELD_NOT_PERMITTED',
          invalid: [
            ['role', 'NOT_PERMITTED'],
            ['blocked', 'NOT_PERMITTED'],
            ['password', 'NOT_PERMITTED'],
          ],
        },
      ),
      put(
        'to no verified address by anybody',
        'administrator',
        { email_verified: true },
        {
          status: 400,
          key: 'MALFORMED',
          invalid: [['email_verified', 'NOT_WRITABLE']],
        },
      ),
      put(
        'to no name of nothing',
        'user',
        { name: null },
        {
          status: 400,
          key: 'MALFORMED',
          invalid: [['name', 'REQUIRED']],
        },
      ),
      put(
        'to a photo that is one of its own images, of which there are none yet',
        'user',
        { photo_id: '/api/v0/asset/x/file' },
        {
          status: 400,
          key: 'MALFORMED',
          invalid: [['photo_id', 'NO_SUCH', { type: 'asset' }]],
        },
      ),
    ]);
  });

  describe('a new address or user name of one’s own', () => {
    const changes: readonly Scenario[] = [
      put(
        'wants the current password',
        'user',
        { email: 'new@example.org' },
        {
          status: 400,
          key: 'MALFORMED',
          invalid: [['current_password', 'REQUIRED']],
        },
      ),
      put(
        'wants the right one',
        'user',
        { username: 'newt', current_password: 'wrong' },
        {
          status: 403,
          key: 'PASSWORD_WRONG',
          invalid: [['current_password', 'PASSWORD_WRONG']],
        },
      ),
      put(
        'comes with it',
        'user',
        { username: 'newt', current_password: CURRENT },
        { status: 200 },
      ),
      put('that is the old one wants nothing', 'user', { username: 'newt' }, { status: 200 }),
      put(
        'that holds an @ in another form is none',
        'user',
        { username: 'user＠example.org', current_password: CURRENT },
        { status: 400, key: 'MALFORMED', invalid: [['username', 'FORMAT']] },
      ),
      put(
        'that somebody has is told to whoever has the password alone',
        'user',
        { email: 'moderator@example.org' },
        { status: 400, key: 'MALFORMED', invalid: [['current_password', 'REQUIRED']] },
      ),
      put(
        'in another spelling alone',
        'user',
        { email: 'USER@example.org', current_password: CURRENT },
        { status: 200 },
      ),
      {
        name: 'in another spelling alone stays verified',
        as: 'user',
        method: 'GET',
        url: own,
        expect: { status: 200, response: { email: 'USER@example.org', email_verified: true } },
      },
      put(
        'is not verified any more',
        'user',
        { email: 'new@example.org', current_password: CURRENT },
        { status: 200 },
      ),
      {
        name: 'is unverified when it is read',
        as: 'user',
        method: 'GET',
        url: own,
        expect: { status: 200, response: { email: 'new@example.org', email_verified: false } },
      },
      put(
        'of an administrator wants the password of nobody',
        'administrator',
        { email: 'user@example.org' },
        { status: 200 },
      ),
    ];

    story('takes the current password, and has to be verified', [
      ...stepsOf(world, changes),
      [
        'is in the history, the password is not',
        async () => {
          const entries = await historyOf(world().service, ACCOUNTS.user);
          const paths = entries.flatMap(({ changes }) => changes.map(({ path }) => path));
          expect(paths).toContain('email');
          expect(paths).not.toContain('current_password');
          expect(JSON.stringify(entries)).not.toContain(CURRENT);
          expect(JSON.stringify(entries)).not.toContain('argon2');
          const [first] = entries.filter(({ actor_id: id }) => id === ACCOUNTS.user);
          expect(first).toMatchObject({ actor_kind: 'user', actor_name: 'A user' });
        },
      ],
      [
        'is verified again',
        async () => {
          const letter = { account: ACCOUNTS.user, email: 'user@example.org' };
          const token = await databaseOf(world().service.strapi).write(() =>
            issueToken({ kind: 'verify', ...letter }, Date.now()),
          );
          const request = { method: 'POST', url: '/api/v0/verify', body: { token } };
          expect((await world().send(request)).status).toBe(200);
        },
      ],
    ]);

    test('does not outlive a reset that happens after the password was proven', async () => {
      const { strapi } = world().service;
      type Row = { document_id: string; password: string; email: string };
      const row = () => strapi.db.connection<Row>('up_users').where('document_id', ACCOUNTS.user);
      const before = await row().first('password', 'email');
      const proof = jest.spyOn(hash, 'isPassword').mockImplementationOnce(async () => {
        await row().update({ password: 'the hash of another one' });
        return true;
      });
      const body = { email: 'thief@example.org', current_password: CURRENT };
      const headers = authorizationOf('user');
      const answer = await world().send({ method: 'PUT', url: own, headers, body });
      proof.mockRestore();
      expect([answer.status, answer.text]).toEqual([
        400,
        expect.stringContaining('current_password'),
      ]);
      expect(await row().first('email')).toEqual({ email: before?.email });
      await row().update({ password: before?.password });
    });
  });

  describe('what a user follows', () => {
    beforeAll(async () => {
      const answer = await world()
        .service.request.post('/api/v0/encounter')
        .set('Authorization', `Bearer ${'test-session-of-moderator'.padEnd(43, '-')}`)
        .send({ id: ENCOUNTER });
      expect(answer.status).toBe(200);
    });

    const follows = (name: string, followed: object, expected: Scenario['expect']): Scenario =>
      put(name, 'user', followed, expected);
    const reads = (name: string, response: Record<string, unknown>): Scenario => ({
      name,
      as: 'user',
      method: 'GET',
      url: `${own}?fields=followed_users,followed_encounters`,
      expect: { status: 200, response },
    });
    const [A, B] = [ACCOUNTS.moderator, ACCOUNTS.administrator];
    /** An encounter that waits for its review. */
    async function storeHidden(id: string): Promise<void> {
      const headers = authorizationOf('moderator');
      await world().send({ method: 'POST', url: '/api/v0/encounter', headers, body: { id } });
      const knex = world().service.strapi.db.connection;
      await knex('encounters').where({ document_id: id }).update({ state: 'pending' });
    }

    const written: readonly Scenario[] = [
      follows(
        'is written whole',
        { followed_users: [A, B], followed_encounters: [ENCOUNTER] },
        { status: 200 },
      ),
      reads('is read in its order', { followed_users: [A, B], followed_encounters: [ENCOUNTER] }),
      follows(
        'is written whole again',
        { followed_users: [B, ACCOUNTS.user, A, B] },
        { status: 200 },
      ),
      reads('is read in the new order, each once', { followed_users: [B, ACCOUNTS.user, A] }),
      follows(
        'is nobody who does not exist',
        { followed_users: [A, uuid(0xdead)] },
        {
          status: 400,
          key: 'MALFORMED',
          invalid: [['followed_users.1', 'NO_SUCH', { type: 'user' }]],
        },
      ),
    ];

    const kept: Step = [
      'stays what it is when it can be read no more, and is nothing that could not be read when it was added',
      async () => {
        const hidden = uuid(0xe1);
        await storeHidden(hidden);
        await world()
          .service.strapi.db.connection('encounters')
          .where({ document_id: ENCOUNTER })
          .update({ state: 'pending' });
        await play(
          world(),
          follows(
            'kept',
            { followed_encounters: [ENCOUNTER], followed_users: [A] },
            { status: 200 },
          ),
        );
        await play(world(), reads('still followed', { followed_encounters: [ENCOUNTER] }));
        await play(
          world(),
          follows(
            'added',
            { followed_encounters: [hidden, ENCOUNTER] },
            {
              status: 400,
              key: 'MALFORMED',
              invalid: [['followed_encounters.0', 'NO_SUCH', { type: 'encounter' }]],
            },
          ),
        );
        await play(
          world(),
          follows('as before', { followed_users: [B, ACCOUNTS.user, A] }, { status: 200 }),
        );
      },
    ];

    const gone: readonly Scenario[] = [
      {
        name: 'goes with what is followed',
        as: 'moderator',
        method: 'DELETE',
        url: `/api/v0/encounter/${ENCOUNTER}`,
        expect: { status: 200 },
      },
      reads('is read without it', {
        followed_users: [B, ACCOUNTS.user, A],
        followed_encounters: [],
      }),
    ];

    const told: Step = [
      'and what came of a deletion is a change of the user',
      async () => {
        const entries = await historyOf(world().service, ACCOUNTS.user);
        expect(entries.at(-1)).toMatchObject({
          action: 'update',
          actor_id: ACCOUNTS.moderator,
          changes: [{ path: 'followed_encounters', before: [ENCOUNTER], after: [] }],
        });
      },
    ];

    story('is written, kept and lost', [
      ...stepsOf(world, written),
      kept,
      ...stepsOf(world, gone),
      told,
    ]);
  });
}
