/** Works off, in the background of a service, what changes have left to be done for kept values. */
import { setTimeout } from 'node:timers/promises';
import type { JobRuns } from '../../../core/job-runs';
import { errorText } from '../../../core/start-error';
import type { Kept } from './declare/behavior';
import type { Model } from './read/model';
import type { Site } from './site-store';
import { workOff } from './write/kept';

/** Milliseconds between two looks: for what another server has left, or what is due later. */
const LOOK = 5000;
/** Milliseconds between two parts, in which others can write. */
const REST = 5;
/** After a part of work for which nobody waits, so many times the time that it took: of 200 reads one meets a part. */
const PATIENCE = 200;

/** Objects of the first part, of the smallest and of the largest one. */
const OBJECTS = { first: 50, least: 10, most: 500 };

/** How many objects the next part has, after one of so many took so long. @param took and wanted: milliseconds */
function sizeOfNext(size: number, took: number, wanted: number): number {
  const factor = Math.min(Math.max(wanted / took, 0.5), 1.5);
  return Math.min(Math.max(Math.round(size * factor), OBJECTS.least), OBJECTS.most);
}

export interface Background {
  /** Begins to look: in a service, not in a script that opens the database for something else. */
  start(): void;
  /** Looks at once, and ends when nothing is left that is due. */
  workOff(): Promise<void>;
  /** Looks soon, if an object of this type may have left something. */
  hear(type: string): void;
  /** Ends with the part that is under way. */
  close(): Promise<void>;
}

/** Who is told how the work has ended. */
interface Told {
  /** An error, after which the work is tried again. */
  readonly report: (message: string) => void;
  readonly jobs: JobRuns;
}

export function createBackground(model: Model, site: Site, { report, jobs }: Told): Background {
  const kept = [...model.resources.values()].flatMap((resource) => resource.kept);
  const leaving = new Set(kept.filter((value) => value.leavesWork).map(({ of }) => of));
  const closing = new AbortController();
  const { signal } = closing;
  let isStarted = false;
  let timer: NodeJS.Timeout | undefined;

  /** @param isAwaited somebody waits for its end, whatever the work is */
  const finish = async ({ later, isUnhurried }: Kept, isAwaited: boolean): Promise<void> => {
    if (!later) return;
    let size = OBJECTS.first;
    for (let isMore = true; isMore && !signal.aborted;) {
      // The settings may have changed in the transaction that left the work.
      await site.refresh();
      const start = performance.now();
      isMore = await model.database.write(() => workOff(model, later, size));
      const took = performance.now() - start;
      size = sizeOfNext(size, took, model.database.partTime);
      const rest = isUnhurried && isMore && !isAwaited ? took * PATIENCE : REST;
      await setTimeout(rest, undefined, { signal }).catch(() => undefined);
    }
  };
  const turnsOf = (some: readonly Kept[], isAwaited = false): Turns =>
    new Turns(async () => {
      for (const value of some) await finish(value, isAwaited);
    });
  const unhurried = kept.filter(({ isUnhurried }) => isUnhurried);
  const urgent = turnsOf(kept.filter(({ isUnhurried }) => !isUnhurried));
  const atLeisure = turnsOf(unhurried);
  const awaited = turnsOf(unhurried, true);
  const looked = [
    ['kept-values', urgent],
    ['told-later', atLeisure],
  ] as const;
  const look = (): void => {
    for (const [job, turns] of looked)
      if (!turns.isWaiting)
        turns.next().then(
          () => jobs.ended(job),
          (error: unknown) => {
            if (signal.aborted) return;
            jobs.ended(job, error);
            report(errorText(error));
          },
        );
  };
  return {
    start() {
      isStarted = true;
      look();
      timer = setInterval(look, LOOK).unref();
    },
    async workOff() {
      await urgent.next();
      await awaited.next();
    },
    hear(type) {
      if (isStarted && leaving.has(type)) look();
    },
    async close() {
      closing.abort();
      clearInterval(timer);
      await Promise.allSettled([urgent, atLeisure, awaited].map(({ last }) => last));
    },
  };
}

/** Runs of the same work, one after the other. */
class Turns {
  /** Whether a run waits for the one before it. */
  isWaiting = false;
  /** The end of the last run. */
  last: Promise<void> = Promise.resolve();

  constructor(private readonly run: () => Promise<void>) {}

  /** The run that waits, or a new one behind what runs now. */
  next(): Promise<void> {
    if (this.isWaiting) return this.last;
    this.isWaiting = true;
    return (this.last = this.last.catch(() => undefined).then(() => this.begin()));
  }

  private begin(): Promise<void> {
    this.isWaiting = false;
    return this.run();
  }
}
