/** The jobs that work off what changes have left to be done for kept values. */
import { setTimeout } from 'node:timers/promises';
import type { Work } from './database/work';
import type { Kept } from './declare/behavior';
import { every, type Job } from './jobs/job';
import type { Model } from './read/model';
import type { Projections } from './search/projection/versions/live';
import type { Site } from './site-store';
import { workOff } from './write/kept';

/** The job for which somebody waits. */
export const KEPT_VALUES = 'kept-values';

/** Milliseconds between two looks: for what another server has left, or what is due later. */
const LOOK = 5000;
/** The same for what nobody waits for. */
const LEISURE = 60_000;
/** The same where there is nothing to be done before the next start. */
const STEADY = 3_600_000;
/** Milliseconds between two parts, in which others can write. */
const REST = 2;
/** After a part of work for which nobody waits, so many times the time that it took: of 200 reads one meets a part. */
const PATIENCE = 200;

/** Objects of the first part, of the smallest and of the largest one. */
const OBJECTS = { first: 50, least: 10, most: 500 };

/** How many objects the next part has, after one of so many took so long. @param took and wanted: milliseconds */
function sizeOfNext(size: number, took: number, wanted: number): number {
  const factor = Math.min(Math.max(wanted / took, 0.5), 1.5);
  return Math.min(Math.max(Math.round(size * factor), OBJECTS.least), OBJECTS.most);
}

/** How work is done beside what callers wait for. */
interface Pace {
  /** After a part, so many times the time that it took. */
  readonly patience?: number;
  /** Of the time that a part may take. */
  readonly share?: number;
  readonly told?: (parts: number) => void;
}

/** Nobody waits for a table to be filled, as long as searches have another one: writers wait for short parts, and seldom. */
const FILLING: Pace = { patience: 2, share: 0.1 };

export interface Background {
  readonly jobs: () => readonly Job[];
  /** Works everything off that is due now, without a job. */
  workOff(): Promise<void>;
  /** Whether changes of objects of this type may leave something for `KEPT_VALUES`. */
  leaves(type: string): boolean;
  /** Ends `workOff` with the part that is under way. */
  close(): Promise<void>;
}

export function createBackground(model: Model, site: Site, projections: Projections): Background {
  const kept = [...model.resources.values()].flatMap((resource) => resource.kept);
  const leaving = new Set(kept.filter((value) => value.leavesWork).map(({ of }) => of));
  const urgent = kept.filter(({ isUnhurried }) => !isUnhurried);
  const unhurried = kept.filter(({ isUnhurried }) => isUnhurried);
  const filled = kept.flatMap(({ fill }) => (fill ? [{ later: fill }] : []));
  const closing = new AbortController();
  let last: Promise<void> = Promise.resolve();

  const finish = async (
    values: readonly Pick<Kept, 'later'>[],
    signal: AbortSignal,
    { patience = 0, share = 1, told = (_parts: number): void => undefined }: Pace = {},
  ): Promise<void> => {
    let parts = 0;
    for (const { later } of values) {
      let size = OBJECTS.first;
      for (let isMore = later !== undefined; later && isMore && !signal.aborted;) {
        // The settings may have changed in the transaction that left the work.
        await site.refresh();
        let start = 0;
        const part = (): Work<boolean> => {
          start = performance.now();
          return workOff(model, later, size);
        };
        isMore = await model.database.write(part, { isRepeatable: true });
        if (isMore) told((parts += 1));
        const took = performance.now() - start;
        size = sizeOfNext(size, took, model.database.partTime * share);
        const rest = isMore ? Math.max(REST, took * patience) : REST;
        await setTimeout(rest, undefined, { signal }).catch(() => undefined);
      }
    }
    await projections.refresh(model.database);
  };
  const fill = async (signal: AbortSignal, told?: (parts: number) => void): Promise<void> => {
    if (projections.isSteady) return;
    const isAnswered = projections.filling.every((type) => projections.tableRead(type) !== null);
    await finish(filled, signal, { ...(isAnswered ? FILLING : {}), ...(told ? { told } : {}) });
  };
  return {
    jobs: () => [
      {
        name: KEPT_VALUES,
        // Each part is locked in the database, so that any server does what is left of one that dies at once.
        isLeased: false,
        next: every(LOOK),
        run: ({ signal, progress }) => finish(urgent, signal, { told: progress }),
      },
      {
        name: 'told-later',
        isLeased: true,
        next: every(LEISURE),
        run: ({ signal, progress }) =>
          finish(unhurried, signal, { patience: PATIENCE, told: progress }),
      },
      {
        name: 'projections',
        isLeased: false,
        next: (now) => now + (projections.isSteady ? STEADY : LOOK),
        run: ({ signal, progress }) => fill(signal, progress),
      },
    ],
    workOff() {
      last = last
        .catch(() => undefined)
        .then(() => fill(closing.signal))
        .then(() => finish([...urgent, ...unhurried], closing.signal));
      return last;
    },
    leaves: (type) => leaving.has(type),
    async close() {
      closing.abort();
      await last.catch(() => undefined);
    },
  };
}
