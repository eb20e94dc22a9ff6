/** Counters in the database, so that they survive a restart and several servers share them. */
import { hash } from 'node:crypto';
import { fold } from '../../../../core/text';
import { raw, sql } from '../../../objects/server/database/sql';
import { ask, askOne, type Work } from '../../../objects/server/database/work';

/** At most `max` times in `seconds`. The name is part of the key of each bucket. */
export interface Limit {
  readonly name: string;
  readonly max: number;
  readonly seconds: number;
}

/** The state of a counter. */
export interface Window {
  readonly count: number;
  /** Milliseconds since 1970. */
  readonly endsAt: number;
}

/** The number of ended windows that one sweep deletes, which takes a few milliseconds. */
export const WINDOWS_SWEPT = 1000;

/** The maximum length of a part of a key in UTF-16 units: more than any valid name, address or ID. */
const MAX_PART = 1024;

/**
 * The key of a bucket. It is a hash, and the same for spellings that only differ in case, surrounding space or the
 * composition of characters.
 *
 * @param parts the subject of the limit: a name as it was sent, the network of the request
 */
export function bucketOf({ name }: Limit, ...parts: readonly string[]): string {
  const folded = JSON.stringify(parts.map((part) => fold(part.slice(0, MAX_PART))));
  return `${name}:${hash('sha256', folded, 'hex')}`;
}

/**
 * Increments a counter and gives its new state. A window begins with its first count and does not move. The caller
 * decides about a refusal: `count > limit.max`.
 *
 * Needs its own transaction: a rollback would undo the count.
 */
export function* consume(bucket: string, { seconds }: Limit, now: number): Work<Window> {
  const row = yield* askOne(
    sql`insert into oms_throttles (bucket, count, ends_at) values (${bucket}, 1, ${now + seconds * 1000})
      on conflict (bucket) do update set
        count = case when oms_throttles.ends_at <= ${now} then 1 else oms_throttles.count + 1 end,
        ends_at = case when oms_throttles.ends_at <= ${now} then excluded.ends_at else oms_throttles.ends_at end
      returning count, ends_at`,
  );
  // PostgreSQL's driver returns a bigint as a text.
  return { count: Number(row?.[0]), endsAt: Number(row?.[1]) };
}

/** Selects the state of a counter; no row if nothing was counted. */
export const counterOf = (bucket: string, now: number) =>
  sql`select count, ends_at from oms_throttles where bucket = ${bucket} and ends_at > ${now}`;

/** Decrements a counter, for an attempt that turned out not to count. */
export function* giveBack(bucket: string): Work<void> {
  yield* ask(
    sql`update oms_throttles set count = count - 1 where bucket = ${bucket} and count > 0`,
  );
}

/** Resets a counter. */
export function* clearCounter(bucket: string): Work<void> {
  yield* ask(sql`delete from oms_throttles where bucket = ${bucket}`);
}

/**
 * Deletes ended windows, at most `SWEEP_SIZE`. Called by a timer; counting does not depend on it.
 *
 * @returns their number; `SWEEP_SIZE` if there may be more
 */
export function* sweepCounters(now: number): Work<number> {
  const ended = sql`select bucket from oms_throttles where ends_at <= ${now} order by ends_at limit ${raw(String(WINDOWS_SWEPT))}`;
  const swept = yield* ask(
    sql`delete from oms_throttles where bucket in (${ended}) and ends_at <= ${now} returning bucket`,
  );
  return swept.length;
}
