/**
 * Copies pages from the WAL to the database on a thread of its own. A commit that does so (`wal_autocheckpoint`) stops all
 * readers while it writes up to 64 MiB; this thread stops nobody, and leaves to the commits what came meanwhile.
 */
import type BetterSqlite3 from 'better-sqlite3';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterFailure } from './sqlite-syncs';

/**
 * Pages of WAL, of 4 KiB, from which on it is copied. All of them are synced to the disk at once, and commits meanwhile wait for
 * their own sync: with 4,096 pages for some 40 ms, several times a second where a table is being filled.
 */
const MANY = 512;
/** Pages in the WAL at which who can wait does so until all are copied, so that it begins anew: below `wal_autocheckpoint`. */
const TOO_MANY = 8192;
/** Pages that are copied within a commit. A WAL begins anew only when all of it has been copied. */
const FEW = 64;
/** Milliseconds between two looks at how much there is. */
const LOOK = 50;

/** The pages in the WAL, and how many of them have been copied (https://www.sqlite.org/pragma.html#pragma_wal_checkpoint). */
interface Wal {
  readonly log: number;
  readonly checkpointed: number;
}

export class SqliteCheckpoints {
  private thread: Worker | null = null;
  private underWay: Promise<void> | null = null;
  private end: () => void = () => undefined;
  private nextLook = 0;
  /** At the last look. */
  private pages = { all: 0, left: 0 };

  /**
   * @param file the path of the database
   * @param failed is told why pages were not copied: they stay in the WAL, and are copied later
   */
  constructor(
    private readonly file: string,
    private readonly failed: (error: unknown) => void,
  ) {}

  /**
   * After a commit, which does not fail where this does.
   *
   * @param handle the connection of the event loop
   * @param isApart whether the commit was not made on the event loop, which then copies nothing
   */
  afterCommit(handle: BetterSqlite3.Database, isApart = false): void {
    try {
      this.look(handle, isApart);
    } catch (error) {
      afterFailure(handle, error);
      this.failed(error);
    }
  }

  /**
   * Where the WAL is large: until the thread has copied all of it. Who writes on and on waits for it, as a WAL that grows faster
   * than it is copied would be copied by a commit in the end.
   */
  async caughtUp(): Promise<void> {
    if (this.pages.all < TOO_MANY) return;
    await this.underWay;
    // What was written meanwhile.
    if (this.pages.left > 0) await this.begin();
    this.pages = { all: 0, left: 0 };
  }

  private look(handle: BetterSqlite3.Database, isApart: boolean): void {
    const now = performance.now();
    if (now < this.nextLook) return;
    this.nextLook = now + LOOK;
    const [wal] = handle.pragma('wal_checkpoint(NOOP)') as [Wal];
    this.pages = { all: wal.log, left: wal.log - wal.checkpointed };
    if (this.underWay || wal.log < MANY) return;
    if (this.pages.left > FEW) void this.begin();
    else if (!isApart) handle.pragma('wal_checkpoint(PASSIVE)');
  }

  async close(): Promise<void> {
    await this.thread?.terminate();
  }

  private begin(): Promise<void> {
    this.underWay ??= new Promise((resolve) => {
      this.end = () => {
        this.underWay = null;
        resolve();
      };
      this.thread ??= this.start();
      this.thread.postMessage(null);
    });
    return this.underWay;
  }

  /** A thread that fails is started again at the next look; until then commits copy (`wal_autocheckpoint`). */
  private start(): Worker {
    const thread = new Worker(join(__dirname, 'sqlite-checkpointer.js'), {
      workerData: this.file,
      resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 },
    });
    thread.on('message', () => this.end());
    thread.on('error', this.failed);
    thread.on('exit', () => {
      if (this.thread === thread) this.thread = null;
      this.end();
    });
    thread.unref();
    return thread;
  }
}
