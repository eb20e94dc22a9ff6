/** Counts an attempt before it is made, so that many at once cannot pass unseen. */
import { fail } from '../../../wire/server/errors';
import type { Database } from '../../../objects/server/database/database';
import type { Work } from '../../../objects/server/database/work';
import { tellMet, type Tried } from './met';
import { bucketOf, consume, giveBack, type Limit, type Window } from './throttle';

/** A limit, and what it counts. */
export type Counted = readonly [limit: Limit, ...parts: string[]];

/** An attempt that has been counted. */
export interface Attempt {
  /** The counters, in the order of the limits. */
  readonly windows: readonly Window[];
  /** Takes it back: it was not what the limits are about. */
  giveBack(): Promise<void>;
  /** It is known what came of it. To be called once, in any case. */
  end(): void;
}

/** How many attempts this process has under way, by bucket: they may be taken back yet. */
const underWay = new Map<string, number>();

function count(keys: readonly string[], by: 1 | -1): void {
  for (const key of keys) {
    const left = (underWay.get(key) ?? 0) + by;
    if (left === 0) underWay.delete(key);
    else underWay.set(key, left);
  }
}

/** Counts something against all of these limits. @throws WireError TOO_MANY_REQUESTS, with `Retry-After` */
export async function guard(...given: Parameters<typeof begin>): Promise<void> {
  (await begin(...given)).end();
}

/** Counts an attempt that may be taken back. @throws WireError TOO_MANY_REQUESTS, with `Retry-After` */
export async function begin(
  database: Database,
  counted: readonly Counted[],
  tried: Tried,
  now = Date.now(),
): Promise<Attempt> {
  const buckets = counted.map(([limit, ...parts]) => ({ limit, key: bucketOf(limit, ...parts) }));
  const keys = buckets.map(({ key }) => key);
  count(keys, 1);
  try {
    const counters = await database.write(() => consumeAll(buckets, tried, now));
    const full = counters.filter(isFull);
    if (full.length > 0) {
      // Where those under way fill it, there may be room as soon as they are through.
      const settled = full.filter(
        ({ limit, key, window }) => window.count - (underWay.get(key) ?? 0) >= limit.max,
      );
      const ends = settled.map(({ window }) => window.endsAt);
      const seconds = Math.ceil((Math.max(now, ...ends) - now) / 1000);
      throw fail('TOO_MANY_REQUESTS', {}, { 'Retry-After': String(Math.max(1, seconds)) });
    }
    const windows = counters.map(({ window }) => window);
    return attemptOf(database, keys, windows);
  } catch (error) {
    count(keys, -1);
    throw error;
  }
}

interface Bucket {
  readonly limit: Limit;
  readonly key: string;
}

interface Counter extends Bucket {
  readonly window: Window;
}

const isFull = ({ limit, window }: Counter): boolean => window.count > limit.max;

function* consumeAll(buckets: readonly Bucket[], tried: Tried, now: number): Work<Counter[]> {
  const counters: Counter[] = [];
  for (const bucket of buckets)
    counters.push({ ...bucket, window: yield* consume(bucket.key, bucket.limit, now) });
  const full = counters.filter(isFull);
  // What is refused is not tried: it uses up no other limit, such as that of a whole network.
  if (full.length > 0) for (const { key } of buckets) yield* giveBack(key);
  for (const { limit, key } of full) yield* tellMet(limit, key, tried, now);
  return counters;
}

function attemptOf(
  database: Database,
  keys: readonly string[],
  windows: readonly Window[],
): Attempt {
  return {
    windows,
    end: () => count(keys, -1),
    giveBack: () =>
      database.write(function* (): Work<void> {
        for (const key of keys) yield* giveBack(key);
      }),
  };
}
