/** The results of a batch: each operation has the status and body that its single call would have had. */
import { ApiError, MAX_FAULTS } from '../../core/errors';
import { messageOf } from '../../core/notices';
import type { Batch } from './operations';
import type { Change, Outcome, Written } from '../../plugins/objects/server/declare/objects';
import { failure } from '../../plugins/wire/server/envelope';
import { acted } from '../controller';
import { issueWithin } from './operations';

/**
 * The results of a batch, in the order of its operations.
 *
 * @throws ApiError BATCH_FAILED with the results, where one of them refuses all
 */
export function resultsOf({ changes, atomic }: Batch, outcomes: readonly Outcome[]): object[] {
  let faults = MAX_FAULTS;
  const results = outcomes.map((outcome, at) => {
    if (outcome.ok) return succeeded(changes[at], outcome.written);
    const { key, args, status } = outcome.error;
    const path = `operations.${at}.body`;
    const invalid = outcome.error.invalid.slice(0, faults).map((one) => issueWithin(path, one));
    faults -= invalid.length;
    return { status, ...failure({ key, args, invalid }) };
  });
  const failed = outcomes.filter(({ ok }) => !ok).length;
  if (atomic && failed > 0)
    throw new ApiError('BATCH_FAILED', { failed, count: results.length }, [], {}, results);
  return results;
}

function succeeded(change: Change | undefined, written: Written): object {
  const message = messageOf(written.notices);
  return { status: 200, response: answered(change, written), ...(message ? { message } : {}) };
}

const answered = (change: Change | undefined, written: Written): object =>
  change?.op === 'create' || change?.op === 'delete' ? { id: written.id } : acted(written);
