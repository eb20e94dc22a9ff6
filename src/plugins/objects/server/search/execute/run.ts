/** Runs the statements of searches. */
import { originOf, type Caller } from '../../../../../core/caller';
import { fail } from '../../../../../core/errors';
import type { Turn } from '../../database/database';
import { bind, type Statement } from '../../database/sql';
import type { Row } from '../../database/work';
import type { Model } from '../../read/model';
import { callerArgs } from '../../rights/caller-args';
import type { Run } from '../conditions/probe';
import type { Runner } from '../plan/choose';

/** Seconds after which the same search may be tried again. */
const RETRY_AFTER = '60';

/** Whether the texts of statements depend on what is asked, or are the same few for all that ask. */
type Texts = 'ad hoc' | 'few';

export const runnerFor = (model: Model, caller: Caller, texts: Texts = 'ad hoc'): Runner => ({
  inline: runBesideReads(model, caller, texts),
  worker: runApart(model, caller, texts),
});

/** Runs statements of a search that look at few rows. */
const runBesideReads = (model: Model, caller: Caller, texts: Texts): Run =>
  runWith(model, caller, texts, (statement) => model.database.read(statement));

/** Runs statements that may take long, as long as the client waits for them. */
export function runApart(model: Model, caller: Caller, texts: Texts = 'ad hoc'): Run {
  let turn: Turn | null = null;
  return runWith(model, caller, texts, (statement) => {
    turn ??= { origin: originOf(caller), signal: caller.untilGone() };
    return caller.wait(model.database.readApart(statement, turn));
  });
}

/** @throws ApiError SEARCH_TOO_SLOW for a statement that was ended */
const runWith =
  (
    { database, clock }: Model,
    caller: Caller,
    texts: Texts,
    run: (statement: Statement) => readonly Row[] | Promise<readonly Row[]>,
  ): Run =>
  async (statement) => {
    try {
      const bound = bind(statement, callerArgs(caller, clock()));
      return await run(texts === 'few' ? bound : { ...bound, isAdHoc: true });
    } catch (error) {
      if (!database.wasEnded(error)) throw error;
      throw fail('SEARCH_TOO_SLOW', {}, { 'Retry-After': RETRY_AFTER });
    }
  };
