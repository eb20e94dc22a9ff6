/** Carries out long work in slices on the event loop: it blocks other writers, but no readers. */
import type BetterSqlite3 from 'better-sqlite3';
import { setImmediate } from 'node:timers/promises';
import type { SqliteStatements } from './sqlite-statements';
import type { StatementRows, Step, Work } from './work';

/**
 * Milliseconds after which work lets the event loop handle other events, before its next statement: most changes end
 * within the first slice, and what takes longer has shorter ones from then on.
 */
const FIRST_SLICE = 2;
const SLICE = 0.5;

/** In a process that only imports, which handles no other events but signals. */
const BULK_SLICE = 50;

export class Slices {
  /** Set in a process that only imports. */
  areLong = false;

  constructor(private readonly statements: SqliteStatements) {}

  /** Runs work to its end, or for one slice and from there in slices on the event loop. */
  drive<T>(handle: BetterSqlite3.Database, work: Work<T>): T | Promise<T> {
    const result = this.driveOn(handle, work, work.next(), FIRST_SLICE);
    return result.done ? result.value : this.driveInSlices(handle, work, result.step);
  }

  private async driveInSlices<T>(
    handle: BetterSqlite3.Database,
    work: Work<T>,
    begun: IteratorResult<Step, T>,
  ): Promise<T> {
    for (let step = begun; ;) {
      await setImmediate();
      const result = this.driveOn(handle, work, step, this.areLong ? BULK_SLICE : SLICE);
      if (result.done) return result.value;
      step = result.step;
    }
  }

  /** @returns the result, or the statement that is next when the time is up */
  private driveOn<T>(
    handle: BetterSqlite3.Database,
    work: Work<T>,
    begun: IteratorResult<Step, T>,
    slice: number,
  ): { done: true; value: T } | { done: false; step: IteratorResult<Step, T> } {
    const end = performance.now() + slice;
    let step = begun;
    while (!step.done) {
      let answer: StatementRows;
      try {
        answer = this.statements.answer(handle, step.value);
      } catch (error) {
        step = work.throw(error);
        continue;
      }
      step = work.next(answer);
      if (!step.done && performance.now() > end) return { done: false, step };
    }
    return { done: true, value: step.value };
  }
}
