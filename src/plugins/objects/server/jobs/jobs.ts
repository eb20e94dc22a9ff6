/** The one runner of jobs: begins each when it is due, notes how it has ended, and tells of all of them. */
import { AsyncResource } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { driverMessage } from '../../../../core/driver-message';
import { errorText } from '../../../../core/start-error';
import type { Tracer } from '../../../../core/tracer';
import { newState, pauseAfter, type Job, type JobState, type JobRun } from './job';
import { LEASE, type JobTable } from './table';

/** Milliseconds between two looks at what is due in this process. */
const TICK = 1000;
/** Between two looks at what another server does, or may have left. */
const LOOK = 5000;
/** After which a run says that it goes on, and renews its lease. */
const RENEW = 3000;
/** After which a run without a lease is noted anew, although it has ended as the one before. */
const NOTE = 60_000;

interface Given {
  /** Once the database is open. */
  readonly table: () => JobTable;
  readonly log: { info(message: string): void; error(message: string): void };
  readonly clock?: () => number;
  readonly random?: () => number;
  /** Null where nobody wants traces. */
  readonly tracer?: Tracer | null;
}

export class Jobs {
  private readonly entries = new Map<string, Entry>();
  private readonly delayed = new Map<string, NodeJS.Timeout>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly given: Given) {}

  /** Before the start. */
  add(...jobs: readonly Job[]): void {
    const holder = `${hostname()}:${process.pid}:${randomBytes(3).toString('hex')}`;
    const { table, log, clock = Date.now, random = Math.random, tracer = null } = this.given;
    for (const job of jobs)
      this.entries.set(job.name, new Entry(job, { table, log, clock, random, tracer, holder }));
  }

  /** Begins what is due: in a service, not in a script that opens the database for something else. */
  async start(): Promise<void> {
    const table = this.given.table();
    await table.open([...this.entries.keys()]);
    for (const state of await table.states()) this.entries.get(state.name)?.know(state);
    const tick = (): void => {
      for (const entry of this.entries.values()) entry.tick();
    };
    this.timer = setInterval(tick, TICK).unref();
    tick();
  }

  /** Has a job begin, or begin once more after its present run, unless it waits after a failure. */
  soon(name: string, delay = 0): void {
    if (!this.timer || this.delayed.has(name)) return;
    if (delay === 0) return this.entries.get(name)?.want();
    const waking = setTimeout(() => {
      this.delayed.delete(name);
      this.entries.get(name)?.want();
    }, delay);
    this.delayed.set(name, waking.unref());
  }

  /** All jobs of the database. What has no lease is told as this server has done it. */
  async states(): Promise<JobState[]> {
    const states = await this.given.table().states();
    return states.map((state) => (this.timer && this.entries.get(state.name)?.own) || state);
  }

  /** Ends all runs at their next step, and gives their leases back. Begins none any more. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.timer = undefined;
    for (const waking of this.delayed.values()) clearTimeout(waking);
    this.delayed.clear();
    await Promise.all([...this.entries.values()].map((entry) => entry.stop()));
  }
}

type Known = Required<Given> & { readonly holder: string };

/** A run under way. */
interface UnderWay {
  readonly closing: AbortController;
  readonly startedAt: number;
  /** When it was last written that it goes on, and when that has last succeeded. */
  toldAt: number;
  heldAt: number;
}

/** A job of this process. */
class Entry {
  private state: JobState;
  private isWanted = false;
  private isStopped = false;
  private nextLook = 0;
  private notedAt = -Infinity;
  private looking: Promise<void> | null = null;
  private run: UnderWay | null = null;
  private saving: Promise<void> = Promise.resolve();
  /** Who asks for a run may be inside a transaction, which must not include it. */
  private readonly begin = AsyncResource.bind(() => {
    this.looking = this.look().then((hasRun) => {
      this.looking = null;
      // Asked for since it began; where another server does it, the next tick asks again.
      if (hasRun && this.isWanted) this.tick();
    });
  });

  constructor(
    private readonly job: Job,
    private readonly known: Known,
  ) {
    this.state = newState(job.name);
  }

  /** What is stored of earlier runs. */
  know(state: JobState): void {
    this.state = { ...state, holder: null };
  }

  /** How this process has done it; undefined where the table knows more. */
  get own(): JobState | undefined {
    return this.job.isLeased ? undefined : this.state;
  }

  want(): void {
    this.isWanted = true;
    this.tick();
  }

  tick(): void {
    if (this.isStopped) return;
    if (this.run) return this.keep(this.run);
    if (this.looking) return;
    const isPaused = this.state.failures > 0;
    if (this.known.clock() < this.nextLook && (isPaused || !this.isWanted)) return;
    this.begin();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    this.run?.closing.abort();
    await this.looking;
  }

  /** @returns whether there was a run */
  private async look(): Promise<boolean> {
    const { isWanted } = this;
    this.isWanted = false;
    this.nextLook = this.known.clock() + LOOK;
    try {
      if (!(await this.isOurs(isWanted))) return false;
    } catch (error) {
      this.failed(error, 0);
      return false;
    }
    await this.carryOut();
    return true;
  }

  /** Whether it is due, and no other server's to do: takes its lease. */
  private async isOurs(isWanted: boolean): Promise<boolean> {
    const { name, isLeased, isDue, next } = this.job;
    const { clock, holder } = this.known;
    const table = this.known.table();
    if (isLeased && !(await table.isFree(name, isWanted, clock()))) {
      this.isWanted ||= isWanted;
      return false;
    }
    if (isDue && !(await isDue())) {
      await table.postpone(name, next(clock()));
      return false;
    }
    const isOurs = !isLeased || (await table.claim(name, isWanted, clock(), holder));
    this.isWanted ||= isWanted && !isOurs;
    return isOurs;
  }

  private async carryOut(): Promise<void> {
    const { clock, holder } = this.known;
    const [before, startedAt, closing] = [this.state, clock(), new AbortController()];
    const run: UnderWay = { closing, startedAt, toldAt: startedAt, heldAt: startedAt };
    this.run = run;
    this.state = { ...before, holder, startedAt, done: null, total: null };
    let failure: { readonly error: unknown } | null = null;
    const progress: JobRun['progress'] = (done, total) => {
      this.state = { ...this.state, done, total: total ?? null };
    };
    // It may have been stopped since it was found to be due.
    if (this.isStopped) closing.abort();
    try {
      if (!this.isStopped) await this.traced({ signal: closing.signal, progress });
    } catch (error) {
      failure = { error };
    }
    this.run = null;
    await this.saving;
    const took = clock() - startedAt;
    if (closing.signal.aborted) this.state = { ...this.state, holder: null, nextAt: 0 };
    else if (failure) this.failed(failure.error, took);
    else this.succeeded(took);
    await this.note(before, run);
  }

  private traced(run: JobRun): Promise<void> {
    const { job } = this;
    const { tracer } = this.known;
    if (!tracer) return job.run(run);
    return tracer.root({ name: `job ${job.name}`, kind: 'internal' }, () => job.run(run));
  }

  private succeeded(took: number): void {
    const { name, isLeased, next } = this.job;
    const now = this.known.clock();
    if (this.state.failures > 0) this.known.log.info(`job ${name}: has succeeded again`);
    const ended = { holder: null, endedAt: now, duration: took, failures: 0, error: null };
    this.state = { ...this.state, ...ended, nextAt: next(now) };
    // The table says when it is due for all servers.
    this.nextLook = isLeased ? now + LOOK : this.state.nextAt;
  }

  private failed(caught: unknown, took: number): void {
    const { name, next } = this.job;
    const { clock, log, random } = this.known;
    const [now, failures, error] = [clock(), this.state.failures + 1, toldOf(caught)];
    const pause = pauseAfter(failures, { took, period: next(now) - now }, random);
    const seconds = Math.round(pause / 1000);
    log.error(`job ${name}: has failed (${error}), and is tried again in ${seconds} s`);
    const ended = { holder: null, endedAt: now, duration: took, failures, error };
    this.state = { ...this.state, ...ended, nextAt: now + pause };
    this.nextLook = this.state.nextAt;
  }

  /** Writes how a run has ended; of many short ones without a lease one in a minute. */
  private async note(before: JobState, { startedAt, toldAt }: UnderWay): Promise<void> {
    const { isLeased } = this.job;
    const now = this.known.clock();
    const isNews = this.state.failures !== before.failures || toldAt !== startedAt;
    if (!isLeased && !isNews && now - this.notedAt < NOTE) return;
    this.notedAt = now;
    // Where the database is away, the lease ends by itself.
    await this.save(this.state).catch(() => undefined);
  }

  /** Renews the lease of a run, which ends where another server has taken it over. */
  private keep(run: UnderWay): void {
    const now = this.known.clock();
    if (now - run.toldAt < RENEW) return;
    run.toldAt = now;
    this.saving = this.save(this.state).then(
      (isHeld) => {
        if (isHeld) run.heldAt = now;
        else run.closing.abort();
      },
      () => {
        if (this.job.isLeased && now - run.heldAt >= LEASE) run.closing.abort();
      },
    );
  }

  private save(state: JobState): Promise<boolean> {
    return this.known.table().save(state, this.job.isLeased ? this.known.holder : null);
  }
}

/** What is said of an error: without values that a driver tells. */
function toldOf(caught: unknown): string {
  // That the database is away is the refusal of a request, and this is why.
  const error = caught instanceof Error && caught.cause instanceof Error ? caught.cause : caught;
  return (error instanceof Error && driverMessage(error)) || errorText(error);
}
