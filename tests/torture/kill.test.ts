// @databases sqlite postgres
// @long
import { setTimeout as sleep } from 'node:timers/promises';
import { freshDatabase, testDatabase, type FreshDatabase } from '../helpers/database';
import {
  addEncounters,
  gone,
  makeTarget,
  readMeanwhile,
  remainsOf,
  remove,
  untouched,
  type Target,
} from './deletions';
import { faultsOf } from './ledger';
import { Load, unread } from './load';
import { DELETED, KILLS, randomFrom, SEED, tell, UPLOAD_KILLS } from './scale';
import { startServer, type Server } from './server';
import { emptyLog, integrityOf, readStore } from './store';
import { boundFiles, leftoversOf, photographFaults, Uploads } from './uploads';

jest.setTimeout(KILLS * 30_000 + 60_000);

/** About how many milliseconds the deletion takes for each encounter. */
const DELETION = { sqlite: 0.03, postgres: 0.2 };

/** Milliseconds of writing before the end; a multiple of nothing that the service does. */
const moment = (random: () => number): number => 500 * random();

describe(`killing the service (OMS_TORTURE_SEED=${SEED})`, () => {
  let database: FreshDatabase;
  let server: Server | undefined;

  /** Starts a service, after the one of the last test, which may have come in any order. */
  const start = async (): Promise<Server> => {
    await server?.kill();
    return (server = await startServer(database.env));
  };
  /** The one that runs, unless the last test has killed it. */
  const running = async (): Promise<Server> => (server?.isWell() ? server : start());

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
    // All that there is was written by it: other tests may have run before.
    await server?.kill();
    await database.drop();
    database = await freshDatabase();
    const { url } = await start();
    await load.prepare(url);
    let seen = 0;
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const killed = await running();
      const writes = load.start(killed.url);
      // A kill before anything was acknowledged would prove nothing.
      await load.further();
      await sleep(moment(random));
      await killed.kill();
      await writes.stop();

      const { url: again } = await start();
      expect(await integrityOf(database.env)).toBe('ok');
      const stored = await readStore(database.env);
      expect(faultsOf(load.attempts, stored)).toEqual([]);
      const versions = new Map(stored.objects.map(({ id, version }) => [id, version]));
      const touched = new Set(load.attempts.slice(seen).map(({ object }) => object));
      expect(await unread(again, [...touched], versions)).toEqual([]);
      seen = load.attempts.length;
    }
    expect(load.wrong).toEqual([]);
    const { attempts, acknowledged } = load;
    tell(
      `${testDatabase}: ${KILLS} kills, ${attempts.length} changes asked for, ${acknowledged} acknowledged`,
    );
  });

  test('in the middle of uploads leaves no photograph without files, and no files that nobody knows', async () => {
    const random = randomFrom(SEED);
    const uploads = new Uploads();
    for (let kill = 1; kill <= UPLOAD_KILLS; kill += 1) {
      const killed = await running();
      const sending = uploads.start(killed.url);
      await uploads.further();
      await sleep(moment(random));
      await killed.kill();
      await sending.stop();
      expect(leftoversOf(database, killed)).not.toEqual([]);

      const restarted = await start();
      expect(leftoversOf(database, killed)).toEqual([]);
      expect(leftoversOf(database, restarted)).toEqual([]);
      await expectSettled(() => photographFaults(database, uploads.acknowledged));
    }
    tell(
      `${testDatabase}: ${UPLOAD_KILLS} kills, ${uploads.acknowledged.size} photographs acknowledged, ${uploads.lost} lost`,
    );
  });

  describe('what many encounters refer to is deleted', () => {
    const TYPES = ['individual', 'user'] as const;
    const targets: Record<string, Target> = {};

    beforeAll(async () => {
      const made = await start();
      for (const type of TYPES)
        for (const what of ['killed', 'whole'])
          targets[`${what} ${type}`] = await makeTarget(made, type, DELETED[type]);
      await made.kill();
      for (const target of Object.values(targets)) await addEncounters(database.env, target);
    });

    test.each(TYPES)('with all of them or not at all, where it is killed: %s', async (type) => {
      const random = randomFrom(SEED);
      const target = targets[`killed ${type}`] as Target;
      const killed = await start();
      const removal = remove(killed, target);
      await sleep(DELETED[type] * DELETION[testDatabase] * random());
      await killed.kill();
      const status = await removal;
      const left = await remainsOf(database.env, target);
      const isDone = left.targets === 0;
      expect(left).toEqual(isDone ? gone(target) : untouched(target));
      expect([status, isDone]).toEqual([status === null ? null : 200, status === 200 || isDone]);
      expect(await integrityOf(database.env)).toBe('ok');
      tell(`${testDatabase}: killed in the deletion of ${type}s: ${isDone ? 'done' : 'nothing'}`);
    });

    test('each of them changed once, and reads are answered meanwhile', async () => {
      const deleting = await start();
      for (const type of TYPES) {
        const target = targets[`whole ${type}`] as Target;
        let isDone = false;
        const reading = readMeanwhile(database.env, deleting, target, () => isDone);
        expect(await remove(deleting, target)).toBe(200);
        isDone = true;
        const { reads, wrong } = await reading;
        expect(wrong).toEqual([]);
        expect(reads).toBeGreaterThan(0);
        expect(await remainsOf(database.env, target)).toEqual(gone(target));
        expect(await remove(deleting, target)).toBe(402);
        tell(`${testDatabase}: ${DELETED[type]} encounters of a deleted ${type}, ${reads} reads`);
      }
      expect(deleting.isWell()).toBe(true);
    });
  });

  test('a disk that takes no more is 503, leaves nothing, and may take more later', async () => {
    const full = await running();
    const uploads = new Uploads();
    // The files of the database are smaller, once its log is empty.
    emptyLog(database.env);
    boundFiles(full, 16 * 1024 * 1024);
    expect(await uploads.send(full.url, 17 * 1024 * 1024)).toBe(503);
    expect(leftoversOf(database, full)).toEqual([]);
    expect(await uploads.send(full.url, 0)).toBe(200);
    boundFiles(full, null);
    expect(await uploads.send(full.url, 17 * 1024 * 1024)).toBe(200);
    expect(full.isWell()).toBe(true);
    await expectSettled(() => photographFaults(database, uploads.acknowledged));
  });
});

/** What is swept up after a start is gone soon. */
async function expectSettled(faults: () => Promise<readonly string[]>): Promise<void> {
  const started = Date.now();
  while ((await faults()).length > 0 && Date.now() - started < 5000) await sleep(50);
  expect(await faults()).toEqual([]);
}
