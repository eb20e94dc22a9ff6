/**
 * Work on the database, written once for both databases: a generator that yields statements and receives their rows.
 * SQLite runs it synchronously, in slices when it is long; PostgreSQL awaits each statement whose rows are asked for.
 */
import { sql, statementOf, type MadeChange, type Sql, type SqlValue, type Statement } from './sql';

export type Row = readonly SqlValue[];
export type Rows = readonly Row[];

/** Statements that are run in their order; PostgreSQL gets all of them at once. */
export interface Several {
  readonly several: readonly Statement[];
}

/** One statement, answered by its rows, or several, answered by a list with the rows of each. */
export type Step = Statement | Several;

/** A statement's rows; of several statements, a list of them. */
export type StatementRows = Rows | readonly Rows[];

export type Work<T> = Generator<Step, T, StatementRows>;

/** Runs one statement and gives its rows. */
export function* ask(given: Sql | Statement): Work<Rows> {
  return (yield statementOf(given)) as Rows;
}

/** Runs one statement and gives its first row. */
export function* askOne(given: Sql | Statement): Work<Row | undefined> {
  return (yield* ask(given))[0];
}

/**
 * Runs one statement whose rows nobody needs: PostgreSQL gets it together with the next one. An error of it is thrown
 * there, or at the commit.
 */
export function* tell(given: Sql | Statement): Work<void> {
  yield { ...statementOf(given), isTold: true };
}

export const isSeveral = (step: Step): step is Several => 'several' in step;

/**
 * Carries out works side by side in one transaction: the next statement of each is run together with those of all
 * others. None of them may depend on what another one changes, nor use savepoints.
 *
 * @param refused whether an error that a work throws is its result; any other one ends all of them
 */
export function* sideBySide<T>(
  works: readonly Work<T>[],
  refused: (error: unknown) => boolean,
): Work<Attempted<T>[]> {
  const outcomes = new Map<Work<T>, Attempted<T>>();
  let [several, waiting]: [Statement[], Waiting<T>[]] = [[], []];
  const advance = (work: Work<T>, run: () => IteratorResult<Step, T>): void => {
    try {
      let next = run();
      while (!next.done && !isSeveral(next.value) && next.value.isTold) {
        several.push(next.value);
        next = work.next([]);
      }
      if (next.done) return void outcomes.set(work, { ok: true, value: next.value });
      const step = next.value;
      waiting.push({ work, step, at: several.length });
      several.push(...(isSeveral(step) ? step.several : [step]));
    } catch (error) {
      if (!refused(error)) throw error;
      outcomes.set(work, { ok: false, error });
    }
  };
  for (const work of works) advance(work, () => work.next());
  while (waiting.length > 0) {
    const answers = (yield { several }) as readonly Rows[];
    const asked = waiting;
    [several, waiting] = [[], []];
    for (const { work, step, at } of asked) {
      const answer = isSeveral(step)
        ? answers.slice(at, at + step.several.length)
        : (answers[at] ?? []);
      advance(work, () => work.next(answer));
    }
  }
  for (const statement of several) yield statement;
  return works.flatMap((work) => outcomes.get(work) ?? []);
}

/** A work that waits for the answer to a step, whose statements begin at this place among all. */
interface Waiting<T> {
  readonly work: Work<T>;
  readonly step: Step;
  readonly at: number;
}

export type Attempted<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown };

/** Who carries out the statements of work while it waits. */
export interface WorkDriver {
  /** A statement whose answer nobody needs. Its error may come at the next answer. */
  tell(statement: Statement): void;
  answer(step: Step): Promise<StatementRows>;
}

/** Runs work to its end. */
export async function driveWork<T>(work: Work<T>, driver: WorkDriver): Promise<T> {
  let next = work.next();
  while (!next.done) {
    const step = next.value;
    if (!isSeveral(step) && step.isTold) {
      driver.tell(step);
      next = work.next([]);
      continue;
    }
    let answer: StatementRows;
    try {
      answer = await driver.answer(step);
    } catch (error) {
      next = work.throw(error);
      continue;
    }
    next = work.next(answer);
  }
  return next.value;
}

const SAVEPOINT = sql`savepoint attempt`;
const RELEASE = sql`release savepoint attempt`;
const UNDO = sql`rollback to savepoint attempt`;

/** Work on a savepoint: when it fails, its changes are rolled back and the transaction goes on. */
export function* attempt<T>(work: () => Work<T>): Work<Attempted<T>> {
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

/**
 * Work of which the changes are noted that its statements record, those that are rolled back left out.
 *
 * @param notes emptied first: work that is tried again begins anew
 */
export function* noting<T>(work: () => Work<T>, notes: MadeChange[]): Work<T> {
  notes.length = 0;
  const running = work();
  const savepoints: number[] = [];
  const note = ({ sql: text, made }: Statement): void => {
    if (made) notes.push(...made);
    if (text === SAVEPOINT) savepoints.push(notes.length);
    else if (text === UNDO) notes.length = savepoints.at(-1) ?? 0;
    else if (text === RELEASE) savepoints.pop();
  };
  let step = running.next();
  while (!step.done) {
    let answer: StatementRows;
    try {
      answer = yield step.value;
    } catch (error) {
      step = running.throw(error);
      continue;
    }
    if (isSeveral(step.value)) for (const statement of step.value.several) note(statement);
    else note(step.value);
    step = running.next(answer);
  }
  return step.value;
}

/** Work whose changes are rolled back when it fails inside a transaction that another caller began. */
export function* wholly<T>(work: () => Work<T>): Work<T> {
  const outcome = yield* attempt(work);
  if (!outcome.ok) throw outcome.error;
  return outcome.value;
}
