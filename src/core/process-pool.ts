/** Processes of our own for work that must not affect the service: each does one job after the other, and can be ended. */
import { fork, type ChildProcess, type ForkOptions } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { FairQueue, type QueueSize } from './fair-queue';
import type { QueueLoad } from './load';

export interface PoolOptions {
  /** The compiled file that a process runs: it answers each message with one. */
  readonly script: string;
  readonly args?: readonly string[];
  readonly fork?: ForkOptions;
  /** The niceness of the processes, from 0 (like the service) to 19, `os.constants.priority.PRIORITY_LOW`. */
  readonly niceness: number;
  readonly queue: QueueSize;
  /** The maximum time for one job, in milliseconds. */
  readonly maxTime: number;
  /** Milliseconds without work after which a process ends. */
  readonly idle: number;
  /** The number of jobs after which a process is replaced. */
  readonly maxJobs?: number;
}

/** What became of a job: the process answered, was ended because of the time or the signal, or ended by itself. */
export type JobEnd<Result> =
  | { readonly how: 'answered'; readonly result: Result }
  | { readonly how: 'overdue' | 'aborted' | 'died' };

interface Worker {
  readonly child: ChildProcess;
  jobs: number;
  idle: NodeJS.Timeout | null;
}

/**
 * For the script of such a process: it ends with the process that has started it, and ignores the signals of a terminal
 * or a supervisor, which go to all processes of a group, while that one lets its requests finish.
 */
export function outliveSignals(): void {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, ignore);
  process.on('disconnect', () => process.exit(0));
}

const ignore = (): void => undefined;

export class ProcessPool<Job extends object, Result> {
  private readonly queue: FairQueue;
  private readonly free: Worker[] = [];
  private readonly all = new Set<Worker>();
  private isClosed = false;

  constructor(private readonly options: PoolOptions) {
    this.queue = new FairQueue(options.queue);
  }

  /**
   * Does a job when it is its turn.
   *
   * @param origin whose turn it is
   * @param signal ends the job
   * @throws ApiError UNAVAILABLE when too many wait
   */
  run(job: Job, origin: string, signal?: AbortSignal): Promise<JobEnd<Result>> {
    return this.queue.run(origin, () => this.work(job, signal));
  }

  get load(): QueueLoad {
    return this.queue.load;
  }

  /** Ends all processes; their jobs, and those that wait, are aborted. */
  close(): void {
    this.isClosed = true;
    for (const worker of this.all) this.end(worker);
  }

  private async work(job: Job, signal?: AbortSignal): Promise<JobEnd<Result>> {
    if (signal?.aborted || this.isClosed) return { how: 'aborted' };
    const worker = this.free.pop() ?? this.start();
    if (worker.idle) clearTimeout(worker.idle);
    worker.jobs += 1;
    const { child } = worker;
    let how: 'overdue' | 'aborted' | 'died' = 'died';
    const stop = (because: 'overdue' | 'aborted'): void => {
      how = because;
      this.end(worker);
    };
    const overdue = setTimeout(() => stop('overdue'), this.options.maxTime);
    const abort = (): void => stop('aborted');
    signal?.addEventListener('abort', abort, { once: true });
    const over = new AbortController();
    try {
      child.send(job);
      const answered = once(child, 'message', { signal: over.signal });
      const ended = once(child, 'exit', { signal: over.signal });
      for (const either of [answered, ended]) either.catch(() => undefined);
      return await Promise.race([
        answered.then(([result]): JobEnd<Result> => ({
          how: 'answered',
          result: result as Result,
        })),
        ended.then((): JobEnd<Result> => ({ how: this.isClosed ? 'aborted' : how })),
      ]);
    } catch {
      return { how: this.isClosed ? 'aborted' : how };
    } finally {
      over.abort();
      clearTimeout(overdue);
      signal?.removeEventListener('abort', abort);
      this.release(worker);
    }
  }

  private start(): Worker {
    const { script, args = [], fork: given, niceness } = this.options;
    const child = fork(script, [...args], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      ...given,
    });
    const worker: Worker = { child, jobs: 0, idle: null };
    this.all.add(worker);
    child.once('exit', () => this.forget(worker));
    child.on('error', () => this.end(worker));
    try {
      if (child.pid !== undefined) setPriority(child.pid, niceness);
    } catch {
      // It has ended already, or the system has no priorities.
    }
    return worker;
  }

  private release(worker: Worker): void {
    if (!this.all.has(worker)) return;
    const { idle, maxJobs = Infinity } = this.options;
    if (worker.jobs >= maxJobs) return this.end(worker);
    worker.idle = setTimeout(() => this.end(worker), idle).unref();
    this.free.push(worker);
  }

  private end(worker: Worker): void {
    this.forget(worker);
    worker.child.kill('SIGKILL');
  }

  private forget(worker: Worker): void {
    this.all.delete(worker);
    if (worker.idle) clearTimeout(worker.idle);
    const at = this.free.indexOf(worker);
    if (at !== -1) this.free.splice(at, 1);
  }
}
