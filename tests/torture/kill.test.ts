// @databases sqlite postgres
import { setTimeout as sleep } from 'node:timers/promises';
import { freshDatabase, testDatabase, type FreshDatabase } from '../helpers/database';
import { faultsOf } from './ledger';
import { Load, unread } from './load';
import { KILLS, randomFrom, SEED, tell } from './scale';
import { startServer, type Server } from './server';
import { integrityOf, readStore } from './store';

jest.setTimeout(KILLS * 30_000 + 60_000);

/** Milliseconds of writing before the end; a multiple of nothing that the service does. */
const moment = (random: () => number): number => 500 * random();

describe(`killing the service (OMS_TORTURE_SEED=${SEED})`, () => {
  let database: FreshDatabase;
  let server: Server | undefined;

  beforeAll(async () => {
    database = await freshDatabase();
  });
  afterAll(async () => {
    await server?.kill();
    await database.drop();
  });

  test(`in the middle of writes, ${KILLS} times, loses nothing that it has acknowledged`, async () => {
    const random = randomFrom(SEED);
    const load = new Load(random);
    server = await startServer(database.env);
    await load.prepare(server.url);
    let seen = 0;
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const writes = load.start(server.url);
      // A kill before anything was acknowledged would prove nothing.
      await load.further();
      await sleep(moment(random));
      await server.kill();
      await writes.stop();

      server = await startServer(database.env);
      expect(await integrityOf(database.env)).toBe('ok');
      const stored = await readStore(database.env);
      expect(faultsOf(load.attempts, stored)).toEqual([]);
      const versions = new Map(stored.objects.map(({ id, version }) => [id, version]));
      const touched = new Set(load.attempts.slice(seen).map(({ object }) => object));
      expect(await unread(server.url, [...touched], versions)).toEqual([]);
      seen = load.attempts.length;
    }
    expect(load.wrong).toEqual([]);
    const { attempts, acknowledged } = load;
    tell(
      `${testDatabase}: ${KILLS} kills, ${attempts.length} changes asked for, ${acknowledged} acknowledged`,
    );
  });
});
