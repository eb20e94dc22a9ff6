/** When the work in the background of a service has last run, and how it has ended: for metrics. */
import { errorText } from './start-error';

/** The jobs of a service, each with runs of its own. */
export const JOBS = ['kept-values', 'told-later', 'files', 'mails', 'expired', 'backup'] as const;

export type JobName = (typeof JOBS)[number];

/** How the runs of a job have ended, since the start. */
export interface JobRun {
  /** Milliseconds since 1970. */
  readonly endedAt: number;
  /** Runs that have failed since the last one that has not. */
  readonly failures: number;
  /** Of the last run, null for one that has ended well. */
  readonly error: string | null;
}

export class JobRuns {
  private readonly runs = new Map<JobName, JobRun>();

  /** Notes the end of a run. @param error undefined for one that has ended well */
  ended(job: JobName, error?: unknown): void {
    const failures = error === undefined ? 0 : (this.runs.get(job)?.failures ?? 0) + 1;
    this.runs.set(job, {
      endedAt: Date.now(),
      failures,
      error: error === undefined ? null : errorText(error),
    });
  }

  /** The jobs that have run. */
  get all(): ReadonlyMap<JobName, JobRun> {
    return this.runs;
  }
}
