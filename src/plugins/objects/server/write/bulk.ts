/** Changes that one call makes together, in one transaction. */
import { ApiError } from '../../../../core/errors';
import type { WritableDatabase } from '../database/database';
import { attempt, type Attempted, type Work } from '../database/work';
import type { BulkOptions, Change, Outcome, Written } from '../declare/objects';
import type { WriteContext } from './context';
import { insertAll } from './execute';
import { BulkInserts } from './inserts';
import { updateFollowed } from './kept';
import type { WritePlan } from './plan';
import { writeRecorded } from './recording';
import { carryOut, carryOutPlan, planOf } from './writer';

/**
 * How often a change is tried: two concurrent writers may both pass the check of a unique rule. The index refuses the
 * second one, whose retry then finds the first one's object.
 */
export const MAX_TRIES = 3;

/** A change that is prepared, or the refusal of its preparation. */
export type PreparedChange = Change | Refused;
type Refused = Extract<Outcome, { ok: false }>;

const isRefused = (given: PreparedChange): given is Refused => 'ok' in given;

/** Rolls a transaction back of which the outcomes are told all the same. */
class Undone extends Error {
  constructor(readonly outcomes: Outcome[]) {
    super('nothing of it is kept');
  }
}

interface Tried {
  readonly outcomes: Outcome[];
  readonly isKept: boolean;
}

export async function tryTogether(
  database: WritableDatabase,
  newContext: () => WriteContext,
  changes: readonly PreparedChange[],
  { atomic = false, dryRun = false, withoutSavepoint = false }: BulkOptions,
): Promise<Tried> {
  const write = async (how: typeof together): Promise<Tried> => {
    try {
      const outcomes = await database.write(
        function* () {
          const all = yield* how(newContext(), changes);
          if (dryRun || (atomic && !all.every(({ ok }) => ok))) throw new Undone(all);
          return all;
        },
        { withoutSavepoint },
      );
      return { outcomes, isKept: true };
    } catch (error) {
      // Without a savepoint its caller rolls it back.
      if (error instanceof Undone && !withoutSavepoint)
        return { outcomes: error.outcomes, isKept: false };
      throw error;
    }
  };
  for (let isAgain = false; ; isAgain = true) {
    try {
      return await write(together);
    } catch (error) {
      if (withoutSavepoint || isAway(error)) throw error;
      // What another writer has committed in the meantime is found now.
      if (isAgain || !database.violated(error)) return write(oneByOne);
    }
  }
}

/**
 * Carries out all changes without a savepoint for each, which would take longer than the change itself: SQLite copies
 * each page before its first change on a savepoint (https://www.sqlite.org/tempfiles.html#statement_journal_files). A
 * refusal is thrown before its change writes anything, and so needs no rollback. Any other error aborts the
 * transaction.
 */
function* together(given: WriteContext, changes: readonly PreparedChange[]): Work<Outcome[]> {
  const inserts = new BulkInserts(insertAll);
  const bulk: WriteContext = { ...given, followed: new Map(), recorded: [], inserts };
  const outcomes: Outcome[] = [];
  for (const [at, change] of changes.entries()) {
    if (isRefused(change)) {
      outcomes.push(change);
      continue;
    }
    const context = isPlain(change) ? bulk : given;
    yield* inserts.prepare(bulk, changes, at);
    if (context !== bulk) yield* settle(bulk);
    let plan: WritePlan;
    try {
      plan = yield* planOf(context, change);
    } catch (error) {
      outcomes.push(refusedBy(error));
      continue;
    }
    outcomes.push({ ok: true, written: yield* carryOutPlan(context, change, plan) });
  }
  yield* settle(bulk);
  inserts.end(bulk);
  return outcomes;
}

/** Whether a change asks nothing of what is left to the end of a bulk. An erasure looks at the whole history. */
const isPlain = ({ op }: Change): boolean => op === 'create' || op === 'update';

export function* settle(bulk: WriteContext): Work<void> {
  if (bulk.inserts) yield* bulk.inserts.write();
  yield* writeRecorded(bulk);
  yield* updateFollowed(bulk);
}

/** The same with savepoints, for changes of which one fails after it has written something. */
function* oneByOne(context: WriteContext, changes: readonly PreparedChange[]): Work<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const change of changes) {
    if (isRefused(change)) {
      outcomes.push(change);
      continue;
    }
    const outcome = yield* attemptChange(context, change);
    outcomes.push(outcome.ok ? { ok: true, written: outcome.value } : refusedBy(outcome.error));
  }
  return outcomes;
}

function* attemptChange(context: WriteContext, change: Change): Work<Attempted<Written>> {
  const { database } = context.model;
  for (let tries = 1; ; tries += 1) {
    const outcome = yield* attempt(() => carryOut(context, change));
    if (!outcome.ok) context.references.clear();
    if (outcome.ok || tries === MAX_TRIES || !database.violated(outcome.error)) return outcome;
  }
}

export const isAway = (error: unknown): boolean =>
  error instanceof ApiError && error.key === 'UNAVAILABLE';

/** @throws any error that is not a refusal */
export function refusedBy(error: unknown): Refused {
  if (error instanceof ApiError && !isAway(error)) return { ok: false, error };
  throw error;
}
