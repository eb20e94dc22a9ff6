/**
 * How often something was done: counters in the database, so that a restart empties none and
 * several servers count together.
 */
import { hash } from 'node:crypto';
import type { Core } from '@strapi/strapi';
import { ensureTable } from '../../../objects/server/database/own-tables';
import { ask, askOne, type Work } from '../../../objects/server/database/work';
import { fold } from '../fold';

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

const TABLE = 'oms_throttles';

/** How many ended windows one sweep deletes: what fits into a few milliseconds. */
export const SWEEP_SIZE = 1000;

/** Makes the table where it is missing. */
export const ensureThrottleTable = (strapi: Core.Strapi): Promise<void> =>
  ensureTable(strapi, TABLE, (table) => {
    table.string('bucket', 128).primary();
    table.integer('count').notNullable();
    table.bigInteger('ends_at').notNullable();
    table.index(['ends_at'], `${TABLE}_ends_at_ix`);
  });

/**
 * The key under which a limit counts. It holds none of the parts in clear, and is the same for
 * spellings that differ in letter case, in outer space or in the form of a character alone.
 *
 * @param parts whom or what is counted: a name as it was sent, the network that it came from
 */
export function bucketOf({ name }: Limit, ...parts: readonly string[]): string {
  const folded = JSON.stringify(parts.map(fold));
  return `${name}:${hash('sha256', folded, 'hex')}`;
}

const CONSUME = `insert into ${TABLE} (bucket, count, ends_at) values (?, 1, ?)
  on conflict (bucket) do update set
    count = case when ${TABLE}.ends_at <= ? then 1 else ${TABLE}.count + 1 end,
    ends_at = case when ${TABLE}.ends_at <= ? then excluded.ends_at else ${TABLE}.ends_at end
  returning count, ends_at`;

/**
 * Counts one more and gives the counter with it. A window begins with its first count and has the
 * same end for all of them. Who is refused is for the caller to say: `count > limit.max`.
 *
 * It belongs into a transaction of its own: one that is rolled back takes the count back with it.
 */
export function* consume(bucket: string, { seconds }: Limit, now: number): Work<Window> {
  const row = yield* askOne(CONSUME, [bucket, now + seconds * 1000, now, now]);
  // PostgreSQL's driver gives a bigint as a text.
  return { count: Number(row?.[0]), endsAt: Number(row?.[1]) };
}

const GIVE_BACK = `update ${TABLE} set count = count - 1 where bucket = ? and count > 0`;

/** Takes one count back, for what turned out not to be what the limit is about. */
export function* giveBack(bucket: string): Work<void> {
  yield* ask(GIVE_BACK, [bucket]);
}

const CLEAR = `delete from ${TABLE} where bucket = ?`;

/** Forgets what was counted. */
export function* clear(bucket: string): Work<void> {
  yield* ask(CLEAR, [bucket]);
}

const SWEEP = `delete from ${TABLE} where bucket in
  (select bucket from ${TABLE} where ends_at <= ? order by ends_at limit ${SWEEP_SIZE})
  and ends_at <= ? returning bucket`;

/**
 * Deletes windows that have ended, at most `SWEEP_SIZE`. For a timer: a bucket that is asked for
 * again starts anew without it.
 *
 * @returns how many; as many as `SWEEP_SIZE` when there may be more
 */
export function* sweepThrottles(now: number): Work<number> {
  return (yield* ask(SWEEP, [now, now])).length;
}
