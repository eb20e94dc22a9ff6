import * as hash from '#app/plugins/accounts/server/passwords/hash';
import { send, type Answer } from '../../helpers/http';
import { at, parsed, type Json } from '../../helpers/json';
import type { Mailbox } from '../../helpers/mailbox';
import { from } from '../../helpers/networks';
import {
  bearer,
  keyOf,
  login,
  makePerson,
  personWith,
  responseOf,
  tryLogin,
  withSite,
  worth,
} from '../../helpers/people';

/** Verified addresses and invitations, on a shared service. */
export function testVerification({ world, mailsTo, tokenTo, issue }: Mailbox): void {
  const PASSWORD = 'a good one of mine';

  const post = (path: string, body: Json, secret?: string): Promise<Answer> =>
    world().send({
      method: 'POST',
      url: `/api/v0/${path}`,
      headers: secret === undefined ? {} : bearer(secret),
      body,
    });

  /** Whether somebody is verified, as their own login says. */
  const isVerified = async (email: string, password: string): Promise<unknown> =>
    at(
      parsed((await tryLogin(world(), email, password)).text),
      'response',
      'user',
      'email_verified',
    );

  describe('the address of who registers', () => {
    test('is verified by the link of the mail, once', async () => {
      const email = 'first@people.example.org';
      await post('user', { name: 'First', email, password: PASSWORD });
      expect(await isVerified(email, PASSWORD)).toBe(false);
      const token = await tokenTo(email, 'verify');
      expect((await post('verify', { token })).status).toBe(200);
      expect(await isVerified(email, PASSWORD)).toBe(true);
      const again = await post('verify', { token });
      expect([again.status, keyOf(again)]).toEqual([400, 'API_RESPONSE_TOKEN_INVALID']);
    });

    test('lets in, where the site asks for it, after the link alone', async () => {
      const email = 'second@people.example.org';
      await post('user', { name: 'Second', email, password: PASSWORD });
      await withSite(world().service, { requireVerifiedEmail: true }, async () => {
        expect((await tryLogin(world(), email, PASSWORD)).status).toBe(403);
        await post('verify', { token: await tokenTo(email, 'verify') });
        expect((await tryLogin(world(), email, PASSWORD)).status).toBe(200);
      });
    });

    test('is sent the link again, until it is verified', async () => {
      const person = await makePerson(world().service, { isVerified: false });
      const email = person.email.toUpperCase();
      await post('verify', { email });
      await post('verify', { token: await tokenTo(person.email, 'verify') });
      await post('verify', { email });
      expect(await mailsTo(person.email)).toHaveLength(1);
      expect(await isVerified(person.email, person.password)).toBe(true);
    });

    test('is verified by who follows the link of a reset, too', async () => {
      const person = await makePerson(world().service, { isVerified: false });
      await post('password', { token: await issue('reset', person), password: PASSWORD });
      expect(await isVerified(person.email, PASSWORD)).toBe(true);
    });
  });

  describe('an invitation', () => {
    test('sets the first password, and verifies the address', async () => {
      const { secrets } = await personWith(world(), 1, 'administrator');
      const email = 'invited@people.example.org';
      expect((await post('user', { name: 'Invited', email }, secrets[0])).status).toBe(200);
      expect((await tryLogin(world(), email, PASSWORD)).status).toBe(401);
      const token = await tokenTo(email, 'invite');
      expect((await post('password', { token, password: PASSWORD })).status).toBe(200);
      expect(await isVerified(email, PASSWORD)).toBe(true);
      // Neither a second link nor a notice: nothing was changed.
      expect(await mailsTo(email)).toHaveLength(1);
    });

    test('that was lost is as good as a reset', async () => {
      const person = await makePerson(world().service, { password: null, isVerified: false });
      await post('reset', { email: person.email });
      const token = await tokenTo(person.email, 'reset');
      expect((await post('password', { token, password: PASSWORD })).status).toBe(200);
      expect(await isVerified(person.email, PASSWORD)).toBe(true);
    });
  });

  describe('who is logged in', () => {
    const WRONG = {
      invalid: [{ path: 'current_password', key: 'API_RESPONSE_PASSWORD_WRONG', args: {} }],
    };
    const wrong = { current_password: 'not the current one', password: PASSWORD };

    test('sets a new password by the current one alone', async () => {
      const { person, secrets } = await personWith(world(), 2);
      const answer = await post('password', wrong, secrets[0]);
      expect([answer.status, responseOf(answer)]).toEqual([403, WRONG]);
      expect(await worth(world(), ...secrets)).toEqual([200, 200]);
      await login(world(), person);
    });

    test('has to be logged in for that', async () => {
      for (const secret of [undefined, 'x'.repeat(43)]) {
        const answer = await post('password', wrong, secret);
        expect([answer.status, keyOf(answer)]).toEqual([401, 'API_RESPONSE_LOGIN_REQUIRED']);
      }
    });

    test('may fail ten times, and has to wait then', async () => {
      const { person, secrets } = await personWith(world(), 1);
      const right = { current_password: person.password, password: PASSWORD };
      for (let tries = 0; tries < 9; tries += 1) await post('password', wrong, secrets[0]);
      expect((await post('password', right, secrets[0])).status).toBe(200);
      const tenth = await post('password', wrong, secrets[0]);
      const another = { current_password: PASSWORD, password: 'yet another of mine' };
      const eleventh = await post('password', another, secrets[0]);
      expect([tenth.status, eleventh.status]).toEqual([403, 429]);
      expect(eleventh.headers['retry-after']).toMatch(/^\d+$/);
      expect(Number(eleventh.headers['retry-after'])).toBeLessThanOrEqual(900);
      expect((await tryLogin(world(), person.email, PASSWORD)).status).toBe(200);
      const other = await personWith(world(), 1);
      expect((await post('password', wrong, other.secrets[0])).status).toBe(403);
    });

    test('sets no password after a reset that happens meanwhile', async () => {
      const { person, secrets } = await personWith(world(), 1);
      const proven = { current_password: person.password, password: 'that of a thief' };
      const { hashPassword } = hash;
      const reset = await hashPassword(PASSWORD);
      const spy = jest.spyOn(hash, 'hashPassword').mockImplementationOnce(async (password) => {
        const { db } = world().service.strapi;
        await db.connection('up_users').where('document_id', person.id).update('password', reset);
        return hashPassword(password);
      });
      const answer = await post('password', proven, secrets[0]);
      spy.mockRestore();
      expect([answer.status, responseOf(answer)]).toEqual([403, WRONG]);
      expect((await tryLogin(world(), person.email, PASSWORD)).status).toBe(200);
    });
  });

  describe('a page of the service, for where there is no frontend,', () => {
    const page = (
      method: string,
      target: string,
      values?: Record<string, string>,
      network: Readonly<Record<string, string>> = {},
    ): Promise<Answer> => {
      const type = { 'Content-Type': 'application/x-www-form-urlencoded', Origin: 'null' };
      return send(world().service.url, {
        method,
        url: `/account/${target}`,
        headers: { ...network, ...(values && type) },
        ...(values && { raw: new URLSearchParams(values).toString() }),
      });
    };
    const twice = (password: string) => ({ password, password_again: password });
    const tokens = (): Promise<unknown[]> =>
      world().service.strapi.db.connection('oms_tokens').select();

    test('is plain, is kept nowhere, and sends nothing elsewhere', async () => {
      const token = await issue('reset', await makePerson(world().service));
      const { status, headers, text } = await page('GET', `reset?token=${token}&lng=en`);
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'content-security-policy': expect.stringMatching(
          /^default-src 'none'; .*form-action 'self'/,
        ) as unknown,
      });
      expect(text).not.toMatch(/<script| on\w+=| style=|https?:\/\//);
      expect(text).toContain(`action="/account/reset?lng=en"`);
    });

    test('confirms an address by its button, and not by its link', async () => {
      const person = await makePerson(world().service, { isVerified: false });
      const token = await issue('verify', person);
      const before = await tokens();
      for (const method of ['GET', 'HEAD', 'GET'])
        expect((await page(method, `verify?token=${token}&lng=es`)).status).toBe(200);
      expect(await tokens()).toEqual(before);
      expect(await isVerified(person.email, person.password)).toBe(false);
      const { text } = await page('GET', `verify?token=${token}&lng=es`);
      expect(text).toContain('<html lang="es">');
      expect(text).toContain('Confirmar la dirección</button>');
      const done = await page('POST', 'verify?lng=es', { token });
      expect([done.status, done.text]).toEqual([200, expect.stringContaining('está confirmada')]);
      expect(await isVerified(person.email, person.password)).toBe(true);
      const again = await page('POST', 'verify?lng=es', { token });
      expect([again.status, again.text]).toEqual([400, expect.stringContaining('Pida uno nuevo')]);
    });

    test('sets a password, and shows what is wrong with a refused one', async () => {
      const { person, secrets } = await personWith(world(), 1);
      const token = await issue('reset', person);
      const wrong = [
        [{ password: PASSWORD, password_again: 'another' }, 'password_again', 'diffèrent'],
        [twice('short'), 'password', 'trop court'],
        [twice('password123'), 'password', 'parmi les plus courants'],
        [twice('a\u0000 long one, please'), 'password', 'caractères de contrôle'],
      ] as const;
      for (const [values, field, told] of wrong) {
        const { status, text } = await page('POST', 'reset?lng=fr-CA', { token, ...values });
        const faults = [...text.matchAll(/id="(\w+)-fault">([^<]*)/g)].map(([, ...found]) => found);
        expect([status, faults]).toEqual([400, [[field, expect.stringContaining(told)]]]);
        expect(text).toContain(`value="${token}"`);
        expect(text).not.toContain(values.password);
      }
      expect(await worth(world(), ...secrets)).toEqual([200]);
      expect((await page('POST', 'reset?lng=fr', { token, ...twice(PASSWORD) })).status).toBe(200);
      expect(await worth(world(), ...secrets)).toEqual([401]);
      expect((await tryLogin(world(), person.email, PASSWORD)).status).toBe(200);
      expect((await page('GET', `reset?token=${token}`)).status).toBe(400);
    });

    test('accepts an invitation', async () => {
      const person = await makePerson(world().service, { password: null, isVerified: false });
      const token = await issue('invite', person);
      expect((await page('GET', `invite?token=${token}`)).text).toContain('Choose a password');
      expect((await page('POST', 'invite', { token, ...twice(PASSWORD) })).status).toBe(200);
      expect(await isVerified(person.email, PASSWORD)).toBe(true);
    });

    test.each([
      ['DELETE', 'reset', undefined, 405],
      ['POST', 'reset', {}, 400],
      ['POST', 'reset', { token: 'x'.repeat(200), ...twice(PASSWORD) }, 400],
      ['POST', 'verify', { token: 'a\u0000b' }, 400],
      ['POST', 'verify', { token: 'x'.repeat(20_000) }, 400],
      ['GET', 'verify', undefined, 400],
      ['GET', 'login', undefined, 404],
    ])('refuses %s of %s with what is none', async (method, target, values, status) => {
      expect((await page(method, target, values)).status).toBe(status);
    });

    test('counts tokens that are none, as the interface does', async () => {
      const token = await issue('verify', await makePerson(world().service, { isVerified: false }));
      const statuses: number[] = [];
      const network = from();
      const ask = (method: string, given: string) =>
        page(method, 'verify', { token: given }, network);
      for (let tries = 0; tries < 40; tries += 1)
        statuses.push((await ask(tries % 2 ? 'GET' : 'POST', 'made-up')).status);
      expect([statuses[0], statuses.at(-1)]).toEqual([400, 429]);
      expect((await ask('POST', token)).status).toBe(200);
    });
  });
}
