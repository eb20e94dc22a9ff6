import { setTimeout as sleep } from 'node:timers/promises';
import type { Target } from './target';

/** Bytes by which the heap may grow from the first third of a run to its end: what caches hold once they are full. */
const MAX_GROWTH = 24 * 2 ** 20;

/** Milliseconds for a collection of the whole heap. */
const PATIENCE = 20_000;

/** Compares the heap of the service, after a collection, at a third of so many requests and at the end. */
export function growthOf(target: Target, count: number) {
  const seen: number[] = [];
  return {
    look: async (done: number): Promise<void> => {
      if (seen.length === 0 && done >= count / 3) seen.push(await heapOf(target));
    },
    fault: async (): Promise<string | null> => {
      const last = await heapOf(target);
      const [first = last] = seen;
      const inWords = `the heap of ${mebibytes(first)} has become ${mebibytes(last)}`;
      process.stdout.write(`${inWords}\n`);
      return last - first > MAX_GROWTH ? inWords : null;
    },
  };
}

const mebibytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;

/** What the process writes once it has collected (`tell-heap.js`). */
async function heapOf({ pid, takeLog }: Target): Promise<number> {
  process.kill(pid, 'SIGUSR2');
  const until = Date.now() + PATIENCE;
  for (let log = ''; Date.now() < until; await sleep(50)) {
    log += takeLog();
    const [, bytes] = /"heapUsed":(\d+)/.exec(log) ?? [];
    if (bytes !== undefined) return Number(bytes);
  }
  throw new Error('the service does not tell its heap');
}
