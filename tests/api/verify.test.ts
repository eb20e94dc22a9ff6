import * as hash from '#app/plugins/accounts/server/passwords/hash';
import type { Answer } from '../helpers/http';
import { at, parsed, type Json } from '../helpers/json';
import { useMailbox } from '../helpers/mailbox';
import {
  bearer,
  keyOf,
  login,
  makePerson,
  personWith,
  tryLogin,
  withSite,
  worth,
} from '../helpers/people';

const { world, mailsTo, tokenTo, issue } = useMailbox();
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
  at(parsed((await tryLogin(world(), email, password)).text), 'response', 'user', 'email_verified');

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
  const wrong = { current_password: 'not the current one', password: PASSWORD };

  test('sets a new password by the current one alone', async () => {
    const { person, secrets } = await personWith(world(), 2);
    const answer = await post('password', wrong, secrets[0]);
    expect([answer.status, keyOf(answer)]).toEqual([403, 'API_RESPONSE_PASSWORD_WRONG']);
    expect(await worth(world(), ...secrets)).toEqual([200, 200]);
    await login(world(), person);
  });

  test('has to be logged in for that', async () => {
    for (const secret of [undefined, 'x'.repeat(43)]) {
      const answer = await post('password', wrong, secret);
      expect([answer.status, keyOf(answer)]).toEqual([401, 'API_RESPONSE_LOGIN_REQUIRED']);
    }
  });

  test('may be wrong ten times about it, and is told to wait then', async () => {
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
    expect([answer.status, keyOf(answer)]).toEqual([403, 'API_RESPONSE_PASSWORD_WRONG']);
    expect((await tryLogin(world(), person.email, PASSWORD)).status).toBe(200);
  });
});
