/** Runs the statements of searches. */
import type { Caller } from '../../../../core/caller';
import { fail } from '../../../../core/errors';
import type { Database, Turn } from '../database/database';
import { bind, type Sql, type Statement } from '../database/sql';
import type { Row } from '../database/work';
import type { Model } from '../model';
import { callerArgs } from '../rights/access';

export type Run = (statement: Sql) => Promise<readonly Row[]>;

/** Whose turn it is. */
export const originOf = ({ id, network }: Caller): string => id ?? network ?? '';

/** Seconds after which the same search may be tried again. */
const RETRY_AFTER = '60';

/** Runs statements of a search that look at few rows. */
export const runBesideReads = ({ database }: Model, caller: Caller): Run =>
  runWith(database, caller, (statement) => database.read(statement));

/** Runs statements that may take long, as long as the client waits for them. */
export function runApart({ database }: Model, caller: Caller): Run {
  let turn: Turn | null = null;
  return runWith(database, caller, (statement) => {
    turn ??= { origin: originOf(caller), signal: caller.untilGone() };
    return caller.wait(database.readApart(statement, turn));
  });
}

/** @throws ApiError SEARCH_TOO_SLOW for a statement that was ended */
const runWith =
  (
    database: Database,
    caller: Caller,
    run: (statement: Statement) => readonly Row[] | Promise<readonly Row[]>,
  ): Run =>
  async (statement) => {
    try {
      return await run({ ...bind(statement, callerArgs(caller, Date.now())), isAdHoc: true });
    } catch (error) {
      if (!database.wasEnded(error)) throw error;
      throw fail('SEARCH_TOO_SLOW', {}, { 'Retry-After': RETRY_AFTER });
    }
  };
