/** Counts an attempt before it is made, so that many at once cannot pass unseen. */
import { fail } from '../../../wire/server/errors';
import type { Database } from '../../../objects/server/database/database';
import type { Work } from '../../../objects/server/database/work';
import { bucketOf, consume, giveBack, type Limit, type Window } from './throttle';

/** A limit, and what it counts. */
export type Counted = readonly [limit: Limit, ...parts: string[]];

/** An attempt that has been counted. */
export interface Attempt {
  /** The counters, in the order of the limits. */
  readonly windows: readonly Window[];
  /** Takes it back: it was not what the limits are about. */
  giveBack(): Promise<void>;
}

/** Counts one attempt against all of these limits. @throws WireError TOO_MANY_REQUESTS, with `Retry-After` */
export async function guard(
  database: Database,
  counted: readonly Counted[],
  now = Date.now(),
): Promise<Attempt> {
  const buckets = counted.map(([limit, ...parts]) => ({ limit, key: bucketOf(limit, ...parts) }));
  const overOf = (windows: readonly Window[]): Window[] =>
    windows.filter(({ count }, at) => count > (buckets[at]?.limit.max ?? Infinity));
  const windows = await database.write(function* (): Work<Window[]> {
    const found: Window[] = [];
    for (const { key, limit } of buckets) found.push(yield* consume(key, limit, now));
    // What is refused is not tried: it uses up no other limit, such as that of a whole network.
    if (overOf(found).length > 0) for (const { key } of buckets) yield* giveBack(key);
    return found;
  });
  const over = overOf(windows);
  if (over.length > 0) {
    const seconds = Math.ceil((Math.max(...over.map(({ endsAt }) => endsAt)) - now) / 1000);
    throw fail('TOO_MANY_REQUESTS', {}, { 'Retry-After': String(Math.max(1, seconds)) });
  }
  return {
    windows,
    giveBack: () =>
      database.write(function* (): Work<void> {
        for (const { key } of buckets) yield* giveBack(key);
      }),
  };
}
