// @databases postgres
// @long
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { send, type Answer, type Request } from '../helpers/http';
import { at, parsed, type Json } from '../helpers/json';
import { bearer, keyOf, responseOf } from '../helpers/people';
import { runScript } from '../helpers/process';
import { story, type Step } from '../helpers/story';
import { photograph, uploadRequest } from '../helpers/upload';
import { exampleWith, manyAnimals, SOURCE } from '../import/example';
import { SERVED_BY } from './balancer';
import { ADMINISTRATOR, Fleet } from './fleet';
import { faultsOf } from './ledger';
import { Load, unread } from './load';
import { isLong, randomFrom, SEED, SERVER_KILLS, tell, WHILE_RESTARTED } from './scale';
import { ask, readStore } from './store';

jest.setTimeout(isLong ? 3_600_000 : 300_000);

const SERVERS = [0, 1, 2] as const;

/** Few enough for a server that starts beside them on the same two cores. */
const WORKERS = isLong ? 12 : 6;

/** Milliseconds within which all servers see a change (contract, section 9). */
const SEEN_WITHIN = 2000;

describe(`three servers behind a balancer (OMS_TORTURE_SEED=${SEED})`, () => {
  let fleet: Fleet;
  let administrator: string;
  let load: Load;
  const agent = new Agent({ keepAlive: true });
  const random = randomFrom(SEED);

  beforeAll(async () => {
    fleet = await Fleet.start(SERVERS.length);
    administrator = await logIn(ADMINISTRATOR);
    load = new Load(random, { agent, headers: bearer(administrator), workers: WORKERS, reads: 6 });
    await load.prepare(fleet.balancer.url);
  });
  afterAll(async () => {
    agent.destroy();
    await fleet?.stop();
  });

  const request = (given: Request): Promise<Answer> => send(fleet.balancer.url, given, agent);

  /** Sends a request until each server has answered it once, one after the other. */
  async function everywhere(given: Request): Promise<Answer[]> {
    const answers: Answer[] = [];
    while (answers.length < SERVERS.length) answers.push(await request(given));
    expect(answers.map(servedBy).sort()).toEqual([...SERVERS]);
    return answers;
  }
  const statuses = async (given: Request): Promise<number[]> =>
    (await everywhere(given)).map(({ status }) => status);

  const call = (method: string, path: string, body?: Json, secret = administrator): Request => ({
    method,
    url: `/api/v0/${path}`,
    ...(secret === '' ? {} : { headers: bearer(secret) }),
    ...(body === undefined ? {} : { body }),
  });

  const tryLogin = ({ email, password }: typeof ADMINISTRATOR | Person): Request =>
    call('POST', 'login', { username: email, password }, '');

  async function logIn(who: typeof ADMINISTRATOR | Person): Promise<string> {
    return String((await succeed(tryLogin(who)))['cookie']);
  }

  async function succeed(given: Request): Promise<Json> {
    const answer = await request(given);
    if (answer.status !== 200) throw new Error(`${given.url}: ${answer.status} ${answer.text}`);
    return responseOf(answer);
  }

  async function register(name: string): Promise<Person> {
    const person = { email: `${name}@people.example.org`, password: 'a good one of mine' };
    await succeed(call('POST', 'user', { name, ...person }, ''));
    return person;
  }

  /** Asks until the time is over in which all have to know, and then once more of each. */
  async function expectSeen(known: () => Promise<void>, asking: Request): Promise<void> {
    const end = Date.now() + SEEN_WITHIN;
    while (Date.now() < end) {
      await request(asking);
      await sleep(50);
    }
    await known();
  }

  test('made one administrator when they started, all at once', async () => {
    const named = `select count(*)::int as count from up_users where account_role = 'administrator'`;
    expect(await ask(fleet.database.env, [named])).toEqual([[{ count: 1 }]]);
  });

  test('know a session at once, by cookie and by bearer, and its end within two seconds', async () => {
    const person = await register('visitor');
    const program = call('GET', 'session', undefined, await logIn(person));
    const { headers } = await request(tryLogin(person));
    const Cookie = String(headers['set-cookie']?.[0]?.split(';')[0]);
    const browser = { method: 'GET', url: '/api/v0/session', headers: { Cookie } };
    for (const asking of [program, browser])
      expect(await statuses(asking)).toEqual([200, 200, 200]);
    await succeed({ ...program, method: 'POST', url: '/api/v0/logout', body: {} });
    const fromBrowser = { Cookie, Origin: fleet.balancer.url };
    await succeed({ method: 'POST', url: '/api/v0/logout', body: {}, headers: fromBrowser });
    await expectSeen(async () => {
      for (const asking of [program, browser])
        expect(await statuses(asking)).toEqual([401, 401, 401]);
    }, program);
  });

  test('count failed logins together', async () => {
    const person = await register('guessed');
    const wrong = tryLogin({ ...person, password: 'a wrong guess' });
    const guesses: Answer[] = [];
    for (let n = 0; n < 10; n += 1) guesses.push(await request(wrong));
    expect(guesses.map(({ status }) => status)).toEqual(guesses.map(() => 401));
    expect(new Set(guesses.map(servedBy))).toEqual(new Set(SERVERS));
    expect(await statuses(tryLogin(person))).toEqual([429, 429, 429]);
  });

  const reports: readonly Step[] = [
    [
      'a change of the settings counts on all within two seconds',
      async () => {
        await succeed(call('PUT', 'site_settings', { anonymous_encounters: true }));
        const settings = call('GET', 'site_settings', undefined, '');
        await expectSeen(async () => {
          for (const answer of await everywhere(settings))
            expect(responseOf(answer)['anonymous_encounters']).toBe(true);
        }, settings);
      },
    ],
    [
      'a report without an account that is sent again is recognized by each, and read with its claim',
      async () => {
        const claim = 'a-claim-that-the-client-has-made-itself-256';
        const report = call('POST', 'encounter', { time: '2026-03-09', claim }, '');
        const { id } = await succeed(report);
        for (const answer of await everywhere(report))
          expect([answer.status, at(parsed(answer.text), 'message', 'args', 'id')]).toEqual([
            400,
            id,
          ]);
        const read = call('GET', `encounter/${String(id)}?fields=version`, undefined, '');
        const asClaimant = { ...read, headers: { 'X-Claim': claim } };
        expect(await statuses(asClaimant)).toEqual([200, 200, 200]);
      },
    ],
  ];
  story('take reports without an account as one', reports);

  test('serve and recognize a photograph that one of them has received', async () => {
    const owner = await logIn(await register('photographer'));
    const bytes = await photograph(900, 600);
    const upload = uploadRequest({ bytes }, bearer(owner));
    const id = String((await succeed(upload))['id']);
    for (const answer of await everywhere(upload)) {
      expect([answer.status, keyOf(answer)]).toEqual([400, 'API_RESPONSE_ENTITY_EXISTS']);
      expect(at(parsed(answer.text), 'message', 'args', 'id')).toBe(id);
    }
    const original = call('GET', `asset/${id}/file`, undefined, owner);
    for (const answer of await everywhere(original)) expect(answer.bytes.equals(bytes)).toBe(true);
    const small = call('GET', `asset/${id}/file?size=small`, undefined, '');
    expect(await statuses(small)).toEqual([402, 402, 402]);
    const { id: shown } = await succeed(call('POST', 'encounter', { assets: [id] }, owner));
    expect(await statuses(small)).toEqual([200, 200, 200]);
    await succeed(call('DELETE', `encounter/${String(shown)}`, undefined, owner));
    await succeed(call('DELETE', `asset/${id}`, undefined, owner));
    expect(await statuses(small)).toEqual([402, 402, 402]);
    expect(await statuses(original)).toEqual([402, 402, 402]);
  });

  /** The animals that are imported, of which each third is remarked upon. */
  const ANIMALS = manyAnimals(1800).map((animal, n) => ({
    ...animal,
    ...(n % 3 === 0 ? { observationComments: 'beside the watercourse' } : {}),
  }));
  const [MARKED, PAGE] = [600, 50];

  /** The IDs of all that a search finds, page by page, and the servers that have answered. */
  async function walk(query: string): Promise<{ ids: unknown[]; servers: number[] }> {
    const [ids, servers]: [unknown[], number[]] = [[], []];
    let next: string | null = '';
    while (next !== null) {
      const cursor: string = next === '' ? '' : `&cursor=${encodeURIComponent(next)}`;
      const url = `search/encounter?${query}&limit=${PAGE}${cursor}`;
      const answer = await request(call('GET', url));
      expect([answer.status, keyOf(answer)]).toEqual([200, undefined]);
      expect(servedBy(answer)).not.toBe(servers.at(-1));
      servers.push(servedBy(answer));
      ids.push(...matches(answer));
      next = responseOf(answer)['next'] as string | null;
    }
    return { ids, servers };
  }
  /** The walk gives each of them once. */
  async function expectWalked(query: string, count: number): Promise<void> {
    const { ids, servers } = await walk(query);
    expect([ids.length, new Set(ids).size]).toEqual([count, count]);
    expect(new Set(servers)).toEqual(new Set(SERVERS));
  }
  const WORD = 'q=watercourse';

  const searches: readonly Step[] = [
    [
      'what is imported beside them is found through all',
      async () => {
        const run = await runScript('import', fleet.envOf(0), [exampleWith(...ANIMALS)]);
        expect(await run.ended).toBe(0);
        const all = call('GET', `search/encounter?${WORD}&count=exact&limit=1`);
        for (const answer of await everywhere(all))
          expect(responseOf(answer)['total']).toBe(MARKED);
      },
    ],
    [
      'a walk with cursors gives each once, each page from another server',
      () => expectWalked(`source=${SOURCE}&${WORD}&sort=-updated_at`, MARKED),
    ],
    [
      'what searches use is made anew while they find what they should',
      async () => {
        const { id } = await succeed(call('POST', 'encounter', { remarks: 'before' }));
        const waiting = 'select type from oms_search_jobs';
        const isWaiting = async (): Promise<boolean> =>
          (await ask(fleet.database.env, [waiting]))[0]?.length !== 0;
        const run = await runScript('reindex', fleet.envOf(1));
        expect(await run.ended).toBe(0);
        let rounds = 0;
        while (await isWaiting()) {
          rounds += 1;
          const remarks = `changed${rounds}`;
          await succeed(call('PUT', `encounter/${String(id)}`, { remarks }));
          for (const answer of await everywhere(call('GET', `search/encounter?q=${remarks}`)))
            expect(matches(answer)).toEqual([id]);
          await expectWalked(WORD, MARKED);
        }
        expect(rounds).toBeGreaterThan(0);
        await expectWalked(WORD, MARKED);
        tell(`three servers: ${rounds} rounds of searches while these were made anew`);
      },
    ],
  ];
  story('search as one', searches);

  /** How often requests of the load were answered so. */
  const count = (status: number | 'none'): number => load.statuses.get(status) ?? 0;

  /** What is stored of the load is what it was told. */
  async function expectNothingLost(seen: number): Promise<void> {
    const touched = new Set(load.attempts.map(({ object }) => object));
    const { objects, entries } = await readStore(fleet.database.env);
    const stored = {
      objects: objects.filter(({ id }) => touched.has(id)),
      entries: entries.filter(({ object }) => touched.has(object)),
    };
    expect(faultsOf(load.attempts, stored)).toEqual([]);
    const versions = new Map(stored.objects.map(({ id, version }) => [id, version]));
    const latest = new Set(load.attempts.slice(seen).map(({ object }) => object));
    const { url } = fleet.balancer;
    expect(await unread(url, [...latest], versions, bearer(administrator))).toEqual([]);
  }

  test(`lose nothing that was acknowledged when one is killed, ${SERVER_KILLS} times, and fail no request at another`, async () => {
    const { balancer } = fleet;
    const [before, broken] = [load.sent, count('none')];
    let failed = 0;
    for (let kill = 0; kill < SERVER_KILLS; kill += 1) {
      const killed = Math.floor(random() * SERVERS.length);
      const seen = load.attempts.length;
      balancer.failures.length = 0;
      const writes = load.start(balancer.url);
      try {
        await load.further();
        await sleep(500 * random());
        expect(balancer.failures).toEqual([]);
        await fleet.end(killed, 'SIGKILL');
        const atKilled = balancer.failures.splice(0);
        expect(atKilled.filter(({ server }) => server !== killed)).toEqual([]);
        failed += atKilled.length;
        await fleet.start(killed);
        await load.further();
      } finally {
        await writes.stop();
      }
      expect(balancer.failures).toEqual([]);
      await expectNothingLost(seen);
    }
    expect(load.wrong).toEqual([]);
    expect([count('none') - broken, count(503)]).toEqual([failed, 0]);
    expect(failed).toBeGreaterThan(0);
    tell(
      `three servers: ${SERVER_KILLS} kills, ${failed} of ${load.sent - before} requests failed`,
    );
  });

  test(`fail none of ${WHILE_RESTARTED} requests while each is stopped and started again`, async () => {
    const { balancer } = fleet;
    const [before, seen, { refused }] = [load.sent, load.attempts.length, balancer];
    const broken = count('none');
    balancer.failures.length = 0;
    const expectNoFailure = (): void => {
      expect(balancer.failures).toEqual([]);
      // It has never asked at a port that was closed.
      expect(balancer.refused).toBe(refused);
      expect([count('none') - broken, count(503)]).toEqual([0, 0]);
    };
    const writes = load.start(balancer.url);
    try {
      for (let restarts = 3; load.sent - before < WHILE_RESTARTED; restarts += 3) {
        for (const place of SERVERS) {
          expect(await fleet.end(place, 'SIGTERM')).toBe(0);
          await fleet.start(place);
        }
        expectNoFailure();
        tell(`three servers: ${restarts} restarts, 0 of ${load.sent - before} requests failed`);
      }
    } finally {
      await writes.stop();
    }
    expectNoFailure();
    expect(load.wrong).toEqual([]);
    await expectNothingLost(seen);
  });
});

interface Person {
  readonly email: string;
  readonly password: string;
}

const servedBy = ({ headers }: Answer): number => Number(headers[SERVED_BY]);

/** The IDs of what a page of a search has. */
const matches = ({ text }: Answer): unknown[] => at(parsed(text), 'matches') as unknown[];
