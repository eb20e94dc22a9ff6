/** Interleaved rounds: the contenders take turns, so that what disturbs the machine disturbs all of them. */
import type { Contender } from './contenders/contender';
import { load, type NextCall } from './load';
import type { Measurement, Round } from './result';
import { percentile } from './statistics';

/** One who takes part in a workload. */
export interface Participant {
  readonly name: string;
  readonly contender: Contender;
  readonly next: NextCall;
}

export interface Plan {
  readonly connections: number;
  readonly rounds: number;
  /** Of each round. */
  readonly seconds: number;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

/** Seconds of the warm-up at most: V8 has compiled what is hot by then. */
const WARM_UP = 3;

/** Measures one workload. */
export async function measure(
  workload: string,
  participants: readonly Participant[],
  plan: Plan,
): Promise<Measurement> {
  const rounds: Record<string, Round[]> = {};
  for (const { name, contender, next } of participants) {
    plan.progress(`${workload}: ${name} warms up`);
    rounds[name] = [];
    const seconds = Math.min(WARM_UP, plan.seconds);
    await load(contender.url, next, { connections: plan.connections, seconds });
  }
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const participant of turned(participants, round)) {
      plan.signal.throwIfAborted();
      plan.progress(`${workload}: ${participant.name}, ${round + 1} of ${plan.rounds}`);
      rounds[participant.name]?.push(await measureOne(participant, plan));
    }
  }
  return { workload, rounds };
}

/** Another one begins in each round. */
const turned = <T>(values: readonly T[], by: number): T[] => {
  const at = by % values.length;
  return [...values.slice(at), ...values.slice(0, at)];
};

async function measureOne(
  { contender, next }: Participant,
  { connections, seconds }: Plan,
): Promise<Round> {
  const before = await contender.usage();
  const done = await load(contender.url, next, { connections, seconds });
  const after = await contender.usage();
  return {
    perSecond: done.requests / done.seconds,
    p50: percentile(done.latencies, 0.5),
    p99: percentile(done.latencies, 0.99),
    cpu: (after.cpu - before.cpu) / done.requests,
    load: done.ownUtilization,
  };
}
