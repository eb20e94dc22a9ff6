import crypto from 'node:crypto';
import { databaseOf } from '#app/plugins/objects/server';
import { statementOf, type Statement } from '#app/plugins/objects/server/database/sql';
import { LIFETIMES } from '#app/plugins/accounts/server/tokens/tokens';
import type { Answer } from '../../helpers/http';
import { parsed, type Json } from '../../helpers/json';
import type { Mailbox } from '../../helpers/mailbox';
import { ask, keyOf, makePerson, personWith, tryLogin, worth } from '../../helpers/people';
import { until } from '../../helpers/until';
import { runScenarios, type Fault, type Scenario } from '../../helpers/scenario';

/** Resets and new passwords, on a shared service. */
export function testPasswords({ world, mailsTo, tokenTo, outboxIsEmpty, issue }: Mailbox): void {
  const GOOD = 'a new one of mine';
  const post = (path: string, body: Json): Promise<Answer> =>
    world().send({ method: 'POST', url: `/api/v0/${path}`, body });
  const set = (token: string, password = GOOD): Promise<Answer> =>
    post('password', { token, password });

  const expectInvalid = (answer: Answer): void =>
    expect([answer.status, keyOf(answer)]).toEqual([400, 'API_RESPONSE_TOKEN_INVALID']);

  describe('a reset', () => {
    test('sends a link to the frontend, by which a new password is set and all sessions end', async () => {
      const { person, secrets } = await personWith(world(), 2);
      expect((await post('reset', { email: person.email.toUpperCase() })).status).toBe(200);
      const answer = await set(await tokenTo(person.email, 'reset'));
      expect([answer.status, answer.headers['set-cookie']]).toEqual([200, undefined]);
      expect(await worth(world(), ...secrets)).toEqual([401, 401]);
      expect((await tryLogin(world(), person.email, person.password)).status).toBe(401);
      expect((await tryLogin(world(), person.email, GOOD)).status).toBe(200);
      const [, notice, ...others] = await mailsTo(person.email);
      expect([notice?.headers['subject'], others]).toEqual([
        'Object Management Service: your password was changed',
        [],
      ]);
    });

    test.each(['reset', 'verify'])(
      'that asks for %s does the same for an address that somebody has, that is closed, and that nobody has',
      async (path) => {
        const { service } = world();
        const emails = [
          (await makePerson(service, { isVerified: false })).email,
          (await makePerson(service, { isBlocked: true })).email,
          (await makePerson(service)).email,
          `nobody-${path}@people.example.org`,
        ];
        const told: unknown[] = [];
        for (const email of emails) {
          const answer = await post(path, { email });
          const { transactionId: id, ...body } = parsed(answer.text) as Json;
          const { date, 'x-transaction-id': also, ...headers } = answer.headers;
          expect([typeof date, also]).toEqual(['string', id]);
          told.push({ status: answer.status, headers, body });
          await outboxIsEmpty();
        }
        for (const one of told) expect(one).toEqual(told[0]);
        expect(told[0]).toMatchObject({ status: 200, body: { success: true, response: {} } });
      },
    );

    test('posts a letter and looks for nobody before it answers, whoever it is', async () => {
      const database = databaseOf(world().service.strapi);
      for (const email of [(await makePerson(world().service)).email, 'Nobody@Example.org']) {
        await outboxIsEmpty();
        const [reads, writes] = [jest.spyOn(database, 'read'), jest.spyOn(database, 'write')];
        await post('reset', { email });
        const asked = reads.mock.calls.map(([given]) => statementOf(given).sql.sqlite);
        const begun = writes.mock.calls.map(
          ([work]) => (work().next().value as Statement).sql.sqlite,
        );
        for (const spy of [reads, writes]) spy.mockRestore();
        expect(asked.filter((text) => text.includes('up_users'))).toEqual([]);
        // The courier is at work, too.
        expect(begun.filter((text) => !text.startsWith('select id from oms_mails'))).toEqual([
          expect.stringMatching(/^insert into oms_mails /),
        ]);
      }
    });

    test('is worked on after a while that is drawn each time, whoever it is', async () => {
      const drawn = jest.spyOn(crypto, 'randomInt');
      for (const email of [(await makePerson(world().service)).email, 'nobody@example.org']) {
        drawn.mockClear();
        // While the courier waits already, it draws no further time.
        await until('a time is drawn', async () => {
          await post('reset', { email });
          return drawn.mock.calls.length > 0;
        });
        expect(drawn.mock.calls).toEqual([[2000]]);
      }
      drawn.mockRestore();
    });

    test('sends nothing to who is blocked', async () => {
      const person = await makePerson(world().service, { isBlocked: true });
      await post('reset', { email: person.email });
      expect(await mailsTo(person.email)).toEqual([]);
    });

    const malformed = (name: string, path: string, body: Json, ...invalid: Fault[]): Scenario => ({
      name: `of which the body is malformed: ${name}`,
      method: 'POST',
      url: `/api/v0/${path}`,
      body,
      expect: { status: 400, key: 'MALFORMED', invalid },
      never: [GOOD],
    });
    const [token, current_password] = ['x'.repeat(43), 'the current one'];
    runScenarios(world, [
      malformed('no address', 'reset', {}, ['email', 'REQUIRED']),
      malformed('no e-mail', 'reset', { email: 'ana' }, ['email', 'FORMAT']),
      malformed('a list', 'reset', { email: ['ana@example.org'] }, ['email', 'TYPE']),
      malformed('further fields', 'reset', { email: 'a@example.org', name: 'x' }, [
        'name',
        'UNKNOWN',
      ]),
      malformed('neither', 'verify', {}, ['token', 'REQUIRED']),
      malformed('both', 'verify', { token, email: 'a@example.org' }, ['email', 'CONFLICT']),
      malformed('neither', 'password', { password: GOOD }, ['token', 'REQUIRED']),
      malformed('both', 'password', { token, current_password, password: GOOD }, [
        'current_password',
        'CONFLICT',
      ]),
      malformed('no password', 'password', { token }, ['password', 'REQUIRED']),
      malformed('a long token', 'password', { token: 'x'.repeat(129), password: GOOD }, [
        'token',
        'TOO_LONG',
      ]),
    ]);
  });

  describe('a token', () => {
    test('sets a password once, also for two who come with it at the same time', async () => {
      const person = await makePerson(world().service);
      const token = await issue('reset', person);
      const passwords = ['first of the two', 'second of the two'];
      const answers = await Promise.all(passwords.map((password) => set(token, password)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
      expectInvalid(answers.find(({ status }) => status === 400) as Answer);
      const winner = answers.findIndex(({ status }) => status === 200);
      expect((await tryLogin(world(), person.email, passwords[winner] ?? '')).status).toBe(200);
      expect((await tryLogin(world(), person.email, passwords[1 - winner] ?? '')).status).toBe(401);
      expectInvalid(await set(token));
    });

    test.each(['reset', 'invite', 'verify'] as const)('of %s expires', async (kind) => {
      const person = await makePerson(world().service, { isVerified: false });
      const use = (token: string): Promise<Answer> =>
        kind === 'verify' ? post('verify', { token }) : set(token);
      expectInvalid(await use(await issue(kind, person, LIFETIMES[kind])));
      expect((await use(await issue(kind, person, LIFETIMES[kind] - 60_000))).status).toBe(200);
    });

    test('is for its account and for its purpose alone', async () => {
      const [ana, ben] = [await makePerson(world().service), await makePerson(world().service)];
      expectInvalid(await set(await issue('verify', ana)));
      expectInvalid(await post('verify', { token: await issue('reset', ana) }));
      expect((await set(await issue('reset', ana))).status).toBe(200);
      expect((await tryLogin(world(), ben.email, ben.password)).status).toBe(200);
      expect((await tryLogin(world(), ben.email, GOOD)).status).toBe(401);
    });

    test.each(['x', 'x'.repeat(43), "' or 1=1 --", '%', '_'.repeat(43)])(
      'is not made up: %s',
      async (token) => {
        expectInvalid(await set(token));
        expectInvalid(await post('verify', { token }));
      },
    );

    test('stays good when the password is not', async () => {
      const person = await makePerson(world().service);
      const token = await issue('reset', person);
      const bad: readonly (readonly [string, string])[] = [
        ['short', 'TOO_SHORT'],
        ['ä'.repeat(9), 'TOO_SHORT'],
        ['x'.repeat(129), 'TOO_LONG'],
        ['1234567890', 'FORMAT'],
        ['QWERTYUIOP', 'FORMAT'],
        ['with a bell \u0007', 'FORMAT'],
      ];
      for (const [password, fault] of bad) {
        const answer = await set(token, password);
        expect([password, answer.status]).toEqual([password, 400]);
        expect(answer.text).toContain(`"path":"password","key":"API_RESPONSE_${fault}"`);
        expect(answer.text).not.toContain(password);
      }
      expect((await tryLogin(world(), person.email, person.password)).status).toBe(200);
      expect((await set(token, '😀'.repeat(10))).status).toBe(200);
      expect((await tryLogin(world(), person.email, '😀'.repeat(10))).status).toBe(200);
    });

    test('of a reset dies with a change of the password', async () => {
      const { person, secrets } = await personWith(world(), 1);
      const tokens = [await issue('reset', person), await issue('invite', person)];
      const verify = await issue('verify', person);
      const body = { current_password: person.password, password: GOOD };
      expect((await ask(world(), 'POST', 'password', secrets[0] ?? '', body)).status).toBe(200);
      for (const token of tokens) expectInvalid(await set(token, 'yet another one'));
      expect((await post('verify', { token: verify })).status).toBe(200);
    });

    test('dies with a change of the address', async () => {
      const { person, secrets } = await personWith(world(), 1);
      const old = [await issue('reset', person), await issue('verify', person)] as const;
      const email = `new.${person.email}`;
      const body = { email, current_password: person.password };
      const path = `user/${person.id}`;
      expect((await ask(world(), 'PUT', path, secrets[0] ?? '', body)).status).toBe(200);
      // As if its mail had been on its way while the address was changed.
      const late = [await issue('reset', person), await issue('verify', person)] as const;
      for (const [reset, verify] of [old, late]) {
        expectInvalid(await set(reset));
        expectInvalid(await post('verify', { token: verify }));
      }
      expect((await post('verify', { token: await tokenTo(email, 'verify') })).status).toBe(200);
      expect((await tryLogin(world(), email, person.password)).status).toBe(200);
    });
  });
}
