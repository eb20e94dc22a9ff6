import type * as Timers from 'node:timers/promises';
import * as hash from '#app/plugins/accounts/server/passwords/hash';
import { fail as refuse } from '#app/core/errors';
import type { Answer } from '../helpers/http';
import { uuid } from '../helpers/ids';
import { expectTooMany, failLogins, from, newNetwork } from '../helpers/networks';
import { login, makePerson, tryLogin, bearer } from '../helpers/people';
import { until } from '../helpers/until';
import { useWorld } from '../helpers/world';
import { testPanelLimits } from './login-limits/panel';

// The module itself, as the service has it: what an import gives here is a copy.
const timers = jest.requireActual<typeof Timers>('node:timers/promises');

const world = useWorld({ env: { TRUSTED_PROXIES: '127.0.0.1' } });

const fail = (times: number, name: string, headers: Readonly<Record<string, string>>) =>
  failLogins(world(), times, name, headers);

const TEN = Array.from({ length: 10 }, () => 401);

afterEach(() => jest.restoreAllMocks());

describe('failures for one name from one network', () => {
  test.each([
    ['known', async () => (await makePerson(world().service)).email],
    ['unknown', () => Promise.resolve('nobody@people.example.org')],
  ])('are ten at most, when the name is %s', async (_, nameOf) => {
    const [name, headers] = [await nameOf(), from()];
    expect(await fail(10, name, headers)).toEqual(TEN);
    const spy = jest.spyOn(hash, 'isPassword');
    const answer = await tryLogin(world(), name, 'wrong', headers);
    expectTooMany(answer, 900);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(800);
    expect(spy).not.toHaveBeenCalled();
  });

  test('keep out the right password, too, but not from another network, nor another name', async () => {
    const { email, password } = await makePerson(world().service);
    const other = await makePerson(world().service);
    const headers = from();
    await fail(10, email, headers);
    expectTooMany(await tryLogin(world(), email, password, headers), 900);
    expect((await tryLogin(world(), other.email, other.password, headers)).status).toBe(200);
    expect((await tryLogin(world(), email, password, from())).status).toBe(200);
  });

  test('count alike however the name is written, and from whichever host', async () => {
    const { email } = await makePerson(world().service);
    const at = newNetwork();
    for (const name of [email, email.toUpperCase(), ` ${email}`, `${email}\t`, email])
      expect(await fail(2, name, from(newNetwork() % 200, at))).toEqual([401, 401]);
    expectTooMany(await tryLogin(world(), ` ${email.toUpperCase()}`, 'wrong', from(7, at)), 900);
  });

  test.each<[string, (nth: number) => Record<string, string>]>([
    ['X-Forwarded-For that the client has sent itself', (nth) => ({ first: `1.2.${nth}.4, ` })],
    ['X-Real-IP', (nth) => ({ 'X-Real-IP': `1.2.${nth}.4` })],
    ['Forwarded', (nth) => ({ Forwarded: `for=1.2.${nth}.4` })],
    ['User-Agent', (nth) => ({ 'User-Agent': `another ${nth}` })],
    ['X-Transaction-Id', (nth) => ({ 'X-Transaction-Id': uuid(nth) })],
  ])('count alike with any %s', async (what, headersOf) => {
    const base = from()['X-Forwarded-For'] ?? '';
    const attempt = (nth: number): Promise<Answer> => {
      const { first = '', ...headers } = headersOf(nth);
      return tryLogin(world(), `with ${what}`, 'wrong', {
        ...headers,
        'X-Forwarded-For': first + base,
      });
    };
    for (let tries = 0; tries < 10; tries += 1) expect((await attempt(tries)).status).toBe(401);
    expectTooMany(await attempt(99), 900);
  });

  test('are not reset by a successful login with a name that differs in its spelling', async () => {
    const at = newNetwork();
    const victim = await makePerson(world().service);
    const other = await makePerson(world().service);
    const lookalike = victim.email.replace('@', '＠');
    const answer = await world().send({
      method: 'PUT',
      url: `/api/v0/user/${other.id}`,
      headers: { ...from(), ...bearer(await login(world(), other)) },
      body: { username: lookalike, current_password: other.password },
    });
    expect(answer.status).toBe(400);
    expect(await fail(9, victim.email, from(1, at))).toEqual(TEN.slice(1));
    expect((await tryLogin(world(), lookalike, other.password, from(1, at))).status).toBe(401);
    expectTooMany(await tryLogin(world(), victim.email, 'wrong', from(1, at)), 900);
  });

  test('are none while nobody can look at the password', async () => {
    const { email, password } = await makePerson(world().service);
    const headers = from();
    const spy = jest.spyOn(hash, 'isPassword');
    spy.mockRejectedValue(refuse('UNAVAILABLE', {}, { 'Retry-After': '10' }));
    for (let tries = 0; tries < 12; tries += 1)
      expect((await tryLogin(world(), email, password, headers)).status).toBe(503);
    spy.mockRestore();
    expect((await tryLogin(world(), email, password, headers)).status).toBe(200);
  });

  test('are reset by a successful login', async () => {
    const { email, password } = await makePerson(world().service);
    const headers = from();
    expect(await fail(9, email, headers)).toEqual(TEN.slice(1));
    expect((await tryLogin(world(), email, password, headers)).status).toBe(200);
    expect(await fail(2, email, headers)).toEqual([401, 401]);
  });

  test('are ten of thirty that come at the same time', async () => {
    const { email } = await makePerson(world().service);
    const headers = from();
    let decide: (isRight: boolean) => void = () => undefined;
    const decided = new Promise<boolean>((resolve) => (decide = resolve));
    const spy = jest.spyOn(hash, 'isPassword').mockReturnValue(decided);
    const refused: Answer[] = [];
    const answers = Array.from({ length: 30 }, async () => {
      const answer = await tryLogin(world(), email, 'wrong', headers);
      if (answer.status === 429) refused.push(answer);
      return answer.status;
    });
    await until('twenty are refused', () => refused.length === 20);
    // Nobody knows yet that none of the ten will come in.
    expect(refused.map(({ headers: { 'retry-after': after } }) => after)).toEqual(
      Array(20).fill('1'),
    );
    decide(false);
    expect((await Promise.all(answers)).filter((status) => status === 401)).toHaveLength(10);
    expect(spy.mock.calls).toHaveLength(10);
    const later = await tryLogin(world(), email, 'wrong', headers);
    expect(Number(later.headers['retry-after'])).toBeGreaterThan(800);
  });
});

describe('failures from one network', () => {
  test('are fifty at most, for whichever names', async () => {
    const { email, password } = await makePerson(world().service);
    const at = newNetwork();
    for (let name = 0; name < 5; name += 1)
      expect(await fail(10, `nobody ${name}`, from(name, at))).toEqual(TEN);
    expectTooMany(await tryLogin(world(), email, password, from(77, at)), 900);
    expect((await tryLogin(world(), email, password, from())).status).toBe(200);
  });

  test('are not used up by what is refused, nor by what succeeds', async () => {
    const { email, password } = await makePerson(world().service);
    const headers = from();
    expect(await fail(60, 'nobody at all', headers)).toEqual([
      ...TEN,
      ...Array.from({ length: 50 }, () => 429),
    ]);
    for (let time = 0; time < 3; time += 1) await tryLogin(world(), email, password, headers);
    expect((await fail(10, 'somebody', headers)).at(-1)).toBe(401);
  });
});

describe('failures for one name from everywhere', () => {
  test('lock nobody out, and make the answers wait before the password is looked at', async () => {
    const { email, password } = await makePerson(world().service);
    const waits: (readonly [delay: unknown, go: () => void])[] = [];
    const { setTimeout: pause } = timers;
    // Work in the background rests for some milliseconds at a time.
    jest
      .spyOn(timers, 'setTimeout')
      .mockImplementation(<T>(delay?: number, value?: T) =>
        Number(delay) < 250
          ? pause(delay, value)
          : new Promise<T>((resolve) => waits.push([delay, () => resolve(value as T)])),
      );
    await fail(5, email, from());
    await fail(5, email, from());
    expect(waits).toEqual([]);
    const spy = jest.spyOn(hash, 'isPassword');
    for (const delay of [250, 500]) {
      spy.mockClear();
      const answer = tryLogin(world(), email, 'wrong', from());
      while (waits.length === 0) await new Promise(setImmediate);
      expect([waits[0]?.[0], spy.mock.calls.length]).toEqual([delay, 0]);
      waits.pop()?.[1]();
      expect((await answer).status).toBe(401);
    }
    const right = tryLogin(world(), email, password, from());
    while (waits.length === 0) await new Promise(setImmediate);
    expect(waits[0]?.[0]).toBe(750);
    waits.pop()?.[1]();
    expect((await right).status).toBe(200);
  });
});

describe('the panel', () => testPanelLimits(world));
