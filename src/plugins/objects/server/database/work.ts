/**
 * Work on the database, written once for both: a generator that yields statements and is given
 * their rows. SQLite drives it synchronously, in one go inside a transaction; PostgreSQL awaits
 * each statement.
 */

/** A value as the drivers take and give it. */
export type SqlValue = string | number | bigint | boolean | null;
export type Row = readonly SqlValue[];

/** SQL with `?` for its values. The text is kept prepared: build it once, not per call. */
export interface Statement {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

export type Work<T> = Generator<Statement, T, readonly Row[]>;

/** Runs one statement and gives its rows. */
export function* ask(text: string, values: readonly SqlValue[] = []): Work<readonly Row[]> {
  return yield { text, values };
}

/** Runs one statement and gives its first row. */
export function* askOne(text: string, values: readonly SqlValue[] = []): Work<Row | undefined> {
  const rows = yield { text, values };
  return rows[0];
}

export type Attempt<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown };

/** Work that leaves no trace when it fails, and does not end the transaction that it is part of. */
export function* attempt<T>(work: () => Work<T>): Work<Attempt<T>> {
  yield* ask('savepoint attempt');
  try {
    const value = yield* work();
    yield* ask('release savepoint attempt');
    return { ok: true, value };
  } catch (error) {
    try {
      yield* ask('rollback to savepoint attempt');
      yield* ask('release savepoint attempt');
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
