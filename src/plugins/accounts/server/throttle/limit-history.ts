/** Whoever meets a limit is named in the history, for an administrator to see (contract, section 9). */
import { randomUUID } from 'node:crypto';
import type { Caller } from '../../../../core/caller';
import type { Work } from '../../../objects/server/database/work';
import { record } from '../../../objects/server/history/record';
import { consume, type Limit } from './counters';

/** How often one bucket is recorded: whoever goes on trying fills no table. */
const RECORDED: Limit = { name: 'met', max: 1, seconds: 60 * 60 };

/** Records that a bucket is full. What was tried, such as the name of a login, is not kept. */
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
