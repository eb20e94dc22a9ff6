/** What is done in the background on behalf of the data, each under a name of its own. */

/** A run of a job, as the job sees it. */
export interface JobRun {
  /** The service ends, or another server has taken over: it ends at its next step, and is begun anew later. */
  readonly signal: AbortSignal;
  /** Says how far it has come, in units of its own. */
  readonly progress: (done: number, total?: number) => void;
}

export interface Job {
  /** In the log, the metrics, and the table: `files`. */
  readonly name: string;
  /**
   * Whether one server at a time does it, under a lease that another one takes over when it dies. Otherwise each server
   * does it, and what may be done only once is locked in the database, a part at a time.
   */
  readonly isLeased: boolean;
  /** When it is due after a run that has ended well at this time. Milliseconds since 1970. */
  readonly next: (now: number) => number;
  /** Asked before a run, where a read tells whether there is anything to do; without that none is begun, or noted. */
  readonly isDue?: () => Promise<boolean>;
  readonly run: (run: JobRun) => Promise<void>;
}

/** Due so many milliseconds after the end of its last run. */
export const every =
  (period: number) =>
  (now: number): number =>
    now + period;

/** A run that nobody watches, and that nothing ends: where what a job does is called by itself. */
export const unwatched = (): JobRun => ({
  signal: new AbortController().signal,
  progress: () => undefined,
});

/** A job, as it is told. Times are milliseconds since 1970, null for what has not been yet. */
export interface JobState {
  readonly name: string;
  /** Who does it now: host, process, and a random part; null while nobody does. */
  readonly holder: string | null;
  readonly startedAt: number | null;
  /** Of the last run that has ended, well or not. */
  readonly endedAt: number | null;
  /** Milliseconds of that run. */
  readonly duration: number | null;
  /** Runs that have failed since the last one that has not. */
  readonly failures: number;
  /** Of the last run, null for one that has ended well. */
  readonly error: string | null;
  /** 0: at once. */
  readonly nextAt: number;
  /** How far the present run has come, or the last one. */
  readonly done: number | null;
  readonly total: number | null;
}

export const newState = (name: string): JobState => ({
  ...{ name, holder: null, startedAt: null, endedAt: null, duration: null },
  ...{ failures: 0, error: null, nextAt: 0, done: null, total: null },
});

const MINUTE = 60_000;

/** Milliseconds from the first failure to the next run. */
const FIRST = 5000;
/** The longest pause: as long as the job waits anyway, between these. */
const LONGEST = { least: MINUTE, most: 15 * MINUTE };

/**
 * Milliseconds from a failure to the next run: twice as long after each further failure, and no shorter than the run
 * was, so that one that fails late does not work all the time. Up to a quarter less, so that servers do not try together.
 *
 * @param failures one after the other, at least 1
 * @param took and period: milliseconds of the run, and between runs that end well
 */
export function pauseAfter(
  failures: number,
  { took, period }: { readonly took: number; readonly period: number },
  random: () => number,
): number {
  const longest = Math.min(Math.max(period, LONGEST.least), LONGEST.most);
  const wanted = Math.max(FIRST * 2 ** Math.min(failures - 1, 20), took);
  return Math.round(Math.min(wanted, longest) * (1 - random() / 4));
}
