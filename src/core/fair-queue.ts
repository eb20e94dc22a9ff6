/** A queue for CPU-intensive work: limited concurrency, with turns by origin. */
import { fail } from './errors';

type Task = () => void;

export interface QueueSize {
  /** The number of concurrent tasks. */
  readonly running: number;
  /** The maximum number of waiting tasks, per origin and in total. */
  readonly waitingOfOne: number;
  readonly waiting: number;
}

/**
 * Origins take turns, so that an origin with many tasks does not delay the others: a new task waits for one task of
 * each other origin.
 */
export class FairQueue {
  /** Waiting tasks by origin, in the order of their turns. */
  private readonly waiting = new Map<string, Task[]>();
  private count = 0;
  private running = 0;

  constructor(private readonly size: QueueSize) {}

  /** Runs work at its turn. @throws ApiError UNAVAILABLE when too many tasks wait */
  async run<T>(origin: string, work: () => Promise<T>): Promise<T> {
    if (this.running < this.size.running) this.running += 1;
    else await this.turn(origin);
    try {
      return await work();
    } finally {
      const next = this.next();
      if (next) next();
      else this.running -= 1;
    }
  }

  private turn(origin: string): Promise<void> {
    const own = this.waiting.get(origin) ?? [];
    if (own.length >= this.size.waitingOfOne || this.count >= this.size.waiting)
      throw fail('UNAVAILABLE', {}, { 'Retry-After': '10' });
    this.count += 1;
    return new Promise((resolve) => {
      own.push(resolve);
      this.waiting.set(origin, own);
    });
  }

  /** Takes the first task of the next origin, which moves to the end of the order. */
  private next(): Task | undefined {
    const [entry] = this.waiting;
    if (!entry) return undefined;
    const [origin, own] = entry;
    const task = own.shift();
    this.count -= 1;
    this.waiting.delete(origin);
    if (own.length > 0) this.waiting.set(origin, own);
    return task;
  }
}
