/** The processes that decode images: few, of low priority, each with bounded memory and time. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism, constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { FairQueue } from '../../../../core/fair-queue';
import type { DecodeJob, DecodeResult } from './image';

/**
 * The number of processes. Their priority is the lowest, so that requests come first even with one process per core.
 */
const RUNNING = Math.min(4, availableParallelism());

/** The number of images that may wait, of one network and in total: the work of a minute. */
const QUEUE = { running: RUNNING, waitingOfOne: 40, waiting: 120 };

/** The maximum time for one image, in milliseconds. */
const MAX_TIME = 60_000;
/** Milliseconds without work after which a process ends. */
const IDLE = 20_000;
/** The number of images after which a process is replaced, because the memory of the libraries fragments. */
const MAX_JOBS = 200;

interface Decoder {
  readonly child: ChildProcess;
  jobs: number;
  idle: NodeJS.Timeout | null;
}

const TOO_MUCH: DecodeResult = { ok: false, rejection: { why: 'no image' } };

export class Decoders {
  private readonly queue = new FairQueue(QUEUE);
  private readonly free: Decoder[] = [];
  private readonly all = new Set<Decoder>();

  /**
   * Decodes an image when it is its turn.
   *
   * @param origin whose turn it is: the network that it comes from
   * @throws ApiError UNAVAILABLE when too many wait
   */
  run(job: DecodeJob, origin: string): Promise<DecodeResult> {
    return this.queue.run(origin, () => this.decode(job));
  }

  close(): void {
    for (const decoder of this.all) this.end(decoder);
  }

  private async decode(job: DecodeJob): Promise<DecodeResult> {
    const decoder = this.free.pop() ?? this.start();
    if (decoder.idle) clearTimeout(decoder.idle);
    decoder.jobs += 1;
    const { child } = decoder;
    const overdue = setTimeout(() => this.end(decoder), MAX_TIME);
    const over = new AbortController();
    try {
      child.send(job);
      const answered = once(child, 'message', { signal: over.signal });
      const ended = once(child, 'exit', { signal: over.signal });
      ended.catch(() => undefined);
      // One that ends without a word has taken too much of memory or of time.
      return await Promise.race([
        answered.then(([result]) => result as DecodeResult),
        ended.then(() => TOO_MUCH),
      ]);
    } finally {
      over.abort();
      clearTimeout(overdue);
      this.release(decoder);
    }
  }

  private start(): Decoder {
    const child = fork(join(__dirname, 'decoder.js'), {
      // Nothing of the service's is known there.
      env: { UV_THREADPOOL_SIZE: '2', MALLOC_ARENA_MAX: '2', TZ: 'UTC' },
      execArgv: ['--max-old-space-size=64'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const decoder: Decoder = { child, jobs: 0, idle: null };
    this.all.add(decoder);
    child.once('exit', () => this.forget(decoder));
    child.on('error', () => this.end(decoder));
    try {
      if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
    } catch {
      // It has ended already, or the system has no priorities.
    }
    return decoder;
  }

  private release(decoder: Decoder): void {
    if (!this.all.has(decoder)) return;
    if (decoder.jobs >= MAX_JOBS) return this.end(decoder);
    decoder.idle = setTimeout(() => this.end(decoder), IDLE).unref();
    this.free.push(decoder);
  }

  private end(decoder: Decoder): void {
    this.forget(decoder);
    decoder.child.kill('SIGKILL');
  }

  private forget(decoder: Decoder): void {
    this.all.delete(decoder);
    if (decoder.idle) clearTimeout(decoder.idle);
    const at = this.free.indexOf(decoder);
    if (at !== -1) this.free.splice(at, 1);
  }
}
