import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Milliseconds that the main thread of a process has had a processor, once it has nothing more to do. That thread
 * parses, checks and writes, and on SQLite it is the database as well; passwords are hashed on threads beside it, on
 * purpose and for a bounded time, and so do the collector's helpers work.
 */
export async function processorTime(pid: number): Promise<number> {
  let before = read(pid);
  for (;;) {
    await sleep(2);
    const now = read(pid);
    if (now === before) return now;
    before = now;
  }
}

/** The first number of schedstat, in nanoseconds (https://docs.kernel.org/scheduler/sched-stats.html). */
function read(pid: number): number {
  const [onProcessor = ''] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
  return Number(onProcessor) / 1e6;
}
