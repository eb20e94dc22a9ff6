/**
 * Work on the database, written once for both: a generator that yields statements and is given their rows. SQLite
 * drives it synchronously, in one go inside a transaction; PostgreSQL awaits each statement.
 */
import { sql, statementOf, type Sql, type SqlValue, type Statement } from './sql';

export type Row = readonly SqlValue[];

/** Lets other events of the process be handled, in the middle of a transaction: for work in many steps. */
export const PAUSE = Symbol('pause');

export type Step = Statement | typeof PAUSE;
export type Work<T> = Generator<Step, T, readonly Row[]>;

/** Runs one statement and gives its rows. */
export function* ask(given: Sql | Statement): Work<readonly Row[]> {
  return yield statementOf(given);
}

/** Runs one statement and gives its first row. */
export function* askOne(given: Sql | Statement): Work<Row | undefined> {
  const rows = yield statementOf(given);
  return rows[0];
}

export type Attempt<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown };

const SAVEPOINT = sql`savepoint attempt`;
const RELEASE = sql`release savepoint attempt`;
const UNDO = sql`rollback to savepoint attempt`;

/** Work that leaves no trace when it fails, and does not end the transaction that it is part of. */
export function* attempt<T>(work: () => Work<T>): Work<Attempt<T>> {
  yield* ask(SAVEPOINT);
  try {
    const value = yield* work();
    yield* ask(RELEASE);
    return { ok: true, value };
  } catch (error) {
    try {
      yield* ask(UNDO);
      yield* ask(RELEASE);
    } catch {
      throw error; // the whole transaction is gone, and this is why
    }
    return { ok: false, error };
  }
}

/** Work that must leave no trace when it fails inside a transaction of somebody else's. */
export function* wholly<T>(work: () => Work<T>): Work<T> {
  const outcome = yield* attempt(work);
  if (!outcome.ok) throw outcome.error;
  return outcome.value;
}
