/**
 * Copies pages from the WAL to the database on a thread of its own. A commit that does so (`wal_autocheckpoint`) stops all
 * readers while it writes up to 64 MiB; this thread stops nobody, and leaves to the commits what came meanwhile.
 */
import type BetterSqlite3 from 'better-sqlite3';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterFailure } from './sqlite-syncs';

/** Pages of WAL, of 4 KiB, from which on it is copied: fewer, and pages that are written again and again are copied as often. */
const MANY = 4096;
/** Pages that are copied within a commit: some milliseconds. A WAL begins anew only when all of it has been copied. */
const FEW = 512;
/** Milliseconds between two looks at how much there is. */
const LOOK = 50;

/** The pages in the WAL, and how many of them have been copied (https://www.sqlite.org/pragma.html#pragma_wal_checkpoint). */
export interface Wal {
  readonly log: number;
  readonly checkpointed: number;
}

export class SqliteCheckpoints {
  private thread: Worker | null = null;
  private isUnderWay = false;
  private nextLook = 0;

  /**
   * @param file the path of the database
   * @param failed is told why pages were not copied: they stay in the WAL, and are copied later
   */
  constructor(
    private readonly file: string,
    private readonly failed: (error: unknown) => void,
  ) {}

  /** After a commit on this connection, which does not fail where this does. */
  afterCommit(handle: BetterSqlite3.Database): void {
    try {
      this.look(handle);
    } catch (error) {
      afterFailure(handle, error);
      this.failed(error);
    }
  }

  private look(handle: BetterSqlite3.Database): void {
    const now = performance.now();
    if (now < this.nextLook) return;
    this.nextLook = now + LOOK;
    const [wal] = handle.pragma('wal_checkpoint(NOOP)') as [Wal];
    if (this.isUnderWay || wal.log < MANY) return;
    if (wal.log - wal.checkpointed > FEW) this.begin();
    else handle.pragma('wal_checkpoint(PASSIVE)');
  }

  async close(): Promise<void> {
    await this.thread?.terminate();
  }

  private begin(): void {
    this.isUnderWay = true;
    this.thread ??= this.start();
    this.thread.postMessage(null);
  }

  /** A thread that fails is started again at the next look; until then commits copy (`wal_autocheckpoint`). */
  private start(): Worker {
    const thread = new Worker(join(__dirname, 'sqlite-checkpointer.js'), {
      workerData: this.file,
      resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 },
    });
    thread.on('message', () => (this.isUnderWay = false));
    thread.on('error', this.failed);
    thread.on('exit', () => {
      if (this.thread === thread) this.thread = null;
      this.isUnderWay = false;
    });
    thread.unref();
    return thread;
  }
}
