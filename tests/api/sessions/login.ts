import * as hash from '#app/plugins/accounts/server/passwords/hash';
import { at, parsed, type Json } from '../../helpers/json';
import {
  bearer,
  keyOf,
  login,
  makePerson,
  responseOf,
  tryLogin,
  withSite,
  worth,
  type Person,
} from '../../helpers/people';
import { runScenarios, type Fault, type Scenario } from '../../helpers/scenario';
import type { World } from '../../helpers/world';

/** The login, on a shared service. */
export function testLogin(world: () => World, frontend: string): void {
  const PASSWORD = ' a Pa\u0308ssword, with spaces ';
  const url = '/api/v0/login';

  let ana: Person;
  let blocked: Person;
  let invited: Person;

  beforeAll(async () => {
    const { service } = world();
    ana = await makePerson(service, {
      email: 'Ana.Lopez@Example.org',
      username: 'Ána von Straße',
      password: PASSWORD,
    });
    blocked = await makePerson(service, { isBlocked: true });
    invited = await makePerson(service, { password: null });
  });

  /** Every session of somebody, by the IDs of the sessions. */
  const sessionsOf = async ({ id }: Person): Promise<unknown[]> =>
    world().service.strapi.db.connection('oms_sessions').where({ account: id }).pluck('id');

  describe('a login', () => {
    test.each([
      ['the e-mail', 'Ana.Lopez@Example.org'],
      ['the e-mail in another case', 'aNA.LOPEZ@EXAMPLE.ORG'],
      ['the e-mail between spaces', '  ana.lopez@example.org\t'],
      ['the user name', 'Ána von Straße'],
      ['the user name in another case', 'ÁNA VON STRAßE'],
      ['the user name with its accent apart', 'A\u0301na von Straße'],
    ])('takes %s', async (_, name) => {
      const answer = await tryLogin(world(), name, PASSWORD);
      expect(answer.status).toBe(200);
      expect(Object.keys(responseOf(answer)).sort()).toEqual(['cookie', 'user']);
      expect(responseOf(answer)).toMatchObject({
        cookie: expect.stringMatching(/^[\w-]{43}$/) as string,
        user: { id: ana.id, email: ana.email, username: ana.username, email_verified: true },
      });
    });

    test('sets the secret as a cookie for this host alone, that no script and no other site gets', async () => {
      const answer = await tryLogin(world(), ana.email, PASSWORD);
      const secret = String(responseOf(answer)['cookie']);
      expect(answer.headers['set-cookie']).toEqual([
        `oms_session=${secret}; Path=/; Max-Age=7776000; HttpOnly; SameSite=Lax`,
      ]);
      expect(answer.headers['cache-control']).toBe('private, no-store');
    });

    test('makes a secret that works as a cookie and as a bearer, another one each time', async () => {
      const secrets = [await login(world(), ana), await login(world(), ana)];
      expect(new Set(secrets).size).toBe(2);
      for (const secret of secrets) {
        for (const headers of [bearer(secret), { Cookie: `a=b; oms_session=${secret}; c=d` }]) {
          const answer = await world().send({ method: 'GET', url: '/api/v0/session', headers });
          expect([answer.status, at(responseOf(answer), 'user', 'id')]).toEqual([200, ana.id]);
          expect(answer.headers['set-cookie']).toBeUndefined();
        }
      }
    });

    test.each([
      ['bearer', (secret: string) => bearer(secret)],
      ['cookie', (secret: string) => ({ Cookie: `oms_session=${secret}`, Origin: frontend })],
    ])('ends the session that came with it as a %s, whosever it was', async (_, headersOf) => {
      const ben = await makePerson(world().service);
      const [first, other] = [await login(world(), ben), await login(world(), ben)];
      const second = await login(world(), ben, headersOf(first));
      const third = await login(world(), ana, headersOf(second));
      for (const dead of [first, second]) expect(await worth(world(), dead)).toEqual([401]);
      for (const living of [other, third]) expect(await worth(world(), living)).toEqual([200]);
    });

    test('that fails leaves the session that came with it', async () => {
      const secret = await login(world(), ana);
      expect((await tryLogin(world(), ana.email, 'wrong', bearer(secret))).status).toBe(401);
      expect(await worth(world(), secret)).toEqual([200]);
    });

    test('does not outlive a change of the password that happens meanwhile', async () => {
      const ben = await makePerson(world().service);
      await whileChecking(
        () => change(ben, { password: 'another hash' }),
        async () => expect((await tryLogin(world(), ben.email, ben.password)).status).toBe(401),
      );
      expect(await sessionsOf(ben)).toEqual([]);
    });

    test('does not outlive a block that happens meanwhile', async () => {
      const ben = await makePerson(world().service);
      await whileChecking(
        () => change(ben, { blocked: true }),
        async () => expect((await tryLogin(world(), ben.email, ben.password)).status).toBe(401),
      );
      expect(await sessionsOf(ben)).toEqual([]);
    });
  });

  const change = async ({ id }: Person, data: Json): Promise<void> => {
    await world().service.strapi.db.connection('up_users').where({ document_id: id }).update(data);
  };

  /** Lets something happen between the check of a password and what follows of it. */
  async function whileChecking(
    happens: () => Promise<void>,
    action: () => Promise<void>,
  ): Promise<void> {
    const { isPassword } = hash;
    const spy = jest.spyOn(hash, 'isPassword').mockImplementation(async (...args) => {
      const isRight = await isPassword(...args);
      await happens();
      return isRight;
    });
    try {
      await action();
    } finally {
      spy.mockRestore();
    }
  }

  describe('a login that fails', () => {
    const attempts = (): readonly (readonly [string, string])[] => [
      [ana.email, 'wrong'],
      [String(ana.username), 'wrong'],
      ['nobody@example.org', PASSWORD],
      ['nobody', PASSWORD],
      [blocked.email, blocked.password],
      [blocked.email, 'wrong'],
      [invited.email, 'wrong'],
    ];

    test('says the same for a wrong name, a wrong password, a blocked account and one without a password', async () => {
      const bodies = new Set<string>();
      for (const [name, password] of attempts()) {
        const answer = await tryLogin(world(), name, password);
        const { success, response, message } = parsed(answer.text) as Json;
        expect(answer.status).toBe(401);
        expect(answer.headers['set-cookie']).toBeUndefined();
        bodies.add(JSON.stringify({ success, response, message }));
      }
      expect([...bodies].map((text) => parsed(text))).toEqual([
        { success: false, response: {}, message: { key: 'API_RESPONSE_LOGIN_FAILED', args: {} } },
      ]);
    });

    test('costs one check of a password, whatever it is that is wrong', async () => {
      const spy = jest.spyOn(hash, 'isPassword');
      for (const [name, password] of attempts()) {
        spy.mockClear();
        await tryLogin(world(), name, password);
        expect([name, spy.mock.calls.length]).toEqual([name, 1]);
      }
      spy.mockRestore();
    });

    test.each([
      ['trimmed', PASSWORD.trim()],
      ['normalized', PASSWORD.normalize('NFC')],
      ['compared without regard to case', PASSWORD.toLowerCase()],
    ])('has a password that would be right if it were %s', async (_, password) => {
      expect(password).not.toBe(PASSWORD);
      expect((await tryLogin(world(), ana.email, password)).status).toBe(401);
    });

    test('has a long password that differs in its last character alone', async () => {
      const password = 'ä'.repeat(127) + '😀';
      const ben = await makePerson(world().service, { password });
      for (const wrong of [password.slice(0, 72), password.slice(0, 127), 'ä'.repeat(127) + '😁'])
        expect((await tryLogin(world(), ben.email, wrong)).status).toBe(401);
      expect((await tryLogin(world(), ben.email, password)).status).toBe(200);
    });
  });

  describe('an address that is not verified', () => {
    test('keeps out who has the right password, where the site asks for it', async () => {
      const ben = await makePerson(world().service, { isVerified: false });
      await withSite(world().service, { requireVerifiedEmail: true }, async () => {
        const right = await tryLogin(world(), ben.email, ben.password);
        expect([right.status, keyOf(right)]).toEqual([403, 'API_RESPONSE_EMAIL_NOT_VERIFIED']);
        expect(right.headers['set-cookie']).toBeUndefined();
        expect(await sessionsOf(ben)).toEqual([]);
        const wrong = await tryLogin(world(), ben.email, 'wrong');
        expect([wrong.status, keyOf(wrong)]).toEqual([401, 'API_RESPONSE_LOGIN_FAILED']);
        expect((await tryLogin(world(), ana.email, PASSWORD)).status).toBe(200);
      });
      expect((await tryLogin(world(), ben.email, ben.password)).status).toBe(200);
    });
  });

  describe('the body of a login', () => {
    const wrong = (name: string, body: unknown, ...invalid: Fault[]): Scenario => ({
      name: `is malformed ${name}`,
      method: 'POST',
      url,
      body,
      expect: { status: 400, key: 'MALFORMED', invalid },
      never: ['very secret'],
    });
    const [username, password] = ['ana', 'very secret'];
    runScenarios(world, [
      wrong('when it is empty', {}, ['username', 'REQUIRED'], ['password', 'REQUIRED']),
      wrong('when it is a list', [], ['', 'TYPE']),
      wrong(
        'with nulls',
        { username: null, password: null },
        ['username', 'REQUIRED'],
        ['password', 'REQUIRED'],
      ),
      wrong(
        'with other types',
        { username: 5, password: ['very secret'] },
        ['username', 'TYPE'],
        ['password', 'TYPE'],
      ),
      wrong('with a further field', { username, password, email: 'x' }, ['email', 'UNKNOWN']),
      wrong('with a long password', { username, password: 'é'.repeat(129) }, [
        'password',
        'TOO_LONG',
        { max: 128 },
      ]),
      wrong('with a long name', { username: 'x'.repeat(255), password }, ['username', 'TOO_LONG']),
      wrong('with a control character', { username: 'a\u0000', password }, ['username', 'FORMAT']),
      wrong('with one in the password', { username, password: 'very secret\n\u0007' }, [
        'password',
        'FORMAT',
      ]),
      wrong('with a lone surrogate', { username, password: 'very secret\ud800' }, [
        'password',
        'FORMAT',
      ]),
      {
        ...wrong('beside a parameter', { username, password }, ['as', 'UNKNOWN']),
        url: `${url}?as=ana`,
      },
      {
        name: 'is not JSON',
        method: 'POST',
        url,
        raw: 'username=ana&password=very+secret',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        expect: { status: 415, key: 'MEDIA_TYPE_NOT_ACCEPTED' },
      },
      {
        name: 'has only POST',
        method: 'GET',
        url: `${url}?username=ana&password=very%20secret`,
        expect: { status: 405, key: 'METHOD_NOT_ALLOWED' },
        never: ['very'],
      },
    ]);
  });
}
