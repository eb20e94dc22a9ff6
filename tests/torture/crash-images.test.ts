// @long
import { mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  prepareSqliteConnection,
  sqliteDriver,
} from '#app/plugins/objects/server/database/sqlite-driver';
import { freshDatabase, type FreshDatabase } from '../helpers/database';
import { send } from '../helpers/http';
import { until } from '../helpers/until';
import { copyFiles, Disk } from './disk';
import { faultsOf, type Attempt } from './ledger';
import { Load } from './load';
import { IMAGES, isLong, randomFrom, SEED, tell, TRACES, type Random } from './scale';
import { startServer, type Server } from './server';
import { integrityOf, readStore } from './store';
import { requireStrace, traced, traceEnded } from './strace';
import { readTrace, type Happening } from './trace';

jest.setTimeout(TRACES * 200_000);

/** A trace of a service that was killed. */
interface Trace {
  readonly load: Load;
  readonly happenings: readonly Happening[];
  /** A folder with the files of the database before its start. */
  readonly before: string;
}

interface Run {
  readonly workers: number;
  readonly inject?: string;
  /** Waits until enough is written. */
  readonly until: (load: Load) => Promise<void>;
}

describe(`a power failure (OMS_TORTURE_SEED=${SEED})`, () => {
  let database: FreshDatabase;
  let folder: string;
  let server: Server | undefined;

  beforeAll(requireStrace);
  beforeEach(async () => {
    database = await freshDatabase();
    folder = await mkdtemp(join(tmpdir(), 'oms crash '));
  });
  afterEach(async () => {
    await server?.kill();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Writes to a service until there is enough, and kills it. */
  const trace = async (
    random: Random,
    { workers, inject, until: isEnough }: Run,
  ): Promise<Trace> => {
    const file = join(folder, 'trace');
    const before = join(folder, 'before');
    await mkdir(before);
    copyFiles(database.dataDir, before);
    server = await startServer(database.env, traced(file, inject));
    const load = new Load(random);
    await load.prepare(server.url);
    const writes = load.start(server.url, workers);
    const jobs = leaveJobs(server.url);
    await isEnough(load);
    await server.kill();
    await Promise.all([writes.stop(), jobs.stop()]);
    await traceEnded(file, server);
    return { load, before, happenings: await readTrace(file, database.dataDir) };
  };

  /** Lets the power fail at moments of a trace. @returns what was acknowledged and is not there, and all that is wrong */
  const faultsAfter = async (
    { load, before, happenings }: Trace,
    random: Random,
  ): Promise<string[]> => {
    const faults: string[] = [];
    const disk = new Disk(before, random);
    const moments = momentsOf(happenings, random);
    const answered = new Set<string>();
    for (const [n, happening] of happenings.entries()) {
      if (happening.is === 'answer') answered.add(happening.transactionId);
      else disk.follow(happening);
      if (!moments.has(n)) continue;
      const image = join(folder, `image ${n}`);
      disk.leave(image);
      const found = await faultsOfImage(image, asOf(answered, load.attempts));
      faults.push(...found.map((fault) => `at ${n} of ${happenings.length}: ${fault}`));
      await rm(image, { recursive: true });
    }
    // What the trace does not tell could not be missed.
    expect(asOf(answered, load.attempts)).toEqual(load.attempts);
    return faults;
  };

  test.each(Array.from({ length: TRACES }, (_, n) => n + 1))(
    'loses nothing that was acknowledged: run %d',
    async (n) => {
      const random = randomFrom(SEED + n);
      const traced = await trace(random, { workers: 24, until: copiedOf(database) });
      expect(await faultsAfter(traced, random)).toEqual([]);
      tell(`${IMAGES} power failures, ${told(traced)}`);
    },
  );

  test.each(Array.from({ length: TRACES }, (_, n) => n + 1))(
    'loses nothing that was acknowledged after syncs have failed: run %d',
    async (n) => {
      const random = randomFrom(SEED - n);
      const traced = await trace(random, {
        // Parts of jobs are not synced by themselves where nothing else waits.
        workers: 1,
        // Each failed sync has the whole WAL written again, which a trace has, too.
        inject: `fsync:error=EIO:when=40+${isLong ? 3 : 5}`,
        until: (load) =>
          until('much is written', () => load.acknowledged > (isLong ? 80 : 40), TRACES * 110),
      });
      expect(failedSyncs(traced)).toBeGreaterThan(0);
      expect(await faultsAfter(traced, random)).toEqual([]);
      tell(`${IMAGES} power failures, ${failedSyncs(traced)} failed syncs, ${told(traced)}`);
    },
  );
});

/** How often the WAL has begun anew (https://www.sqlite.org/fileformat2.html#walformat, at byte 12). */
async function checkpointsOf({ source }: FreshDatabase): Promise<number> {
  const wal = await open(`${source}-wal`);
  try {
    return (await wal.read({ position: 12, length: 4 })).buffer.readUInt32BE();
  } finally {
    await wal.close();
  }
}

/** Until all of the WAL was copied to the database, so that it has begun anew, and more is written. */
const copiedOf =
  (database: FreshDatabase): Run['until'] =>
  async (load) => {
    const first = await checkpointsOf(database);
    const isCopied = async (): Promise<boolean> => (await checkpointsOf(database)) !== first;
    await until('all of the WAL is copied', isCopied, 60);
    const acknowledged = load.acknowledged;
    await until('more is written', () => load.acknowledged > acknowledged + 20);
  };

/** Changes that leave work in the background for all encounters, until it is stopped. */
function leaveJobs(url: string): { stop(): Promise<void> } {
  let isStopped = false;
  const changing = (async () => {
    for (let n = 0; !isStopped; n += 1) {
      const body = { default_location_privacy: n % 2 === 0 ? 'obscured' : 'open' };
      await send(url, { method: 'PUT', url: '/api/v0/site_settings', body }).catch(() => null);
      await sleep(300);
    }
  })();
  return {
    async stop() {
      isStopped = true;
      await changing;
    },
  };
}

/** Moments by turns: one of all, one at which an answer is sent, one before a sync, one after a page was copied from the WAL. */
function momentsOf(happenings: readonly Happening[], random: Random): Set<number> {
  const all = [...happenings.keys()];
  const kinds = [
    all,
    all.filter((n) => happenings[n]?.is === 'answer'),
    all.filter((n) => isOf(happenings[n + 1], 'begin', 'sync')),
    all.filter((n) => isOf(happenings[n], 'end', 'write', 'db.sqlite')),
  ];
  const moments = new Set<number>();
  for (let n = 0; moments.size < IMAGES; n += 1) {
    const kind = kinds[n % kinds.length] ?? [];
    const moment = kind[Math.floor(random() * kind.length)];
    if (moment !== undefined) moments.add(moment);
  }
  return moments;
}

function isOf(
  happening: Happening | undefined,
  is: 'begin' | 'end',
  does: string,
  file?: string,
): boolean {
  if (happening?.is !== is) return false;
  const { what } = happening.call;
  return what.does === does && (file === undefined || ('file' in what && what.file === file));
}

/** What was asked for, with the acknowledgments that were sent by then. */
const asOf = (answered: ReadonlySet<string>, attempts: readonly Attempt[]): Attempt[] =>
  attempts.map((attempt) =>
    attempt.transactionId === null || answered.has(attempt.transactionId)
      ? attempt
      : { ...attempt, version: null },
  );

/** Opens what is left as the service does, and compares it with what was asked for. */
async function faultsOfImage(folder: string, attempts: readonly Attempt[]): Promise<string[]> {
  const env = { OMS_DATA_DIR: folder };
  const Driver = sqliteDriver();
  const handle = new Driver(join(folder, 'db.sqlite'));
  try {
    prepareSqliteConnection(handle, (error) => {
      if (error) throw error;
    });
    const integrity = await integrityOf(env);
    if (integrity !== 'ok') return [JSON.stringify(integrity)];
    return faultsOf(attempts, await readStore(env));
  } catch (error) {
    return [String(error)];
  } finally {
    handle.close();
  }
}

const failedSyncs = ({ happenings }: Trace): number =>
  happenings.filter((one) => isOf(one, 'end', 'sync') && one.is === 'end' && one.call.result !== 0)
    .length;

const told = ({ load, happenings }: Trace): string => {
  const count = (does: string, file: string): number =>
    happenings.filter((one) => isOf(one, 'end', does, file)).length;
  return (
    `${load.attempts.length} changes asked for, ${load.acknowledged} acknowledged, ` +
    `${count('sync', 'db.sqlite-wal')} syncs of the WAL, ${count('write', 'db.sqlite')} pages copied`
  );
};
