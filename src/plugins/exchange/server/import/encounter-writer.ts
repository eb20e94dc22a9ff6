import type { Caller } from '../../../../core/caller';
import type { BulkOptions, Change } from '../../../objects/server/declare/objects';
import type { Objects } from '../../../objects/server/types';
import type { ApiError } from '../../../../core/errors';
import type { Draft } from '../package/dataset';
import type { Fault } from '../package/fault';
import { isTaken, refusals, valueText } from './reasons';
import type { Tally } from './summary';

interface Writing {
  readonly objects: Objects;
  readonly caller: Caller;
  readonly tally: Tally;
  readonly onFault: (fault: Fault) => void;
  readonly options: BulkOptions;
}

/** An encounter with its references, and where it comes from. */
export type ImportedEncounter = Pick<Draft, 'body' | 'placeOf'>;

/** Creates the encounters that do not exist yet, together (`Objects.writeAll`); refusals are reported to `onFault`. */
export async function writeEncounters(
  drafts: readonly ImportedEncounter[],
  writing: Writing,
): Promise<void> {
  const { objects, caller, tally, onFault, options } = writing;
  const changes = drafts.map(({ body }): Change => ({ op: 'create', type: 'encounter', body }));
  const outcomes = await objects.writeAll(changes, caller, options);
  for (const [index, outcome] of outcomes.entries()) {
    const draft = drafts[index];
    if (outcome.ok || draft === undefined) tally.created += 1;
    else if (outcome.error.status >= 500) throw outcome.error;
    else if (isTaken(outcome.error, 'external_id')) tally.existing += 1;
    else {
      tally.refused += 1;
      faultsOf(outcome.error, draft).forEach(onFault);
    }
  }
}

function faultsOf(error: ApiError, draft: ImportedEncounter): Fault[] {
  return refusals(error).map(({ path, reason }) => {
    const field = path.split('.')[0] ?? '';
    return { ...draft.placeOf(field), reason, value: valueText(draft.body[field]) };
  });
}
