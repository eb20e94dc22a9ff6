/** Works off, in the background of a service, what changes have left to be done for kept values. */
import { setTimeout } from 'node:timers/promises';
import type { Kept } from './define/behavior';
import type { Model } from './model';
import type { Site } from './site-store';
import { workOff } from './write/kept';

/** Milliseconds between two looks: for what another server has left, or what is due later. */
const LOOK = 5000;
/** Milliseconds between two parts, in which others can write. */
const REST = 5;

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

/** @param report is told an error, after which the work is tried again */
export function createBackground(
  model: Model,
  site: Site,
  report: (message: string) => void,
): Background {
  const kept = [...model.resources.values()].flatMap((resource) => resource.kept);
  const values = kept.filter(({ later }) => later !== undefined);
  const leaving = new Set(kept.filter((value) => value.leavesWork).map(({ of }) => of));
  let isClosed = false;
  let isStarted = false;
  let isWaiting = false;
  let timer: NodeJS.Timeout | undefined;
  let turn: Promise<void> = Promise.resolve();

  const finish = async (value: Kept): Promise<void> => {
    let size = OBJECTS.first;
    for (let isMore = true; isMore && !isClosed; await setTimeout(REST)) {
      // The settings may have changed in the transaction that left the work.
      await site.refresh();
      const start = performance.now();
      isMore = await model.database.write(() => workOff(model, value, size));
      size = sizeOfNext(size, performance.now() - start, model.database.partTime);
    }
  };
  const all = async (): Promise<void> => {
    isWaiting = false;
    for (const value of values) await finish(value);
  };
  const inTurn = (): Promise<void> => {
    isWaiting = true;
    return (turn = turn.catch(() => undefined).then(all));
  };
  const look = (): void => {
    inTurn().catch((error: unknown) => {
      if (!isClosed) report(error instanceof Error ? error.message : String(error));
    });
  };
  return {
    start() {
      isStarted = true;
      look();
      timer = setInterval(look, LOOK).unref();
    },
    workOff: inTurn,
    hear(type) {
      if (isStarted && !isWaiting && leaving.has(type)) look();
    },
    async close() {
      isClosed = true;
      clearInterval(timer);
      await turn.catch(() => undefined);
    },
  };
}
