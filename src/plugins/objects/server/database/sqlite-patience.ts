/**
 * How long a statement waits for another process that holds the write lock of the file, such as a backup or a script:
 * asynchronously. SQLite itself would wait on the main thread (`busy_timeout`), and let all requests wait with it.
 */
import type BetterSqlite3 from 'better-sqlite3';
import { setTimeout } from 'node:timers/promises';
import { errorCode } from '../../../../core/start-error';

/** Milliseconds in all, and between two tries. */
const PATIENCE = 1000;
const PAUSE = 10;

/** SQLITE_BUSY_SNAPSHOT is not among them: the rows that the transaction has read have changed, for good. */
const isBusy = (error: unknown): boolean => errorCode(error) === 'SQLITE_BUSY';

const impatient = new WeakSet<BetterSqlite3.Database>();

/** Lets the statements of a connection fail at once where the lock is held. */
export function neverBlock(handle: BetterSqlite3.Database): void {
  if (impatient.has(handle)) return;
  handle.pragma('busy_timeout = 0');
  impatient.add(handle);
}

/** Lets the statements of an action wait on the main thread again, in a process that serves nobody meanwhile. */
export function blocking<T>(handle: BetterSqlite3.Database, action: () => T): T {
  handle.pragma(`busy_timeout = ${PATIENCE}`);
  impatient.delete(handle);
  return action();
}

/** Runs a statement again and again while the lock is held. @throws what it throws, SQLITE_BUSY after a second */
export async function patiently<T>(run: () => T | Promise<T>): Promise<T> {
  const end = performance.now() + PATIENCE;
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!isBusy(error) || performance.now() > end) throw error;
      await setTimeout(PAUSE);
    }
  }
}
