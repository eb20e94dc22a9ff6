import type * as Timers from 'node:timers/promises';
import * as hash from '#app/plugins/accounts/server/passwords/hash';
import { fail as refuse } from '#app/plugins/wire/server/errors';
import type { Answer } from '../helpers/http';
import { uuid } from '../helpers/ids';
import { keyOf, login, makePerson, personWith, tryLogin, bearer } from '../helpers/people';
import { until } from '../helpers/post-office';
import { historyOf } from '../helpers/snapshot';
import { useWorld } from '../helpers/world';

// The module itself, as the service has it: what an import gives here is a copy.
const timers = jest.requireActual<typeof Timers>('node:timers/promises');

const world = useWorld({
  env: {
    TRUSTED_PROXIES: '127.0.0.1',
    LIMIT_REGISTRATIONS: '3',
    LIMIT_MAILS: '2',
    LIMIT_READS: '5',
  },
});

let network = 0;

/** An address in a network of its own, as the proxy says it; the same network for another host number. */
const from = (host = 1, at = (network += 1)): Record<string, string> => ({
  'X-Forwarded-For': `10.${at >> 8}.${at & 255}.${host}`,
});

/** Tries a wrong password so often. */
async function fail(
  times: number,
  name: string,
  headers: Readonly<Record<string, string>>,
): Promise<number[]> {
  const found: number[] = [];
  for (let tries = 0; tries < times; tries += 1)
    found.push((await tryLogin(world(), name, 'wrong', headers)).status);
  return found;
}

function expectTooMany(answer: Answer, seconds: number): void {
  expect([answer.status, keyOf(answer)]).toEqual([429, 'API_RESPONSE_TOO_MANY_REQUESTS']);
  expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/);
  expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(seconds);
}

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
    const at = (network += 1);
    for (const name of [email, email.toUpperCase(), ` ${email}`, `${email}\t`, email])
      expect(await fail(2, name, from(network % 200, at))).toEqual([401, 401]);
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

  test('are not forgotten at a success of somebody whose name is written like theirs', async () => {
    const at = (network += 1);
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

  test('are forgotten at a success', async () => {
    const { email, password } = await makePerson(world().service);
    const headers = from();
    expect(await fail(9, email, headers)).toEqual(TEN.slice(1));
    expect((await tryLogin(world(), email, password, headers)).status).toBe(200);
    expect(await fail(2, email, headers)).toEqual([401, 401]);
  });

  test('are ten of thirty that come at the same time', async () => {
    const { email } = await makePerson(world().service);
    const headers = from();
    const spy = jest.spyOn(hash, 'isPassword');
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => tryLogin(world(), email, 'wrong', headers)),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect([refused.length, spy.mock.calls.length]).toEqual([20, 10]);
    // Nobody could know yet that none of the ten would come in.
    expect(refused.map(({ headers: { 'retry-after': after } }) => after)).toEqual(
      Array(20).fill('1'),
    );
    const later = await tryLogin(world(), email, 'wrong', headers);
    expect(Number(later.headers['retry-after'])).toBeGreaterThan(800);
  });
});

describe('failures from one network', () => {
  test('are fifty at most, for whichever names', async () => {
    const { email, password } = await makePerson(world().service);
    const at = (network += 1);
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
    jest
      .spyOn(timers, 'setTimeout')
      .mockImplementation(
        <T>(delay?: number, value?: T) =>
          new Promise<T>((resolve) => waits.push([delay, () => resolve(value as T)])),
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

describe('what the operator limits', () => {
  const register = (name: string, headers: Record<string, string>): Promise<Answer> => {
    const body = { name, email: `${name}@people.example.org`, password: 'a good one of mine' };
    return world().send({ method: 'POST', url: '/api/v0/user', headers, body });
  };

  test('are registrations, per network', async () => {
    const at = (network += 1);
    for (const name of ['one', 'two', 'three'])
      expect((await register(name, from(name.length, at))).status).toBe(200);
    expectTooMany(await register('four', from(9, at)), 3600);
    expect((await register('five', from())).status).toBe(200);
    const { secrets } = await personWith(world(), 1, 'administrator');
    const byAdministrator = { ...from(9, at), ...bearer(secrets[0] ?? '') };
    expect((await register('six', byAdministrator)).status).toBe(200);
    const user = await personWith(world(), 1, 'user');
    const byUser = { ...from(9, at), ...bearer(user.secrets[0] ?? '') };
    expectTooMany(await register('seven', byUser), 3600);
  });

  test.each(['reset', 'verify'])('are mails to one address, whoever has it: %s', async (path) => {
    const names = [(await makePerson(world().service)).email, `${path}-nobody@example.org`];
    for (const email of names) {
      const ask = (spelled: string): Promise<Answer> =>
        world().send({
          method: 'POST',
          url: `/api/v0/${path}`,
          headers: from(),
          body: { email: spelled },
        });
      expect((await ask(email)).status).toBe(200);
      expect((await ask(email.toUpperCase())).status).toBe(200);
      expectTooMany(await ask(email), 3600);
    }
  });

  test('are new addresses, per account and per address', async () => {
    const { service } = world();
    const people = await Promise.all([0, 1, 2].map(() => makePerson(service)));
    const secrets = await Promise.all(people.map((person) => login(world(), person, from())));
    const move = async (who: number, email: string): Promise<Answer> => {
      const { id = '', password = '' } = people[who] ?? {};
      return world().send({
        method: 'PUT',
        url: `/api/v0/user/${id}`,
        headers: { ...from(), ...bearer(secrets[who] ?? '') },
        body: { email, current_password: password },
      });
    };
    for (const who of [0, 1])
      for (let nth = 0; nth < 5; nth += 1)
        for (const email of ['victim@example.org', `own-${who}-${nth}@example.org`])
          expect((await move(who, email)).status).toBe(200);
    expectTooMany(await move(0, 'another@example.org'), 3600);
    expectTooMany(await move(2, 'VICTIM@example.org'), 3600);
    expect((await move(2, 'third@example.org')).status).toBe(200);
  });

  test('are mails from one network, ten times as many', async () => {
    const headers = from();
    const ask = (nth: number): Promise<Answer> =>
      world().send({
        method: 'POST',
        url: '/api/v0/reset',
        headers,
        body: { email: `nobody-${nth}@example.org` },
      });
    for (let nth = 0; nth < 20; nth += 1) expect((await ask(nth)).status).toBe(200);
    expectTooMany(await ask(20), 3600);
  });

  test('are reads, per session and per network without one', async () => {
    const person = await makePerson(world().service);
    const secrets = [await login(world(), person), await login(world(), person)];
    const read = (headers: Record<string, string>, method = 'GET'): Promise<Answer> =>
      world().send({ method, url: `/api/v0/user/${person.id}`, headers });
    const at = (network += 1);
    const callers = [
      (): Record<string, string> => from((network += 1) % 200, at),
      ...secrets.map((secret) => (): Record<string, string> => ({
        ...from(1, at),
        ...bearer(secret),
      })),
    ];
    for (const headers of callers) {
      for (let count = 0; count < 5; count += 1)
        expect((await read(headers(), count % 2 === 0 ? 'GET' : 'HEAD')).status).toBe(200);
      expectTooMany(await read(headers()), 60);
    }
    const dead = { ...from(1, at), ...bearer('x'.repeat(43)) };
    expectTooMany(await read(dead), 60);
    expect((await read(from())).status).toBe(200);
    expect((await read(from(1, at), 'OPTIONS')).status).toBe(204);
  });
});

describe('the history names whoever has met a limit, once an hour', () => {
  const met = async (limit: string): Promise<readonly Readonly<Record<string, unknown>>[]> =>
    (await historyOf(world().service, limit)).map(({ type, action, actor_id, changes }) => ({
      is: `${type} ${action}`,
      actor: actor_id,
      ...Object.fromEntries(changes.map(({ path, after }) => [path, after])),
    }));
  const networkAt = (at: number): string => `10.${at >> 8}.${at & 255}.0/24`;
  const meeting = (max: number, actor: string | null, at?: number): object => ({
    is: 'limit exceed',
    actor,
    max,
    ...(at === undefined ? {} : { network: networkAt(at) }),
  });
  const metAt = async (limit: string, at: number): Promise<readonly unknown[]> =>
    (await met(limit)).filter((entry) => entry['network'] === networkAt(at));

  test('that of logins, without the name', async () => {
    const { email } = await makePerson(world().service);
    const at = (network += 1);
    await fail(10, email, from(1, at));
    expect(await metAt('login', at)).toEqual([]);
    expect(await fail(3, email, from(2, at))).toEqual([429, 429, 429]);
    expect(await metAt('login', at)).toEqual([meeting(10, null, at)]);
    expect(JSON.stringify(await historyOf(world().service, 'login'))).not.toContain(email);
  });

  test('that of mails', async () => {
    const at = (network += 1);
    const body = { email: 'mailed@example.org' };
    for (let count = 0; count < 4; count += 1)
      await world().send({ method: 'POST', url: '/api/v0/reset', headers: from(1, at), body });
    expect(await metAt('mails', at)).toEqual([meeting(2, null, at)]);
  });

  test('that of reads, with the account', async () => {
    const person = await makePerson(world().service);
    const headers = { ...from(1, (network += 1)), ...bearer(await login(world(), person)) };
    const at = network;
    for (let count = 0; count < 8; count += 1)
      await world().send({ method: 'GET', url: `/api/v0/user/${person.id}`, headers });
    await until('it is told', async () => (await metAt('reads', at)).length > 0);
    expect(await metAt('reads', at)).toEqual([meeting(5, person.id, at)]);
  });

  test('that of proofs of a password', async () => {
    const person = await makePerson(world().service);
    const headers = { ...from(), ...bearer(await login(world(), person)) };
    const body = { current_password: 'not that one', password: 'a good one of mine' };
    const statuses: number[] = [];
    for (let count = 0; count < 12; count += 1)
      statuses.push(
        (await world().send({ method: 'POST', url: '/api/v0/password', headers, body })).status,
      );
    expect(statuses.slice(-3)).toEqual([403, 429, 429]);
    const ofPerson = (await met('proof')).filter(({ actor }) => actor === person.id);
    expect(ofPerson).toEqual([meeting(10, person.id)]);
  });
});
