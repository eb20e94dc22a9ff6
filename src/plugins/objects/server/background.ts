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
    for (let isMore = true; isMore && !isClosed; await setTimeout(REST)) {
      // The settings may have changed in the transaction that left the work.
      await site.refresh();
      isMore = await model.database.write(() => workOff(model, value));
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
