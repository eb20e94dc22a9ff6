/** The table of jobs: who does one, how its last run has ended, when the next one is due. */
import type { Database } from '../database/database';
import { raw, sql, type Sql } from '../database/sql';
import { ask, type Row, type Work } from '../database/work';
import type { JobState } from './job';

/** Milliseconds for which a lease holds unless it is renewed: after a server that was killed, another one takes over. */
export const LEASE = 10_000;

export interface JobTable {
  /** Makes the rows of these jobs, and all of them due: at the start of a server. */
  open(names: readonly string[]): Promise<void>;
  /** All jobs, also those that only other servers do. */
  states(): Promise<JobState[]>;
  /**
   * Whether nobody does a job, and it is due.
   *
   * @param isWanted somebody has asked for it: it is due, unless it has failed
   */
  isFree(name: string, isWanted: boolean, now: number): Promise<boolean>;
  /** Takes the lease of a job that is free. @returns whether it was */
  claim(name: string, isWanted: boolean, now: number, holder: string): Promise<boolean>;
  /** Sets when a job that nobody does is due. */
  postpone(name: string, nextAt: number): Promise<void>;
  /**
   * Writes a state; one with a holder renews its lease.
   *
   * @param lease who has to have it, null for a job without one @returns whether it had
   */
  save(state: JobState, lease: string | null): Promise<boolean>;
}

/** Selects all jobs, for `stateOf`. */
export const JOB_STATES: Sql = raw(
  `select name, holder, held_until, started_at, ended_at, duration, failures, error, next_at, done, total
    from oms_jobs order by name`,
);

const numberOf = (value: Row[number] | undefined): number | null =>
  value === null || value === undefined ? null : Number(value);

/** @param row of `JOB_STATES` */
export function stateOf(row: Row, now: number): JobState {
  const [name, holder, heldUntil, startedAt, endedAt, duration, failures, error] = row;
  const [nextAt, done, total] = row.slice(8);
  const isHeld = holder !== null && Number(heldUntil) > now;
  return {
    name: String(name),
    holder: isHeld ? String(holder) : null,
    startedAt: numberOf(startedAt),
    endedAt: numberOf(endedAt),
    duration: numberOf(duration),
    failures: Number(failures),
    error: error === null ? null : String(error),
    nextAt: Number(nextAt),
    done: numberOf(done),
    total: numberOf(total),
  };
}

/** By the clock of the database, where one server takes a lease over from another. */
export function createJobTable(
  database: Pick<Database, 'read' | 'write' | 'isShared' | 'dialect'>,
): JobTable {
  const { clock } = database.dialect;
  const free = (name: string, isWanted: boolean, now: number): Sql =>
    sql`name = ${name} and held_until <= ${clock}
      and (next_at <= ${now}${raw(isWanted ? ' or failures = 0' : '')})`;
  const has = async (work: () => Work<readonly Row[]>): Promise<boolean> =>
    (await database.write(work)).length > 0;
  const leased = sql`${clock} + ${raw(String(LEASE))}`;
  /** Where nobody else writes: leases are of a process that has ended, and other jobs of another release or environment. */
  const takeOver = function* (names: readonly string[]): Work<void> {
    yield* ask(raw('update oms_jobs set holder = null, held_until = 0'));
    const listed = database.dialect.jsonItems(sql`${JSON.stringify(names)}`);
    yield* ask(sql`delete from oms_jobs where name not in (select j.value from ${listed})`);
  };
  return {
    open: (names) =>
      database.write(function* () {
        if (!database.isShared) yield* takeOver(names);
        for (const name of names)
          yield* ask(sql`insert into oms_jobs (name, held_until, failures, next_at)
            values (${name}, 0, 0, 0) on conflict (name) do update set next_at = 0`);
      }),
    async states() {
      const rows = await database.read(JOB_STATES);
      return rows.map((row) => stateOf(row, Date.now()));
    },
    async isFree(name, isWanted, now) {
      const rows = await database.read(
        sql`select 1 from oms_jobs where ${free(name, isWanted, now)}`,
      );
      return rows.length > 0;
    },
    claim: (name, isWanted, now, holder) =>
      has(() =>
        ask(sql`update oms_jobs set holder = ${holder}, held_until = ${leased}, started_at = ${now},
          done = null, total = null where ${free(name, isWanted, now)} returning name`),
      ),
    postpone: (name, nextAt) =>
      database.write(function* () {
        yield* ask(sql`update oms_jobs set next_at = ${nextAt}
          where name = ${name} and held_until <= ${clock}`);
      }),
    save: (state, lease) =>
      has(() =>
        ask(sql`update oms_jobs set holder = ${state.holder},
          held_until = ${state.holder === null ? raw('0') : leased},
          started_at = ${state.startedAt}, ended_at = ${state.endedAt}, duration = ${state.duration},
          failures = ${state.failures}, error = ${state.error}, next_at = ${state.nextAt},
          done = ${state.done}, total = ${state.total}
          where name = ${state.name} ${lease === null ? raw('') : sql`and holder = ${lease}`}
          returning name`),
      ),
  };
}
