/** Runs the statements of searches. */
import { originOf, type Caller } from '../../../../../core/caller';
import { fail } from '../../../../../core/errors';
import type { Turn } from '../../database/database';
import { bind, type Sql, type Statement } from '../../database/sql';
import type { Row } from '../../database/work';
import type { Model } from '../../model';
import { callerArgs } from '../../rights/access';

export type Run = (statement: Sql) => Promise<readonly Row[]>;

/** Seconds after which the same search may be tried again. */
const RETRY_AFTER = '60';

/** Runs statements of a search that look at few rows. */
export const runBesideReads = (model: Model, caller: Caller): Run =>
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
