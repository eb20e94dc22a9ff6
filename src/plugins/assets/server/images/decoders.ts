/** The processes that decode images: few, of low priority, each with bounded memory and time. */
import { availableParallelism, constants } from 'node:os';
import { join } from 'node:path';
import { fail } from '../../../../core/errors';
import type { QueueLoad } from '../../../../core/load';
import { ProcessPool } from '../../../../core/process-pool';
import type { DecodeJob, DecodeResult } from './image';

/**
 * The number of processes. Their priority is the lowest, so that requests come first even with one process per core.
 */
const RUNNING = Math.min(4, availableParallelism());

/** The number of images that may wait, of one network and in total: the work of a minute. */
const QUEUE = { running: RUNNING, waitingOfOne: 40, waiting: 120, byTime: true } as const;

/** The maximum time for one image, in milliseconds: a decoder that is not at work for a minute is not the image's fault. */
const MAX_TIME = 120_000;
/** Milliseconds without work after which a process ends. */
const IDLE = 20_000;
/** The number of images after which a process is replaced, because the memory of the libraries fragments. */
const MAX_JOBS = 200;

const TOO_MUCH: DecodeResult = { ok: false, rejection: { why: 'no image' } };

export class Decoders {
  private readonly pool = new ProcessPool<DecodeJob, DecodeResult>({
    script: join(__dirname, 'decoder.js'),
    fork: {
      // Nothing of the service's is known there.
      env: { UV_THREADPOOL_SIZE: '2', MALLOC_ARENA_MAX: '2', TZ: 'UTC' },
      execArgv: ['--max-old-space-size=64'],
    },
    queue: QUEUE,
    maxTime: MAX_TIME,
    idle: IDLE,
    maxJobs: MAX_JOBS,
    niceness: constants.priority.PRIORITY_LOW,
  });

  /**
   * Decodes an image when it is its turn.
   *
   * @param origin whose turn it is: the network that it comes from
   * @throws ApiError UNAVAILABLE when too many wait, and when the machine is too busy or the service ends: the image may
   *   be sent again
   */
  async run(job: DecodeJob, origin: string): Promise<DecodeResult> {
    const ended = await this.pool.run(job, origin);
    if (ended.how === 'answered') return ended.result;
    // One that ends without a word has taken too much of memory or of the processor's time.
    if (ended.how === 'died') return TOO_MUCH;
    throw fail('UNAVAILABLE', {}, { 'Retry-After': '10' });
  }

  get load(): QueueLoad {
    return this.pool.load;
  }

  close(): void {
    this.pool.close();
  }
}
