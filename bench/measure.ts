/** Interleaved rounds: the contenders take turns, so that other load on the machine affects all of them. */
import { setTimeout } from 'node:timers/promises';
import { errorText } from '../src/core/start-error';
import type { Measured } from './contenders/contender';
import { load, type Load, type NextCall } from './load';
import type { Measurement, Round } from './result';
import { percentile } from './statistics';

/** A contender in a workload. */
export interface Participant {
  readonly name: string;
  readonly contender: Measured;
  readonly next: NextCall;
}

export interface Plan {
  readonly connections: number;
  readonly rounds: number;
  /** Seconds of each round. */
  readonly seconds: number;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

/** The maximum warm-up in seconds, after which V8 has compiled the hot code. */
const WARM_UP = 3;

/** Measures one workload. */
export async function measure(
  workload: string,
  participants: readonly Participant[],
  plan: Plan,
): Promise<Measurement> {
  const rounds: Record<string, Round[]> = {};
  for (const participant of participants) {
    const { name } = participant;
    plan.progress(`${workload}: ${name} warms up`);
    rounds[name] = [];
    const seconds = Math.min(WARM_UP, plan.seconds);
    await putLoadOn(participant, { connections: plan.connections, seconds });
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

/** Rotates the order in each round. */
const turned = <T>(values: readonly T[], by: number): T[] => {
  const at = by % values.length;
  return [...values.slice(at), ...values.slice(0, at)];
};

/** @throws Error which names the contender and the state of its process */
async function putLoadOn(
  { name, contender, next }: Participant,
  options: { readonly connections: number; readonly seconds: number },
): Promise<Load> {
  try {
    return await load(contender.url, next, options);
  } catch (cause) {
    await setTimeout(100); // until the exit of a process is known
    const end = contender.ended();
    const state = end === null ? '' : ` (its process has ended with ${end})`;
    throw new Error(`${name}${state}: ${errorText(cause)}`, { cause });
  }
}

async function measureOne(
  participant: Participant,
  { connections, seconds }: Plan,
): Promise<Round> {
  const { contender } = participant;
  const before = await contender.usage();
  const done = await putLoadOn(participant, { connections, seconds });
  const after = await contender.usage();
  return {
    perSecond: done.requests / done.seconds,
    p50: percentile(done.latencies, 0.5),
    p99: percentile(done.latencies, 0.99),
    cpu: (after.cpu - before.cpu) / done.requests,
    load: done.ownUtilization,
  };
}
