/** Counts attempts before they are made, so that concurrent ones cannot exceed a limit. */
import type { Caller } from '../../../../core/caller';
import type { Clock } from '../../../../core/clock';
import { fail, type ApiError } from '../../../../core/errors';
import type { Database } from '../../../objects/server/database/database';
import type { Work } from '../../../objects/server/database/work';
import { bucketOf, consume, counterOf, giveBack, type Limit, type Window } from './counters';
import { recordLimit } from './limit-history';

/** A limit and the key by which it counts. */
export type Counted = readonly [limit: Limit, ...parts: string[]];

/** A counted attempt. */
export interface Attempt {
  /** The counter of one of its limits. */
  window(limit: Limit): Window | undefined;
  /** Settles the attempt: it stays counted against these limits only. To be called exactly once. */
  settle(limits: readonly Limit[]): Promise<void>;
}

type Tried = Pick<Caller, 'id' | 'actor' | 'network'>;

interface Bucket {
  readonly limit: Limit;
  readonly key: string;
}

interface Counter extends Bucket {
  readonly window: Window;
}

const isFull = ({ limit, window }: Counter): boolean => window.count > limit.max;

export class Throttle {
  /** The unsettled attempts of this process by bucket. */
  private readonly underWay = new Map<string, number>();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Counts an event against all of these limits. @throws ApiError TOO_MANY_REQUESTS, with `Retry-After` */
  async count(counted: readonly Counted[], caller: Tried, now = this.clock()): Promise<void> {
    const buckets = bucketsOf(counted);
    this.begun(buckets, 1);
    try {
      await this.consume(buckets, caller, now);
    } finally {
      this.begun(buckets, -1);
    }
  }

  /** Counts an attempt that is settled later. @throws ApiError TOO_MANY_REQUESTS, with `Retry-After` */
  async begin(counted: readonly Counted[], caller: Tried, now = this.clock()): Promise<Attempt> {
    const buckets = bucketsOf(counted);
    this.begun(buckets, 1);
    try {
      const counters = await this.consume(buckets, caller, now);
      return {
        window: (limit) => counters.find((counter) => counter.limit === limit)?.window,
        settle: async (limits) => {
          this.begun(buckets, -1);
          const back = buckets.filter(({ limit }) => !limits.includes(limit));
          await this.database.write(() => giveAllBack(back));
        },
      };
    } catch (error) {
      this.begun(buckets, -1);
      throw error;
    }
  }

  /** Refuses if a limit has been reached, without counting. @throws ApiError TOO_MANY_REQUESTS */
  async check([limit, ...parts]: Counted, now = this.clock()): Promise<void> {
    const [row] = await this.database.read(counterOf(bucketOf(limit, ...parts), now));
    if (row && Number(row[0]) >= limit.max) throw tooMany(Number(row[1]), now);
  }

  private async consume(
    buckets: readonly Bucket[],
    caller: Tried,
    now: number,
  ): Promise<readonly Counter[]> {
    const counters = await this.database.write(() => consumeAll(buckets, caller, now));
    const full = counters.filter(isFull);
    if (full.length === 0) return counters;
    // If unsettled attempts fill the bucket, a retry may succeed as soon as they are settled.
    const settled = full.filter(
      ({ limit, key, window }) => window.count - (this.underWay.get(key) ?? 0) >= limit.max,
    );
    throw tooMany(Math.max(now, ...settled.map(({ window }) => window.endsAt)), now);
  }

  private begun(buckets: readonly Bucket[], by: 1 | -1): void {
    for (const { key } of buckets) {
      const left = (this.underWay.get(key) ?? 0) + by;
      if (left === 0) this.underWay.delete(key);
      else this.underWay.set(key, left);
    }
  }
}

const bucketsOf = (counted: readonly Counted[]): readonly Bucket[] =>
  counted.map(([limit, ...parts]) => ({ limit, key: bucketOf(limit, ...parts) }));

function tooMany(endsAt: number, now: number): ApiError {
  const seconds = Math.max(1, Math.ceil((endsAt - now) / 1000));
  return fail('TOO_MANY_REQUESTS', {}, { 'Retry-After': String(seconds) });
}

function* consumeAll(buckets: readonly Bucket[], caller: Tried, now: number): Work<Counter[]> {
  const counters: Counter[] = [];
  for (const bucket of buckets)
    counters.push({ ...bucket, window: yield* consume(bucket.key, bucket.limit, now) });
  const full = counters.filter(isFull);
  // A refused attempt is not made, so it does not count against the other limits, such as that of the network.
  if (full.length > 0) yield* giveAllBack(buckets);
  for (const { limit, key } of full) yield* recordLimit(limit, key, caller, now);
  return counters;
}

function* giveAllBack(buckets: readonly Bucket[]): Work<void> {
  for (const { key } of buckets) yield* giveBack(key);
}
