// @long
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freshDatabase, type FreshDatabase } from '../helpers/database';
import { until } from '../helpers/until';
import { faultsOf } from './ledger';
import { Load, unread } from './load';
import { FAULTS, randomFrom, SEED, tell } from './scale';
import { startServer, type Server } from './server';
import { integrityOf, readStore } from './store';
import { inject, requireStrace } from './strace';
import { FILES } from './trace';
import { boundFiles } from './uploads';

jest.setTimeout(120_000 + FAULTS * 10_000);

/** What a call fails with, and how many calls of a thread are between two faults, at the least and at the most. */
const KINDS = [
  { fault: 'fsync:error=EIO', every: [3, 9] },
  { fault: 'pwrite64:error=EIO', every: [50, 300] },
  { fault: 'pwrite64:error=ENOSPC', every: [50, 300] },
] as const;

describe(`a disk that fails (OMS_TORTURE_SEED=${SEED})`, () => {
  const random = randomFrom(SEED);
  const load = new Load(random);
  let database: FreshDatabase;
  let folder: string;
  let server: Server | undefined;

  /** A service that runs, with the object that the load shares. */
  const running = async (): Promise<Server> => {
    if (server?.isWell()) return server;
    server = await startServer({ ...database.env, LIMIT_READS: '0' });
    if (load.attempts.length === 0) await load.prepare(server.url);
    return server;
  };

  beforeAll(async () => {
    requireStrace();
    database = await freshDatabase();
    folder = await mkdtemp(join(tmpdir(), 'oms faults '));
  });
  afterAll(async () => {
    await server?.kill();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Compares what is stored with what was answered: what was refused with 503 is not there. */
  const expectWhole = async (): Promise<void> => {
    const stored = await readStore(database.env);
    const attempts = load.attempts.map((attempt) => ({
      ...attempt,
      refused: attempt.refused || attempt.status === 503,
    }));
    expect(faultsOf(attempts, stored)).toEqual([]);
    expect(await integrityOf(database.env)).toBe('ok');
  };

  /** Writes while something makes the disk fail, until it has often enough, and without faults afterwards. */
  const writeDuring = async (what: string, failing: () => Promise<() => Promise<void>>) => {
    const { url } = await running();
    const writes = load.start(url);
    const refused = load.statuses.get(503) ?? 0;
    await load.further();
    const heal = await failing();
    await heal();
    await load.further();
    await writes.stop();
    expect(load.wrong).toEqual([]);
    expect(server?.isWell()).toBe(true);
    tell(`${what}: ${(load.statuses.get(503) ?? 0) - refused} answers of 503`);
  };

  test.each(KINDS)(
    '$fault loses nothing, keeps nothing that was refused, and is 503',
    async ({ fault, every: [least, most] }) => {
      const files = FILES.map((name) => join(database.dataDir, name));
      await writeDuring(fault, async () => {
        const every = least + Math.floor(random() * (most - least));
        const when = `${fault}:when=${1 + Math.floor(random() * every)}+${every}`;
        const injection = await inject(await running(), files, when, join(folder, `log ${fault}`));
        await until(`it has failed ${FAULTS} times`, () => injection.count() >= FAULTS, 60);
        return () => injection.stop();
      });
      await expectWhole();
    },
  );

  test('a write that is cut short loses nothing, keeps nothing that was refused, and is 503', async () => {
    await writeDuring('short writes', async () => {
      const bounded = await running();
      for (let n = 0; n < FAULTS; n += 1) {
        const refused = load.statuses.get(503) ?? 0;
        // The write that crosses the bound is short, the next one fails. The WAL may begin anew meanwhile, far below the bound.
        let bound = Infinity;
        await until('a write has failed', async () => {
          const lower = (await endOfWal(database)) + Math.floor(random() * 10_000);
          if (lower < bound) boundFiles(bounded, (bound = lower));
          return (load.statuses.get(503) ?? 0) > refused;
        });
        boundFiles(bounded, null);
        await load.further();
      }
      return () => Promise.resolve();
    });
    await expectWhole();
  });

  test('the service is killed as soon as it has refused a change for a sync: it is not there after the restart', async () => {
    const killed = await running();
    const files = FILES.map((name) => join(database.dataDir, name));
    const log = join(folder, 'log killed');
    const injection = await inject(killed, files, 'fsync:error=EIO:when=1+2', log);
    const refused = load.statuses.get(503) ?? 0;
    const writes = load.start(killed.url, 1);
    await until('a sync has failed', () => (load.statuses.get(503) ?? 0) > refused);
    await killed.kill();
    await Promise.all([writes.stop(), injection.stop()]);

    const { url } = await running();
    await expectWhole();
    const { objects } = await readStore(database.env);
    const versions = new Map(objects.map(({ id, version }) => [id, version]));
    const ids = new Set(load.attempts.map(({ object }) => object));
    expect(await unread(url, [...ids], versions)).toEqual([]);
  });
});

/** Bytes of a frame of the WAL, and of its header (https://www.sqlite.org/fileformat2.html#walformat). */
const FRAME = 24 + 4096;
const HEADER = 32;

/** Where the WAL ends: the number of its frames is at byte 16 of its index (https://www.sqlite.org/walformat.html#walidxfmt). */
async function endOfWal({ source }: FreshDatabase): Promise<number> {
  const index = await open(`${source}-shm`);
  try {
    const { buffer } = await index.read({ buffer: Buffer.alloc(4), position: 16 });
    return HEADER + buffer.readUInt32LE() * FRAME;
  } finally {
    await index.close();
  }
}
