/** Measures calls that change many encounters, and the requests that wait for them: a deletion, a merge. */
import { randomUUID } from 'node:crypto';
import { askOnce, load, type Call, type Load, type NextCall } from './load';
import { startContender } from './contenders/contender';
import { grow, type Dataset } from './data/dataset';
import { sampleEncounter } from './data/encounters';
import { createRandom } from './data/random';
import type { Place } from './places/place';
import type { Plan } from './measure';
import type { RippleResult } from './result';
import type { Theater } from './stage';
import { percentile } from './statistics';

/** A call that changes many encounters. */
interface Subject {
  readonly title: string;
  readonly encounters: number;
  /** The statements that prepare the records. */
  readonly prepared: readonly string[];
  readonly call: Call;
}

/** The deletion of a user who owns 100,000 encounters. */
export function measureDeletion(
  theater: Theater,
  first: Dataset,
  plan: Plan,
): Promise<RippleResult> {
  const user = randomUUID();
  return measureSubject(theater, first, plan, {
    title: 'deletion of a user',
    encounters: 100_000,
    prepared: [
      `insert into up_users (document_id, name, email, email_key, account_role, version)
        values ('${user}', 'Prolific', 'p@example.org', 'p@example.org', 'user', 1)`,
      `update encounters set owner_id = (select id from up_users where document_id = '${user}')`,
    ],
    call: { method: 'DELETE', path: `/api/v0/user/${user}` },
  });
}

/** The merge of two individuals, of which the one that goes has 20,000 encounters of two owners. */
export function measureMerge(theater: Theater, first: Dataset, plan: Plan): Promise<RippleResult> {
  const [into, from] = [randomUUID(), randomUUID()];
  const owners = [randomUUID(), randomUUID()];
  const individuals = [into, from].map(
    (id) =>
      `insert into individuals (document_id, names, tags, custom_fields, version, encounter_count, public_encounter_count)
        values ('${id}', '[]', '[]', '{}', 1, 0, 0)`,
  );
  const users = owners.map(
    (id) => `insert into up_users (document_id, name, email, email_key, account_role, version)
      values ('${id}', 'Owner', '${id}@example.org', '${id}@example.org', 'user', 1)`,
  );
  return measureSubject(theater, first, plan, {
    title: 'merge of two individuals',
    encounters: 20_000,
    prepared: [
      ...individuals,
      ...users,
      `update encounters set taxonomy_id = null,
        individual_id = (select id from individuals where document_id = '${from}'),
        owner_id = (select id from up_users where document_id = '${owners[0]}')`,
      `update encounters set owner_id = (select id from up_users where document_id = '${owners[1]}')
        where id % 2 = 0`,
    ],
    call: {
      method: 'POST',
      path: `/api/v0/individual/${into}/merge`,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify({ from: [from] })),
    },
  });
}

/** Measures the call once per round, each on its own copy of the records. */
async function measureSubject(
  { cleanup }: Theater,
  first: Dataset,
  plan: Plan,
  subject: Subject,
): Promise<RippleResult> {
  const { title, encounters, prepared } = subject;
  const place = await first.place.copy();
  cleanup.add(() => place.drop());
  plan.progress(`${title}: makes ${encounters} encounters`);
  const dataset: Dataset = { ...first, place };
  await grow(dataset, encounters);
  await place.run(...prepared);
  const rounds: RippleResult['rounds'][number][] = [];
  for (let round = 0; round < plan.rounds; round += 1) {
    plan.signal.throwIfAborted();
    plan.progress(`${title}: ${round + 1} of ${plan.rounds}`);
    const own = await place.copy();
    cleanup.add(() => own.drop());
    rounds.push(await measureOne(own, dataset, subject.call, plan));
  }
  return { encounters, rounds };
}

async function measureOne(
  place: Place,
  { taxa }: Dataset,
  call: Call,
  { connections, seconds }: Plan,
): Promise<RippleResult['rounds'][number]> {
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
    const change = async (): Promise<number> => {
      const start = performance.now();
      try {
        await askOnce(contender.url, call);
        return performance.now() - start;
      } finally {
        isDone = true;
      }
    };
    const [took, reads, writes] = await Promise.all([
      change(),
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
