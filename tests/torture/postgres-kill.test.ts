// @databases postgres
// @long
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { send, type Request } from '../helpers/http';
import { at, parsed } from '../helpers/json';
import { makeCluster, type Cluster } from './cluster';
import { faultsOf } from './ledger';
import { Load, SHARED, unread } from './load';
import { KILLS, randomFrom, SEED, tell, type Random } from './scale';
import { startServer, type Server } from './server';
import { readStore } from './store';

jest.setTimeout(KILLS * 30_000 + 60_000);

/** Milliseconds after its return within which the database has to be served from again. */
const BACK = 5000;

const one = `/api/v0/encounter/${SHARED}`;

const CALLS: readonly Request[] = [
  { method: 'GET', url: one },
  { method: 'PUT', url: one, body: { remarks: 'lost' } },
  { method: 'POST', url: '/api/v0/encounter', body: { remarks: 'lost' } },
];

describe(`killing PostgreSQL (OMS_TORTURE_SEED=${SEED})`, () => {
  let cluster: Cluster;
  let dataDir: string;
  let server: Server;
  let load: Load;
  let env: Readonly<Record<string, string>>;
  const random: Random = randomFrom(SEED);

  beforeAll(async () => {
    cluster = await makeCluster();
    await cluster.start();
    dataDir = await mkdtemp(join(tmpdir(), 'oms test '));
    env = { OMS_DATA_DIR: dataDir, DATABASE_CLIENT: 'postgres', DATABASE_URL: cluster.url };
    server = await startServer(env);
    load = new Load(random);
    await load.prepare(server.url);
  });
  afterAll(async () => {
    await server?.kill();
    await cluster?.remove();
    await rm(dataDir, { recursive: true, force: true });
  });

  const status = async (request: Request): Promise<number> =>
    (await send(server.url, request)).status;

  /** Alive always; ready exactly when the database is there. */
  async function expectHealth(isReady: boolean): Promise<void> {
    expect(await status({ method: 'GET', url: '/_health' })).toBe(200);
    const ready = await send(server.url, { method: 'GET', url: '/_health/ready' });
    const database = at(parsed(ready.text), 'checks', 'database');
    expect([ready.status, database]).toEqual(isReady ? [200, true] : [503, false]);
  }

  /** Long enough to find a service that has stopped trying, or answers from what it remembers. */
  async function expectAway(): Promise<void> {
    const until = Date.now() + 200 + 800 * random();
    do {
      await expectHealth(false);
      for (const call of CALLS) {
        const answer = await send(server.url, call);
        expect([call.method, answer.status]).toEqual([call.method, 503]);
        expect(answer.headers['retry-after']).toMatch(/^\d+$/);
      }
      await sleep(50);
    } while (Date.now() < until);
  }

  /** @returns milliseconds until a write was done again */
  async function untilServed(): Promise<number> {
    const returned = Date.now();
    const before = load.acknowledged;
    while (load.acknowledged === before) {
      if (Date.now() - returned > BACK) throw new Error('it does not serve again');
      await sleep(10);
    }
    const taken = Date.now() - returned;
    await expectHealth(true);
    return taken;
  }

  test(`under the service, ${KILLS} times, is 503 and then served from again by the same process`, async () => {
    const times: number[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      const writes = load.start(server.url);
      await load.further();
      await sleep(500 * random());
      await cluster.end(kill % 2 === 0 ? 'SIGKILL' : 'SIGQUIT');
      await expectAway();
      await cluster.start();
      times.push(await untilServed());
      await writes.stop();

      expect(server.isWell()).toBe(true);
      expect(load.wrong).toEqual([]);
      const stored = await readStore(env);
      expect(faultsOf(load.attempts, stored)).toEqual([]);
      const versions = new Map(stored.objects.map(({ id, version }) => [id, version]));
      expect(await unread(server.url, [...versions.keys()].slice(-200), versions)).toEqual([]);
    }
    const { attempts, acknowledged } = load;
    tell(
      `PostgreSQL killed ${KILLS} times: ${attempts.length} changes asked for, ${acknowledged} acknowledged; served again after ${times.join(', ')} ms`,
    );
  });
});
