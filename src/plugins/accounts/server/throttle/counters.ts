/**
 * How often something was done: counters in the database, so that a restart empties none and
 * several servers count together.
 */
import { hash } from 'node:crypto';
import { fold } from '../../../../core/text';
import { raw, sql } from '../../../objects/server/database/sql';
import { ask, askOne, type Work } from '../../../objects/server/database/work';

/** At most `max` times in `seconds`. The name is part of every bucket's key. */
export interface Limit {
  readonly name: string;
  readonly max: number;
  readonly seconds: number;
}

/** A counter as it stands. */
export interface Window {
  readonly count: number;
  /** Milliseconds since 1970. */
  readonly endsAt: number;
}

/** How many ended windows one sweep deletes: what fits into a few milliseconds. */
export const SWEEP_SIZE = 1000;

/** Code units of a part of a key: more than any name, address or ID that there is. */
const MAX_PART = 1024;

/**
 * The key under which a limit counts. It holds none of the parts in clear, and is the same for
 * spellings that differ in letter case, in outer space or in the form of a character alone.
 *
 * @param parts whom or what is counted: a name as it was sent, the network that it came from
 */
export function bucketOf({ name }: Limit, ...parts: readonly string[]): string {
  const folded = JSON.stringify(parts.map((part) => fold(part.slice(0, MAX_PART))));
  return `${name}:${hash('sha256', folded, 'hex')}`;
}

/**
 * Counts one more and gives the counter with it. A window begins with its first count and has the
 * same end for all of them. Who is refused is for the caller to say: `count > limit.max`.
 *
 * It belongs into a transaction of its own: one that is rolled back takes the count back with it.
 */
export function* consume(bucket: string, { seconds }: Limit, now: number): Work<Window> {
  const row = yield* askOne(
    sql`insert into oms_throttles (bucket, count, ends_at) values (${bucket}, 1, ${now + seconds * 1000})
      on conflict (bucket) do update set
        count = case when oms_throttles.ends_at <= ${now} then 1 else oms_throttles.count + 1 end,
        ends_at = case when oms_throttles.ends_at <= ${now} then excluded.ends_at else oms_throttles.ends_at end
      returning count, ends_at`,
  );
  // PostgreSQL's driver gives a bigint as a text.
  return { count: Number(row?.[0]), endsAt: Number(row?.[1]) };
}

/** A counter as it stands, one row; none where nothing was counted. */
export const counterOf = (bucket: string, now: number) =>
  sql`select count, ends_at from oms_throttles where bucket = ${bucket} and ends_at > ${now}`;

/** Takes one count back, for what turned out not to be what the limit is about. */
export function* giveBack(bucket: string): Work<void> {
  yield* ask(
    sql`update oms_throttles set count = count - 1 where bucket = ${bucket} and count > 0`,
  );
}

/** Forgets what was counted. */
export function* clearCounter(bucket: string): Work<void> {
  yield* ask(sql`delete from oms_throttles where bucket = ${bucket}`);
}

/**
 * Deletes windows that have ended, at most `SWEEP_SIZE`. For a timer: a bucket that is asked for
 * again starts anew without it.
 *
 * @returns how many; as many as `SWEEP_SIZE` when there may be more
 */
export function* sweepCounters(now: number): Work<number> {
  const ended = sql`select bucket from oms_throttles where ends_at <= ${now} order by ends_at limit ${raw(String(SWEEP_SIZE))}`;
  const swept = yield* ask(
    sql`delete from oms_throttles where bucket in (${ended}) and ends_at <= ${now} returning bucket`,
  );
  return swept.length;
}
