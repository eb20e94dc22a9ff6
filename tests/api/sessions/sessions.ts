import { accountsOf } from '#app/plugins/accounts/server';
import { Sessions } from '#app/plugins/accounts/server/sessions/sessions';
import { ABSOLUTE, IDLE, MAX_SESSIONS } from '#app/plugins/accounts/server/sessions/store';
import { databaseOf } from '#app/plugins/objects/server';
import { statementOf } from '#app/plugins/objects/server/database/sql';
import { ApiError } from '#app/core/errors';
import { testDatabase } from '../../helpers/database';
import { idsOf } from '../../helpers/ids';
import { at, type Json } from '../../helpers/json';
import {
  ask,
  hashOf,
  keyOf,
  login,
  makePerson,
  personWith,
  responseOf,
  worth,
} from '../../helpers/people';
import { runScenarios } from '../../helpers/scenario';
import type { World } from '../../helpers/world';

const uuid = idsOf(2);

/** What every user may make. */
const OBJECTS = ['collaboration', 'encounter', 'individual', 'org'];

/** Sessions and their list, on a shared service. */
export function testSessions(world: () => World, frontend: string): void {
  const table = () => world().service.strapi.db.connection('oms_sessions');
  const listed = async (secret: string): Promise<Json[]> =>
    responseOf(await ask(world(), 'GET', 'sessions', secret))['sessions'] as Json[];

  describe('GET session', () => {
    test.each([
      ['user', ['asset', ...OBJECTS, 'user'], false, false],
      ['moderator', ['asset', ...OBJECTS, 'taxonomy', 'user'], true, false],
      ['administrator', ['asset', ...OBJECTS, 'taxonomy', 'user'], true, true],
    ] as const)('tells a %s who it is and what it may', async (role, create, panel, settings) => {
      const { person, secrets } = await personWith(world(), 1, role);
      const { user, may } = responseOf(await ask(world(), 'GET', 'session', secrets[0] ?? ''));
      expect(user).toMatchObject({ id: person.id, email: person.email, role });
      const types = (at(may, 'create') as string[]).toSorted();
      expect({ ...(may as Json), create: types }).toEqual({
        create,
        panel,
        site_settings: settings,
      });
    });

    test('is 401 after the account is deleted, although the session is still cached', async () => {
      const { person, secrets } = await personWith(world(), 1);
      await world()
        .service.strapi.db.connection('up_users')
        .where({ document_id: person.id })
        .delete();
      const answer = await ask(world(), 'GET', 'session', secrets[0] ?? '');
      expect([answer.status, keyOf(answer)]).toEqual([401, 'API_RESPONSE_SESSION_ENDED']);
    });

    runScenarios(world, [
      ...['session', 'sessions', 'session?x=1', 'sessions?x=1'].map((path) => ({
        name: `GET ${path} is for who has a session`,
        method: 'GET',
        url: `/api/v0/${path}`,
        expect: { status: 401, key: 'LOGIN_REQUIRED' },
      })),
      {
        name: 'nobody ends a session without one',
        method: 'DELETE',
        url: `/api/v0/sessions/${uuid(1)}`,
        expect: { status: 401, key: 'LOGIN_REQUIRED' },
      },
      {
        name: 'GET session takes no parameters',
        as: 'user',
        method: 'GET',
        url: '/api/v0/session?user=x',
        expect: { status: 400, key: 'MALFORMED', invalid: [['user', 'UNKNOWN']] },
      },
    ]);
  });

  describe('the sessions of a person', () => {
    test('are listed, their own alone, with the program and the time, and without their secrets', async () => {
      const person = await makePerson(world().service);
      const before = Date.now();
      const first = await login(world(), person, { 'User-Agent': 'a phone' });
      const second = await login(world(), person, { 'User-Agent': `old ${'x'.repeat(400)}` });
      await personWith(world(), 1);
      const sessions = await listed(second);
      expect(sessions).toHaveLength(2);
      expect(sessions.map(({ user_agent, current }) => [user_agent, current]).sort()).toEqual([
        ['a phone', false],
        [`old ${'x'.repeat(251)}`, true],
      ]);
      for (const session of sessions) {
        for (const name of ['created_at', 'last_used_at']) {
          const time = Date.parse(String(session[name]));
          expect([name, time >= before && time <= Date.now()]).toEqual([name, true]);
        }
      }
      const text = JSON.stringify(sessions);
      for (const secret of [first, second]) {
        expect(text).not.toContain(secret);
        expect(text).not.toContain(hashOf(secret));
      }
    });

    test('end one by one, by their owner', async () => {
      const { secrets } = await personWith(world(), 3);
      const [first = '', second = '', third = ''] = secrets;
      const other = (await listed(second)).find(({ current }) => current);
      expect(
        (await ask(world(), 'DELETE', `sessions/${String(other?.['id'])}`, first)).status,
      ).toBe(200);
      expect(await worth(world(), first, second, third)).toEqual([200, 401, 200]);
      const again = await ask(world(), 'DELETE', `sessions/${String(other?.['id'])}`, first);
      expect([again.status, keyOf(again)]).toEqual([402, 'API_RESPONSE_ENTITY_NOT_FOUND']);
    });

    test('end when it is the one that asks, and its cookie stays until the logout', async () => {
      const { secrets } = await personWith(world(), 1);
      const [own] = await listed(secrets[0] ?? '');
      const answer = await world().send({
        method: 'DELETE',
        url: `/api/v0/sessions/${String(own?.['id']).toUpperCase()}`,
        headers: { Cookie: `oms_session=${secrets[0]}`, Origin: frontend },
      });
      expect(answer.status).toBe(200);
      expect(answer.headers['set-cookie']).toBeUndefined();
      expect(await worth(world(), ...secrets)).toEqual([401]);
    });

    test.each(['another person’s', 'the hash of one', 'none', 'x', '%00', 'very long'])(
      'do not end by %s ID',
      async (what) => {
        const { secrets } = await personWith(world(), 1);
        const other = await personWith(world(), 1, 'administrator');
        const theirs = (await listed(other.secrets[0] ?? ''))[0]?.['id'];
        const ids: Readonly<Record<string, string>> = {
          'another person’s': String(theirs),
          'the hash of one': hashOf(other.secrets[0] ?? ''),
          none: uuid(9),
          'very long': 'x'.repeat(5000),
        };
        const answer = await ask(
          world(),
          'DELETE',
          `sessions/${ids[what] ?? what}`,
          secrets[0] ?? '',
        );
        expect([answer.status, keyOf(answer)]).toEqual([402, 'API_RESPONSE_ENTITY_NOT_FOUND']);
        expect(await worth(world(), ...other.secrets, ...secrets)).toEqual([200, 200]);
      },
    );

    test('are fifty at most: the oldest end', async () => {
      expect(MAX_SESSIONS).toBe(50);
      const { person, secrets } = await personWith(world(), 2);
      const now = Date.now();
      const others = Array.from({ length: 48 }, (_, index) => ({
        hash: hashOf(`another of ${person.id}, ${index}`),
        id: uuid(0x5e55 + index),
        account: person.id,
        created_at: now - 1000 - index,
        last_used_at: now,
        user_agent: '',
      }));
      await table().insert(others);
      await table()
        .where({ hash: hashOf(secrets[0] ?? '') })
        .update({ created_at: now - 2000 });
      const further = await login(world(), person);
      expect(await table().where({ account: person.id })).toHaveLength(50);
      expect(await worth(world(), ...secrets, further)).toEqual([401, 200, 200]);
    });
  });

  describe('a session in the database', () => {
    test('is kept as its SHA-256 alone', async () => {
      const { person, secrets } = await personWith(world(), 1);
      const [secret = ''] = secrets;
      const { connection } = world().service.strapi.db;
      const tables = await tableNames();
      expect(tables).toEqual(expect.arrayContaining(['oms_sessions', 'up_users']));
      let found = 0;
      for (const name of tables) {
        const text = JSON.stringify(await connection(name).select());
        expect([name, text.includes(secret), text.includes(person.password)]).toEqual([
          name,
          false,
          false,
        ]);
        if (text.includes(hashOf(secret))) found += 1;
      }
      expect(found).toBe(1);
    });

    test.each([
      ['14 days after its last use', IDLE, 14, { last_used_at: true }],
      ['90 days after the login', ABSOLUTE, 90, { created_at: true }],
    ] as const)('ends %s', async (_, lifetime, days, columns) => {
      expect(lifetime).toBe(days * 86_400_000);
      const person = await makePerson(world().service);
      const [early, late] = [await login(world(), person), await login(world(), person)];
      const age = async (secret: string, milliseconds: number): Promise<void> => {
        const at = Date.now() - milliseconds;
        const change = Object.fromEntries(Object.keys(columns).map((name) => [name, at]));
        await table()
          .where({ hash: hashOf(secret) })
          .update(change);
      };
      await age(early, lifetime - 60_000);
      await age(late, lifetime);
      expect(await worth(world(), early, late)).toEqual([200, 401]);
      expect(await listed(early)).toHaveLength(1);
    });

    test('ends while it is kept in memory, too', async () => {
      const { secrets } = await personWith(world(), 1);
      let now = Date.now();
      const sessions = new Sessions(databaseOf(world().service.strapi), jest.fn(), () => now);
      const results: boolean[] = [];
      for (const days of [0, 13, 13, 15]) {
        now += days * 86_400_000;
        results.push((await sessions.callerOf(secrets[0] ?? '')) !== null);
        await sessions.stop();
      }
      expect(results).toEqual([true, true, true, false]);
    });

    test('says when it was last used', async () => {
      const { person, secrets } = await personWith(world(), 1);
      const [secret = ''] = secrets;
      const long = Date.now() - 86_400_000;
      const row = () =>
        table()
          .where({ hash: hashOf(secret) })
          .first<{ last_used_at: unknown }>();
      await table()
        .where({ hash: hashOf(secret) })
        .update({ last_used_at: long });
      accountsOf(world().service.strapi).sessions().invalidate(person.id);
      const before = Date.now();
      await worth(world(), secret);
      await accountsOf(world().service.strapi).sessions().stop();
      accountsOf(world().service.strapi).sessions().start();
      expect(Number((await row()).last_used_at)).toBeGreaterThanOrEqual(before);
    });

    test('is not read from the database by each request', async () => {
      const { person, secrets } = await personWith(world(), 1);
      const spy = jest.spyOn(databaseOf(world().service.strapi), 'read');
      const asked = async (): Promise<number> => {
        spy.mockClear();
        await ask(world(), 'GET', `user/${uuid(1)}`, secrets[0] ?? '');
        return spy.mock.calls.filter(([given]) =>
          statementOf(given).sql.sqlite.includes('oms_sessions'),
        ).length;
      };
      // Where others may change it, it is asked for every two seconds.
      const counts = [await asked(), await asked(), await asked(), await asked()];
      expect(Math.min(...counts)).toBe(0);
      accountsOf(world().service.strapi).sessions().invalidate(person.id);
      expect(await asked()).toBe(1);
      spy.mockRestore();
    });

    test('is 503 while the database is unavailable, and never 401', async () => {
      const { secrets } = await personWith(world(), 1);
      const fresh = await login(world(), await makePerson(world().service));
      const spy = jest.spyOn(databaseOf(world().service.strapi), 'read').mockImplementation(() => {
        throw new ApiError('UNAVAILABLE', {}, [], { 'Retry-After': '1' });
      });
      for (const secret of [fresh, 'x'.repeat(43)]) {
        const answer = await world().send({
          method: 'GET',
          url: '/api/v0/session',
          headers: { Cookie: `oms_session=${secret}` },
        });
        expect([answer.status, keyOf(answer)]).toEqual([503, 'API_RESPONSE_UNAVAILABLE']);
        expect(answer.headers['set-cookie']).toBeUndefined();
      }
      spy.mockRestore();
      expect(await worth(world(), fresh, ...secrets)).toEqual([200, 200]);
    });
  });

  async function tableNames(): Promise<string[]> {
    const { connection } = world().service.strapi.db;
    if (testDatabase === 'sqlite') {
      const rows = await connection('sqlite_master').where({ type: 'table' }).pluck('name');
      return rows as string[];
    }
    return (await connection('pg_tables')
      .where({ schemaname: 'public' })
      .pluck('tablename')) as string[];
  }
}
