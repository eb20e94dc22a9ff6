/** Measures the deletion of a user with many encounters, and the requests that wait for it. */
import { randomUUID } from 'node:crypto';
import { askOnce, load, type Load, type NextCall } from './load';
import { startContender } from './contenders/contender';
import { grow, type Dataset } from './data/dataset';
import { sampleEncounter } from './data/encounters';
import { createRandom } from './data/random';
import type { Place } from './places/place';
import type { Plan } from './measure';
import type { DeletionResult } from './result';
import type { Theater } from './stage';
import { percentile } from './statistics';

/** Encounters that the user owns. */
const OWNED = 100_000;

/** Measures one deletion per round, each on its own copy of the records. */
export async function measureDeletion(
  { cleanup }: Theater,
  first: Dataset,
  plan: Plan,
): Promise<DeletionResult> {
  const place = await first.place.copy();
  cleanup.add(() => place.drop());
  plan.progress(`deletion: makes ${OWNED} encounters`);
  const dataset: Dataset = { ...first, place };
  await grow(dataset, OWNED);
  const user = randomUUID();
  await place.run(
    `insert into up_users (document_id, name, email, email_key, account_role, version)
      values ('${user}', 'Prolific', 'p@example.org', 'p@example.org', 'user', 1)`,
    `update encounters set owner_id = (select id from up_users where document_id = '${user}')`,
  );
  const rounds: DeletionResult['rounds'][number][] = [];
  for (let round = 0; round < plan.rounds; round += 1) {
    plan.signal.throwIfAborted();
    plan.progress(`deletion: ${round + 1} of ${plan.rounds}`);
    const own = await place.copy();
    cleanup.add(() => own.drop());
    rounds.push(await measureOne(own, dataset, user, plan));
  }
  return { encounters: OWNED, rounds };
}

async function measureOne(
  place: Place,
  { taxa }: Dataset,
  user: string,
  { connections, seconds }: Plan,
): Promise<DeletionResult['rounds'][number]> {
  const ids = (await place.rows('select document_id from encounters')).map(([id]) => String(id));
  const contender = await startContender('ours', place.env);
  const random = createRandom(1);
  const read: NextCall = () => ({ method: 'GET', path: `/api/v0/encounter/${random.pick(ids)}` });
  const body = Buffer.from(JSON.stringify(sampleEncounter(random, taxa)));
  const headers = { 'content-type': 'application/json' };
  const write: NextCall = () => ({ method: 'POST', path: '/api/v0/encounter', headers, body });
  try {
    await load(contender.url, write, { connections: 1, seconds: 1 });
    const alone = await load(contender.url, read, { connections, seconds });
    let isDone = false;
    const meanwhile = (next: NextCall, count: number): Promise<Load> =>
      load(contender.url, (connection) => (isDone ? null : next(connection)), {
        connections: count,
      });
    const remove = async (): Promise<number> => {
      const start = performance.now();
      try {
        await askOnce(contender.url, { method: 'DELETE', path: `/api/v0/user/${user}` });
        return performance.now() - start;
      } finally {
        isDone = true;
      }
    };
    const [took, reads, writes] = await Promise.all([
      remove(),
      meanwhile(read, connections),
      meanwhile(write, 1),
    ]);
    return {
      took,
      readsAlone: percentile(alone.latencies, 0.99),
      reads: percentile(reads.latencies, 0.99),
      longestRead: percentile(reads.latencies, 1),
      longestWrite: percentile(writes.latencies, 1),
    };
  } finally {
    await contender.stop();
  }
}
