import { uuid } from '../../helpers/ids';
import type { Json } from '../../helpers/json';
import type { Answer, Request } from '../../helpers/http';
import {
  ask,
  hashOf,
  keyOf,
  login,
  personWith,
  responseOf,
  withSite,
  worth,
} from '../../helpers/people';
import { type World } from '../../helpers/world';

/**
 * What ends sessions: a logout, changes of the account. And cookies of no session.
 *
 * @param FRONTEND an origin that may send cookies
 */
export function testEnds(world: () => World, FRONTEND: string): void {
  const CLEARED = 'oms_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax';

  describe('a logout', () => {
    test('ends the session that calls, and no other', async () => {
      const { secrets } = await personWith(world(), 2);
      const answer = await ask(world(), 'POST', 'logout', secrets[0] ?? '', {});
      expect([answer.status, answer.headers['set-cookie']]).toEqual([200, [CLEARED]]);
      expect(await worth(world(), ...secrets)).toEqual([401, 200]);
    });

    test('is done, too, where the session has ended and is still in memory', async () => {
      const { person, secrets } = await personWith(world(), 1);
      const table = world().service.strapi.db.connection('oms_sessions');
      await table.where({ account: person.id }).delete();
      const answer = await ask(world(), 'POST', 'logout', secrets[0] ?? '', {});
      expect([answer.status, answer.headers['set-cookie']]).toEqual([200, [CLEARED]]);
      expect(await worth(world(), ...secrets)).toEqual([401]);
    });

    test('may name the caller, by either name and in any case', async () => {
      const { person, secrets } = await personWith(world(), 3);
      const username = `Name of ${person.id}`;
      const change = { username, current_password: person.password };
      expect(
        (await ask(world(), 'PUT', `user/${person.id}`, secrets[2] ?? '', change)).status,
      ).toBe(200);
      const names = [person.email.toUpperCase(), username.toLowerCase()];
      for (const [position, name] of names.entries()) {
        const secret = secrets[position] ?? '';
        const answer = await ask(world(), 'POST', 'logout', secret, { username: name });
        expect([answer.status, answer.headers['set-cookie']]).toEqual([200, [CLEARED]]);
      }
      expect(await worth(world(), ...secrets)).toEqual([401, 401, 200]);
    });

    test.each(['user', 'moderator'] as const)('of another is not for a %s', async (role) => {
      const [own, other] = [await personWith(world(), 1, role), await personWith(world(), 1)];
      for (const username of [other.person.email, 'nobody@example.org', 'nobody']) {
        const answer = await ask(world(), 'POST', 'logout', own.secrets[0] ?? '', { username });
        expect([answer.status, keyOf(answer)]).toEqual([403, 'API_RESPONSE_NOT_PERMITTED']);
      }
      expect(await worth(world(), ...own.secrets, ...other.secrets)).toEqual([200, 200]);
    });

    test('of another by an administrator ends all that it has', async () => {
      const own = await personWith(world(), 1, 'administrator');
      const other = await personWith(world(), 3);
      const username = other.person.email.toUpperCase();
      const answer = await ask(world(), 'POST', 'logout', own.secrets[0] ?? '', { username });
      expect([answer.status, answer.headers['set-cookie']]).toEqual([200, undefined]);
      expect(await worth(world(), ...own.secrets, ...other.secrets)).toEqual([200, 401, 401, 401]);
    });

    test.each<Record<string, string>>([
      {},
      { Cookie: 'oms_session=x', Origin: FRONTEND },
      { Authorization: 'Bearer x' },
    ])('without a session is done, and clears the cookie: %j', async (headers) => {
      const url = '/api/v0/logout';
      for (const body of [{}, { username: 'nobody' }]) {
        const answer = await world().send({ method: 'POST', url, headers, body });
        expect([answer.status, answer.headers['set-cookie']]).toEqual([200, [CLEARED]]);
      }
    });

    test('has a body that is checked', async () => {
      const { secrets } = await personWith(world(), 1);
      for (const body of [{ username: 5 }, { user: 'x' }, []] as Json[])
        expect((await ask(world(), 'POST', 'logout', secrets[0] ?? '', body)).status).toBe(400);
      expect(await worth(world(), ...secrets)).toEqual([200]);
    });
  });

  describe('a change of the account', () => {
    test('of the password, by its owner, ends all sessions but the one that asks', async () => {
      const { person, secrets } = await personWith(world(), 3);
      const body = { current_password: person.password, password: 'another of mine' };
      expect((await ask(world(), 'POST', 'password', secrets[1] ?? '', body)).status).toBe(200);
      expect(await worth(world(), ...secrets)).toEqual([401, 200, 401]);
      await expect(login(world(), person)).rejects.toThrow('401');
      await login(world(), { ...person, password: body.password });
    });

    const byAdministrator = async (id: string, body: Json | null): Promise<void> => {
      const { secrets } = await personWith(world(), 1, 'administrator');
      const [method, sent] = body === null ? ['DELETE', undefined] : ['PUT', body];
      const answer = await ask(world(), String(method), `user/${id}`, secrets[0] ?? '', sent);
      expect(answer.status).toBe(200);
    };

    test.each([
      ['of the password, by an administrator,', { password: 'chosen by another' }],
      ['that blocks it', { blocked: true }],
      ['that deletes it', null],
    ])('%s ends all sessions at once', async (_, body) => {
      const { person, secrets } = await personWith(world(), 2);
      await byAdministrator(person.id, body);
      expect(await worth(world(), ...secrets)).toEqual([401, 401]);
      const { strapi } = world().service;
      const rows = strapi.db.connection('oms_sessions').where({ account: person.id });
      expect(await rows).toEqual([]);
    });

    test('that unblocks it brings no session back', async () => {
      const { person, secrets } = await personWith(world(), 1);
      await byAdministrator(person.id, { blocked: true });
      await expect(login(world(), person)).rejects.toThrow('401');
      await byAdministrator(person.id, { blocked: false });
      expect(await worth(world(), ...secrets)).toEqual([401]);
      await login(world(), person);
    });

    test('of the role counts at the next request, and ends nothing', async () => {
      const { person, secrets } = await personWith(world(), 2);
      const makes = async (): Promise<number[]> => {
        const found: number[] = [];
        for (const secret of secrets) {
          const body = { scientific_name: `Made ${Math.random()}` };
          found.push((await ask(world(), 'POST', 'taxonomy', secret, body)).status);
        }
        return found;
      };
      expect(await makes()).toEqual([403, 403]);
      await byAdministrator(person.id, { role: 'moderator' });
      expect(await makes()).toEqual([200, 200]);
      await byAdministrator(person.id, { role: 'user' });
      expect(await makes()).toEqual([403, 403]);
    });

    test('of the name is what the history says from then on', async () => {
      const { person, secrets } = await personWith(world(), 1, 'moderator');
      await byAdministrator(person.id, { name: 'Renamed' });
      const body = { scientific_name: `Made by ${person.id}` };
      const made = await ask(world(), 'POST', 'taxonomy', secrets[0] ?? '', body);
      const rows = await world()
        .service.strapi.db.connection('oms_history')
        .where({ object: responseOf(made)['id'] })
        .pluck('actor_name');
      expect(rows).toEqual(['Renamed']);
    });
  });

  describe('a cookie or bearer that no session has', () => {
    const DEAD: readonly (readonly [string, (secret: string) => string])[] = [
      ['made up', () => 'x'.repeat(43)],
      ['too short', () => 'x'],
      ['empty', () => ''],
      ['with a blank in it', (secret) => `${secret} ${secret}`],
      ['the hash of one', (secret) => hashOf(secret)],
      ['another case of one', (secret) => secret.toLowerCase()],
    ];
    const ENDED = [401, 'API_RESPONSE_SESSION_ENDED', undefined];
    /** What is told of a call: status, key, and whether it touches the cookie. */
    const toldOf = (answer: Answer): unknown[] => [
      answer.status,
      keyOf(answer),
      answer.headers['set-cookie'],
    ];
    const cookie = (value: string) => ({ Cookie: `oms_session=${value}`, Origin: FRONTEND });
    const send = (method: string, path: string, headers: Request['headers'], body?: Json) =>
      world().send({ method, url: `/api/v0/${path}`, headers: headers ?? {}, body });

    const CHANGES: readonly (readonly [string, string])[] = [
      ['POST', 'encounter'],
      ['POST', 'user'],
      ['PUT', `encounter/${uuid(1)}`],
      ['DELETE', `encounter/${uuid(1)}`],
      ['POST', `encounter/${uuid(1)}/review`],
      ['POST', 'batch'],
      ['PUT', 'site_settings'],
      ['DELETE', `sessions/${uuid(1)}`],
    ];
    const OPEN = ['search/taxonomy', 'site_settings', 'openapi.json', 'export/taxonomy?format=csv'];
    const CLOSED = ['session', 'sessions', `taxonomy/${uuid(1)}/history`, 'search/history'];

    test.each(DEAD)('makes no change, and is not cleared: %s', async (_, valueOf) => {
      const { secrets } = await personWith(world(), 1);
      const value = valueOf(secrets[0] ?? '');
      for (const headers of [cookie(value), { Authorization: `Bearer ${value}` }])
        for (const [method, path] of CHANGES)
          expect(toldOf(await send(method, path, headers, {}))).toEqual(ENDED);
    });

    test.each(DEAD)('as a bearer reads nothing: %s', async (_, valueOf) => {
      const { secrets } = await personWith(world(), 1);
      const headers = { Authorization: `Bearer ${valueOf(secrets[0] ?? '')}` };
      for (const path of [...OPEN, ...CLOSED])
        expect([path, ...toldOf(await send('GET', path, headers))]).toEqual([path, ...ENDED]);
    });

    test.each(DEAD)('as a cookie reads what anyone may, and is told: %s', async (_, valueOf) => {
      const { secrets } = await personWith(world(), 1);
      const headers = cookie(valueOf(secrets[0] ?? ''));
      for (const path of OPEN) {
        const answer = await send('GET', path, headers);
        const { 'x-session': told, 'set-cookie': set } = answer.headers;
        expect([path, answer.status, told, set]).toEqual([path, 200, 'ended', undefined]);
        const anyone = await send('GET', path, {});
        expect([anyone.status, anyone.headers['x-session']]).toEqual([200, undefined]);
      }
      const missing = await send('GET', `user/${uuid(1)}`, headers);
      expect([missing.status, missing.headers['x-session']]).toEqual([402, 'ended']);
      for (const path of CLOSED)
        expect([path, ...toldOf(await send('GET', path, headers))]).toEqual([path, ...ENDED]);
    });

    test('is no hindrance to those who log in, log out or have lost their password', async () => {
      const { person } = await personWith(world(), 1);
      const calls: readonly (readonly [string, Json, number])[] = [
        ['login', { username: person.email, password: person.password }, 200],
        ['reset', { email: person.email }, 200],
        ['verify', { email: person.email }, 200],
        ['password', { token: 'x', password: 'a meadow at night' }, 400],
        ['logout', {}, 200],
      ];
      for (const headers of [cookie('x'), { Authorization: 'Bearer x' }])
        for (const [path, body, status] of calls)
          expect([path, (await send('POST', path, headers, body)).status]).toEqual([path, status]);
    });

    test('of a session that has just ended makes no report in nobody’s name', async () => {
      const { person, secrets } = await personWith(world(), 2);
      const [secret = '', other = ''] = secrets;
      const body = { current_password: person.password, password: 'another of mine' };
      const reports = world().service.strapi.db.connection('encounters').count({ count: '*' });
      const before: unknown = await reports.clone();
      await withSite(world().service, { anonymousEncounters: true }, async () => {
        expect((await ask(world(), 'POST', 'password', other, body)).status).toBe(200);
        for (const headers of [cookie(secret), { Authorization: `Bearer ${secret}` }])
          expect(toldOf(await send('POST', 'encounter', headers, { sex: 'male' }))).toEqual(ENDED);
      });
      expect(await reports.clone()).toEqual(before);
    });

    test('is told nothing as long as it is not known to be dead', async () => {
      const answer = await send('GET', 'nothing', { Cookie: 'oms_session=x' });
      expect([answer.status, answer.headers['x-session']]).toEqual([404, undefined]);
    });
  });
}
