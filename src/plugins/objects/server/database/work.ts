/**
 * Work on the database, written once for both databases: a generator that yields statements and receives their rows.
 * SQLite runs it synchronously inside a transaction; PostgreSQL awaits each statement.
 */
import { sql, statementOf, type Sql, type SqlValue, type Statement } from './sql';

export type Row = readonly SqlValue[];

/** Yielded by long work to let the event loop handle other events in the middle of a transaction. */
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

/** Work on a savepoint: when it fails, its changes are rolled back and the transaction goes on. */
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
      throw error; // the whole transaction has been rolled back; this error is the cause
    }
    return { ok: false, error };
  }
}

/** Work whose changes are rolled back when it fails inside a transaction that another caller began. */
export function* wholly<T>(work: () => Work<T>): Work<T> {
  const outcome = yield* attempt(work);
  if (!outcome.ok) throw outcome.error;
  return outcome.value;
}
