/** Whoever meets a limit is named in the history, for an administrator to see (contract, section 9). */
import { randomUUID } from 'node:crypto';
import type { Work } from '../../../objects/server/database/work';
import { record } from '../../../objects/server/history/record';
import type { Caller } from '../caller';
import { consume, type Limit } from './throttle';

/** Whose attempts are counted. */
export interface Tried {
  readonly caller: Caller;
  /** Where they come from, null where what is counted does not depend on it. */
  readonly network: string | null;
}

/** How often one bucket is told: whoever goes on trying fills no table. */
const TOLD: Limit = { name: 'met', max: 1, seconds: 60 * 60 };

/** Tells that a bucket is full. What was tried, such as the name of a login, is not kept. */
export function* tellMet(
  { name, max }: Limit,
  bucket: string,
  { caller, network }: Tried,
  now: number,
): Work<void> {
  const told = yield* consume(`${TOLD.name}:${bucket}`, TOLD, now);
  if (told.count > TOLD.max) return;
  const changes = [
    { path: 'max', before: null, after: max },
    ...(network === null ? [] : [{ path: 'network', before: null, after: network }]),
  ];
  const what = { type: 'limit', object: name, version: 0, action: 'exceed' } as const;
  yield* record({ id: randomUUID(), at: now, ...what, changes }, caller);
}
