/** What the database says of the jobs of its servers. */
import type { JobState } from '../../plugins/objects/server/jobs/job';
import { look, ok, wrong, type Finding } from './findings';
import { FAILED_RUNS } from './thresholds';

const SECOND = 1000;
const UNITS = [
  ['days', 86_400_000],
  ['hours', 3_600_000],
  ['min', 60_000],
  ['s', SECOND],
] as const;

/** Milliseconds by which a job may be late: the table says of frequent ones each minute how they are. */
const LATE = 10 * 60_000;

/** A time span in the largest unit of which it has two, in seconds at the least. */
function span(milliseconds: number): string {
  const unit = UNITS.find(([, length]) => milliseconds >= 2 * length);
  return unit
    ? `${Math.floor(milliseconds / unit[1])} ${unit[0]}`
    : `${(milliseconds / SECOND).toFixed(1)} s`;
}

/** A line for each job: its last run, what it took, its error, and when it is due. @param now milliseconds since 1970 */
export const examineJobs = (states: readonly JobState[], now: number): Finding[] =>
  states.map((state) => {
    const about = `job ${state.name}`;
    const text = [lastRun(state, now), nextRun(state, now)].join('; ');
    if (state.failures >= FAILED_RUNS) return wrong(about, text);
    const isLate = state.holder === null && state.nextAt < now - LATE;
    return state.failures > 0 || isLate ? look(about, text) : ok(about, text);
  });

function lastRun({ endedAt, duration, failures, error }: JobState, now: number): string {
  if (endedAt === null) return 'has not run yet';
  const told = `last run ${span(now - endedAt)} ago, which took ${span(duration ?? 0)}`;
  return failures === 0
    ? told
    : `${told}, and failed (${error ?? 'unknown'}), ${failures} in a row: look for it in the log`;
}

function nextRun({ holder, startedAt, done, total, nextAt }: JobState, now: number): string {
  if (holder !== null) {
    const progress = done === null ? '' : `, ${done}${total === null ? '' : ` of ${total}`} done`;
    return `${holder} has been at it for ${span(now - (startedAt ?? now))}${progress}`;
  }
  if (nextAt >= now) return `next in ${span(nextAt - now)}`;
  return nextAt < now - LATE
    ? 'it is due, and no server does it: is the service running, and set up for it?'
    : 'next at once';
}
