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
}

/** Counts one attempt against all of these limits. @throws WireError TOO_MANY_REQUESTS, with `Retry-After` */
export async function guard(
  database: Database,
  counted: readonly Counted[],
  tried: Tried,
  now = Date.now(),
): Promise<Attempt> {
  const buckets = counted.map(([limit, ...parts]) => ({ limit, key: bucketOf(limit, ...parts) }));
  const { windows, over } = await database.write(function* () {
    const found: { limit: Limit; key: string; window: Window }[] = [];
    for (const { key, limit } of buckets)
      found.push({ limit, key, window: yield* consume(key, limit, now) });
    const full = found.filter(({ limit, window }) => window.count > limit.max);
    // What is refused is not tried: it uses up no other limit, such as that of a whole network.
    if (full.length > 0) for (const { key } of buckets) yield* giveBack(key);
    for (const { limit, key } of full) yield* tellMet(limit, key, tried, now);
    return {
      windows: found.map(({ window }) => window),
      over: full.map(({ window }) => window.endsAt),
    };
  });
  if (over.length > 0) {
    const seconds = Math.ceil((Math.max(...over) - now) / 1000);
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
