/** Records in the history, for administrators, who has reached a limit (contract, section 9). */
import { randomUUID } from 'node:crypto';
import type { Caller } from '../../../../core/caller';
import type { Work } from '../../../objects/server/database/work';
import { record } from '../../../objects/server/write/history-entries';
import { consume, type Limit } from './counters';

/** A bucket is recorded once in this many milliseconds, so that further attempts do not fill the table. */
const RECORDED: Limit = { name: 'met', max: 1, seconds: 60 * 60 };

/** Records that a bucket is full. The details of the attempt, such as the name of a login, are not stored. */
export function* recordLimit(
  { name, max }: Limit,
  bucket: string,
  caller: Pick<Caller, 'id' | 'actor' | 'network'>,
  at: number,
): Work<void> {
  const { count } = yield* consume(`${RECORDED.name}:${bucket}`, RECORDED, at);
  if (count > RECORDED.max) return;
  const { network } = caller;
  const changes = [
    { path: 'max', before: null, after: max },
    ...(network === null ? [] : [{ path: 'network', before: null, after: network }]),
  ];
  const head = { type: 'limit', at, action: 'exceed', caller } as const;
  yield* record(head, { id: randomUUID(), object: name, version: 0, changes });
}
