import { databaseOf } from '#app/plugins/objects/server';
import type { Statement } from '#app/plugins/objects/server/database/sql';
import type { Answer } from '../helpers/http';
import { expectTooMany, failLogins, from, nameOf, newNetwork } from '../helpers/networks';
import type { Json } from '../helpers/json';
import { login, makePerson, personWith, bearer, withSite } from '../helpers/people';
import { until } from '../helpers/until';
import { historyOf } from '../helpers/snapshot';
import { useWorld } from '../helpers/world';

const world = useWorld({
  env: {
    TRUSTED_PROXIES: '127.0.0.1',
    LIMIT_REGISTRATIONS: '3',
    LIMIT_MAILS: '2',
    LIMIT_REPORTS: '2',
    LIMIT_READS: '5',
  },
});

describe('what the operator limits', () => {
  const register = (name: string, headers: Record<string, string>): Promise<Answer> => {
    const body = { name, email: `${name}@people.example.org`, password: 'a good one of mine' };
    return world().send({ method: 'POST', url: '/api/v0/user', headers, body });
  };

  test('are registrations, per network', async () => {
    const at = newNetwork();
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

  test('are anonymous reports that are stored, and ten times as many tries', () =>
    withSite(world().service, { anonymousEncounters: true }, async () => {
      const at = newNetwork();
      const report = (body: Json): Promise<Answer> =>
        world().send({ method: 'POST', url: '/api/v0/encounter', headers: from(1, at), body });
      // A refused one counts until it has been answered.
      const settled = async (): Promise<void> => {
        const counted = world().service.strapi.db.connection('oms_throttles');
        await until('the reports are settled', async () => {
          const buckets = (await counted.clone().where('bucket', 'like', 'reports:%')) as Json[];
          return buckets.every(({ count }) => Number(count) <= stored);
        });
      };
      let stored = 0;
      for (let n = 0; n < 9; n += 1) {
        expect((await report({ sex: 'both' })).status).toBe(400);
        await settled();
      }
      for (stored = 1; stored <= 2; stored += 1)
        expect((await report({ sex: 'male' })).status).toBe(200);
      stored = 2;
      expectTooMany(await report({ sex: 'male' }), 3600);
      const other = newNetwork();
      const malformed = (): Promise<Answer> =>
        world().send({
          method: 'POST',
          url: '/api/v0/encounter',
          headers: from(1, other),
          body: { sex: 'both' },
        });
      for (let n = 0; n < 20; n += 1) {
        expect((await malformed()).status).toBe(400);
        await settled();
      }
      expectTooMany(await malformed(), 3600);
    }));

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
    const at = newNetwork();
    const callers = [
      (): Record<string, string> => from(newNetwork() % 200, at),
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
    expect((await read(dead)).status).toBe(401);
    expect((await read(from())).status).toBe(200);
    expect((await read(from(1, at), 'OPTIONS')).status).toBe(204);
  });
});

describe('tokens of mails', () => {
  const begun = async (action: () => Promise<unknown>): Promise<string[]> => {
    const spy = jest.spyOn(databaseOf(world().service.strapi), 'write');
    await action();
    const works = spy.mock.calls.map(([work]) => work);
    spy.mockRestore();
    return works.map((work) => (work().next().value as Statement).sql.sqlite);
  };
  const countings = (texts: readonly string[]): string[] =>
    texts.filter((text) => text.startsWith('insert into oms_throttles'));

  test.each([
    ['password', { password: 'a good one of mine' }],
    ['verify', {}],
  ])('that are none, sent to %s, are thirty from one network', async (path, body) => {
    const at = newNetwork();
    const attempt = (n: number): Promise<Answer> =>
      world().send({
        method: 'POST',
        url: `/api/v0/${path}`,
        headers: from(1 + (n % 200), at),
        body: { ...body, token: `made up ${n}` },
      });
    for (let n = 0; n < 30; n += 1) expect((await attempt(n)).status).toBe(400);
    expectTooMany(await attempt(30), 900);
    // Who has tried too many is refused by what a read tells: nothing of it waits for the writer.
    expect(countings(await begun(() => attempt(31)))).toEqual([]);
    expect(countings(await begun(() => attemptFrom(path, body)))).toHaveLength(1);
  });

  const attemptFrom = (path: string, body: object): Promise<Answer> =>
    world().send({
      method: 'POST',
      url: `/api/v0/${path}`,
      headers: from(),
      body: { ...body, token: 'made up elsewhere' },
    });
});

test('a call without the session that it needs is 401, however often', async () => {
  const at = newNetwork();
  const read = async (path: string): Promise<number> =>
    (await world().send({ method: 'GET', url: `/api/v0/${path}`, headers: from(1, at) })).status;
  const person = await makePerson(world().service);
  for (let count = 0; count < 5; count += 1) expect(await read(`user/${person.id}`)).toBe(200);
  expect(await read(`user/${person.id}`)).toBe(429);
  expect([await read('session'), await read('sessions')]).toEqual([401, 401]);
});

describe('the history records who has reached a limit, once an hour', () => {
  const met = async (limit: string): Promise<readonly Readonly<Record<string, unknown>>[]> =>
    (await historyOf(world().service, limit)).map(({ type, action, actor_id, changes }) => ({
      is: `${type} ${action}`,
      actor: actor_id,
      ...Object.fromEntries(changes.map(({ path, after }) => [path, after])),
    }));
  const meeting = (max: number, actor: string | null, at?: number): object => ({
    is: 'limit exceed',
    actor,
    max,
    ...(at === undefined ? {} : { network: nameOf(at) }),
  });
  const metAt = async (limit: string, at: number): Promise<readonly unknown[]> =>
    (await met(limit)).filter((entry) => entry['network'] === nameOf(at));

  test('that of logins, without the name', async () => {
    const { email } = await makePerson(world().service);
    const at = newNetwork();
    await failLogins(world(), 10, email, from(1, at));
    expect(await metAt('login', at)).toEqual([]);
    expect(await failLogins(world(), 3, email, from(2, at))).toEqual([429, 429, 429]);
    expect(await metAt('login', at)).toEqual([meeting(10, null, at)]);
    expect(JSON.stringify(await historyOf(world().service, 'login'))).not.toContain(email);
  });

  test('that of mails', async () => {
    const at = newNetwork();
    const body = { email: 'mailed@example.org' };
    for (let count = 0; count < 4; count += 1)
      await world().send({ method: 'POST', url: '/api/v0/reset', headers: from(1, at), body });
    expect(await metAt('mails', at)).toEqual([meeting(2, null, at)]);
  });

  test('that of reads, with the account', async () => {
    const person = await makePerson(world().service);
    const at = newNetwork();
    const headers = { ...from(1, at), ...bearer(await login(world(), person)) };
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
    expect(ofPerson).toEqual([expect.objectContaining(meeting(10, person.id))]);
  });
});
