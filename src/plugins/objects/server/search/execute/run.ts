/** Runs the statements of searches. */
import { originOf, type Caller } from '../../../../../core/caller';
import { fail } from '../../../../../core/errors';
import type { Turn } from '../../database/database';
import { bind, type Statement } from '../../database/sql';
import type { Row } from '../../database/work';
import type { Model } from '../../read/model';
import { callerArgs } from '../../rights/access';
import type { Run } from '../conditions/probe';
import type { Runner } from '../plan/choose';

/** Seconds after which the same search may be tried again. */
const RETRY_AFTER = '60';

export const runnerFor = (model: Model, caller: Caller): Runner => ({
  inline: runBesideReads(model, caller),
  worker: runApart(model, caller),
});

/** Runs statements of a search that look at few rows. */
const runBesideReads = (model: Model, caller: Caller): Run =>
  runWith(model, caller, (statement) => model.database.read(statement));

/** Runs statements that may take long, as long as the client waits for them. */
export function runApart(model: Model, caller: Caller): Run {
  let turn: Turn | null = null;
  return runWith(model, caller, (statement) => {
    turn ??= { origin: originOf(caller), signal: caller.untilGone() };
    return caller.wait(model.database.readApart(statement, turn));
  });
}

/** @throws ApiError SEARCH_TOO_SLOW for a statement that was ended */
const runWith =
  (
    { database, clock }: Model,
    caller: Caller,
    run: (statement: Statement) => readonly Row[] | Promise<readonly Row[]>,
  ): Run =>
  async (statement) => {
    try {
      return await run({ ...bind(statement, callerArgs(caller, clock())), isAdHoc: true });
    } catch (error) {
      if (!database.wasEnded(error)) throw error;
      throw fail('SEARCH_TOO_SLOW', {}, { 'Retry-After': RETRY_AFTER });
    }
  };
