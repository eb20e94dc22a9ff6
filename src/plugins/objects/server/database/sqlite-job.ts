/** Work that waits for the writing connection of SQLite. */
import type { Work } from './work';

/** Carries out the statements of work. */
export type Drive = <T>(work: Work<T>) => T | Promise<T>;

export interface SqliteJob {
  /** See `WriteOptions`. */
  readonly isRepeatable: boolean;
  /** @throws whatever its work throws */
  run(drive: Drive): void | Promise<void>;
  /** Called when the transaction has ended: settles the caller's promise. */
  settle(failure: unknown): void;
}
