/** The processes that run the statements of searches on SQLite. */
import { join, resolve } from 'node:path';
import type { QueueLoad } from '../../../../core/load';
import { ProcessPool } from '../../../../core/process-pool';
import { APART, READ_TIMEOUT, unavailable, type Turn } from './database';
import type { Statement } from './sql';
import type { SearchAnswer, SearchJob } from './sqlite-searcher';
import type { Row } from './work';

/** Milliseconds without a search after which a process ends. */
const IDLE = 300_000;

/**
 * Where all processors are busy, a search gets a third of the time that the service gets (Linux, `sched(7)`):
 * with the lowest priority it would not even begin within READ_TIMEOUT.
 */
const NICENESS = 5;

/**
 * Bytes that the C library (glibc, `mallopt(3)`) keeps at the end of the heap. By default it gives more than 128 KiB back
 * to the system, and SQLite takes up to 1 MiB for the tables of a statement: depending on what lies behind them, each
 * statement had its memory mapped anew, page by page, which took several times as long as to run it.
 */
const KEPT_MEMORY = 32 * 1024 * 1024;

/** A read was ended: it took too long, or nobody waits for its rows. */
export class Ended extends Error {}

export class SqliteSearchers {
  private readonly pool: ProcessPool<SearchJob, SearchAnswer>;

  constructor(file: string) {
    this.pool = new ProcessPool({
      script: join(__dirname, 'sqlite-searcher.js'),
      args: [resolve(file)],
      fork: {
        env: { MALLOC_TRIM_THRESHOLD_: String(KEPT_MEMORY) },
        execArgv: ['--max-old-space-size=64'],
      },
      queue: APART,
      maxTime: READ_TIMEOUT,
      idle: IDLE,
      niceness: NICENESS,
    });
  }

  /** @throws Ended, ApiError UNAVAILABLE, the database's error with its code */
  async read({ sql, values }: Statement, { origin, signal }: Turn): Promise<readonly Row[]> {
    const ended = await this.pool.run({ text: sql.sqlite, values }, origin, signal);
    if (ended.how === 'died') throw unavailable(new Error('the process of a search has ended'));
    if (ended.how !== 'answered') throw new Ended(ended.how);
    const { result } = ended;
    if ('rows' in result) return result.rows;
    throw Object.assign(new Error(result.message), { code: result.code });
  }

  get load(): QueueLoad {
    return this.pool.load;
  }

  close(): void {
    this.pool.close();
  }
}
