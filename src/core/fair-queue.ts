/** A queue for CPU-intensive work: limited concurrency, with turns by origin. */
import { fail } from './errors';
import type { QueueLoad } from './load';

type Task = () => void;

export interface QueueSize {
  /** The number of concurrent tasks. */
  readonly running: number;
  /** The maximum number of waiting tasks, per origin and in total. */
  readonly waitingOfOne: number;
  readonly waiting: number;
  /** Whether the next turn is that of the origin whose tasks have taken the least time lately. */
  readonly byTime?: true;
}

/** Milliseconds in which the time that an origin has taken counts half. */
const HALF_LIFE = 60_000;

/** Milliseconds that are forgotten. */
const LITTLE = 50;

interface Spent {
  readonly milliseconds: number;
  /** When that was. */
  readonly at: number;
}

/**
 * Origins take turns, so that an origin with many tasks does not delay the others: a new task waits for one task of
 * each other origin. By time, one whose tasks take long waits for those whose tasks have not.
 */
export class FairQueue {
  /** Waiting tasks by origin, in the order of their turns. */
  private readonly waiting = new Map<string, Task[]>();
  private count = 0;
  private running = 0;
  /** The time that the tasks of origins have taken. */
  private readonly spent = new Map<string, Spent>();

  constructor(
    private readonly size: QueueSize,
    private readonly clock: () => number = () => performance.now(),
  ) {}

  /** Runs work at its turn. @throws ApiError UNAVAILABLE when too many tasks wait */
  async run<T>(origin: string, work: () => Promise<T>): Promise<T> {
    if (this.running < this.size.running) this.running += 1;
    else await this.turn(origin);
    const begun = this.clock();
    try {
      return await work();
    } finally {
      if (this.size.byTime) this.charge(origin, begun);
      const next = this.next();
      if (next) next();
      else this.running -= 1;
    }
  }

  get load(): QueueLoad {
    return { running: this.running, waiting: this.count };
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
    const origin = this.nextOrigin();
    const own = origin === undefined ? undefined : this.waiting.get(origin);
    if (origin === undefined || own === undefined) return undefined;
    const task = own.shift();
    this.count -= 1;
    this.waiting.delete(origin);
    if (own.length > 0) this.waiting.set(origin, own);
    return task;
  }

  /** The first in the order of turns, by time the first of those that have taken the least. */
  private nextOrigin(): string | undefined {
    const origins = [...this.waiting.keys()];
    if (!this.size.byTime) return origins[0];
    const now = this.clock();
    let [least, found] = [Infinity, origins[0]];
    for (const origin of origins) {
      const spent = this.spentBy(origin, now);
      if (spent < least) [least, found] = [spent, origin];
    }
    return found;
  }

  /** The milliseconds that an origin has taken, of which those of a minute ago count half. */
  private spentBy(origin: string, now: number): number {
    const spent = this.spent.get(origin);
    return spent ? spent.milliseconds * 2 ** ((spent.at - now) / HALF_LIFE) : 0;
  }

  private charge(origin: string, begun: number): void {
    const now = this.clock();
    const milliseconds = this.spentBy(origin, now) + now - begun;
    this.spent.delete(origin);
    this.spent.set(origin, { milliseconds, at: now });
    for (const other of this.spent.keys()) {
      if (this.spentBy(other, now) >= LITTLE) break;
      this.spent.delete(other);
    }
  }
}
