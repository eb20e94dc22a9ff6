/** A whole run: creates the records, measures and collects the results. */
import { execFileSync } from 'node:child_process';
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { appRoot } from '../src/boot/app-root';
import type { Program } from './contenders/contender';
import type { Dataset } from './data/dataset';
import { verify, verifyStock } from './data/verify';
import { measureAccounts } from './accounts';
import { measureAssets } from './assets';
import { measureBatch } from './batch';
import { measureDeletion, measureMerge } from './ripples';
import { measure, type Participant, type Plan } from './measure';
import type { Options } from './options';
import { createProfiler } from './profile';
import { measureObjects } from './objects';
import { measureSearch } from './search';
import { measurePanelLists } from './panel-lists';
import { measureCommonSearches } from './common-searches';
import { measureSettings } from './settings';
import type { Machine, Measurement, Result } from './result';
import { makeFirst, makeStage, type Entrant, type Stage, type Theater } from './stage';
import { measureStarts } from './start-time';
import { WORKLOADS, type Workload } from './workloads';

/** The numbers of connections with which each call is measured. */
const CONNECTIONS: Record<Workload, readonly number[]> = {
  read: [10],
  create: [10, 50],
  update: [10],
  delete: [10],
};

export interface Surroundings {
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
  readonly cleanup: Theater['cleanup'];
  /** The prefix of the paths of profiles. */
  readonly profiles: string;
}

/** Runs the measurements of the options. @throws Error when a contender does not behave as expected */
export async function runBench(options: Options, surroundings: Surroundings): Promise<Result> {
  const { progress } = surroundings;
  const { database, rounds, seconds, records, only } = options;
  const theater: Theater = { database, ...surroundings };
  const onMachine = machine();
  progress('makes the records');
  const first = await makeFirst(theater);
  const starts = only.includes('start')
    ? await measureStarts(theater, first, rounds, progress)
    : {};
  const calls = await measureCalls(options, surroundings, theater, first);
  const growth = only.includes('growth')
    ? await measureGrowth(options, surroundings, theater, first)
    : [];
  const accounts = only.includes('accounts')
    ? await measureAccounts(theater, first, planOf(options, surroundings, 10))
    : null;
  const assets = only.includes('assets')
    ? await measureAssets(theater, first, planOf(options, surroundings, 10))
    : null;
  const settings = only.includes('settings')
    ? await measureSettings(
        theater,
        first,
        planOf(options, surroundings, 10),
        options.profile ? surroundings.profiles : null,
      )
    : null;
  const objects = only.includes('objects')
    ? await measureObjects(theater, first, planOf(options, surroundings, 10))
    : null;
  const batch = only.includes('batch')
    ? await measureBatch(theater, first, planOf(options, surroundings, 1))
    : null;
  const deletion = only.includes('deletion')
    ? await measureDeletion(theater, first, planOf(options, surroundings, 10))
    : null;
  const merge = only.includes('merge')
    ? await measureMerge(theater, first, planOf(options, surroundings, 10))
    : null;
  const search = only.includes('search')
    ? await measureSearch(theater, first, options.growth, planOf(options, surroundings, 1))
    : null;
  const commonSearches = only.includes('common-searches')
    ? await measureCommonSearches(
        theater,
        first,
        options.growth,
        options.peer,
        planOf(options, surroundings, 10),
      )
    : null;
  const panelLists = only.includes('panel-lists')
    ? await measurePanelLists(theater, options.growth, planOf(options, surroundings, 1))
    : null;
  return {
    date: new Date().toISOString(),
    commit: commit(),
    machine: onMachine,
    database,
    records,
    rounds,
    seconds,
    calls: calls.measurements,
    growth,
    memory: calls.memory,
    accounts,
    assets,
    settings,
    objects,
    batch,
    deletion,
    merge,
    search,
    commonSearches,
    panelLists,
    starts,
  };
}

type Calls = { readonly measurements: Measurement[]; readonly memory: Record<string, number> };

async function measureCalls(
  options: Options,
  surroundings: Surroundings,
  theater: Theater,
  first: Dataset,
): Promise<Calls> {
  const workloads = WORKLOADS.filter((workload) => options.only.includes(workload));
  if (workloads.length === 0) return { measurements: [], memory: {} };
  const programs: Program[] = ['floor', 'stock', 'ours'];
  const stage = await makeStage(theater, first, options.records, programs);
  await check(stage);
  const profiler = createProfiler(find(stage, 'ours').contender, surroundings.profiles);
  const measurements: Measurement[] = [];
  for (const workload of workloads) {
    for (const connections of CONNECTIONS[workload]) {
      const title = `${workload}, ${connections} connections`;
      const participants = stage.entrants.map((entrant) =>
        participantOf(entrant, entrant.name, workload, connections),
      );
      const plan = planOf(options, surroundings, connections);
      measurements.push(await measure(title, participants, plan));
      if (options.profile) {
        const ours = participants.find(({ name }) => name === 'ours');
        if (ours) await profiler.profile(`${workload}-${connections}`, ours, plan);
      }
    }
  }
  const memory: Record<string, number> = {};
  for (const { name, contender } of stage.entrants) memory[name] = (await contender.usage()).rss;
  for (const { contender } of stage.entrants) await contender.stop();
  return { measurements, memory };
}

/** The same requests on few records and on many. */
async function measureGrowth(
  options: Options,
  surroundings: Surroundings,
  theater: Theater,
  first: Dataset,
): Promise<Measurement[]> {
  const connections = 10;
  const entrants: (readonly [string, Entrant])[] = [];
  for (const records of options.growth) {
    surroundings.progress(`growth: makes ${records} records`);
    const stage = await makeStage(theater, first, records, ['floor', 'ours']);
    for (const entrant of stage.entrants) entrants.push([`${entrant.name} ${records}`, entrant]);
  }
  const measurements: Measurement[] = [];
  for (const workload of ['read', 'create', 'update'] as const) {
    const participants = entrants.map(([name, entrant]) =>
      participantOf(entrant, name, workload, connections),
    );
    const plan = planOf(options, surroundings, connections);
    measurements.push(await measure(`growth of ${workload}`, participants, plan));
  }
  for (const [, { contender }] of entrants) await contender.stop();
  return measurements;
}

const participantOf = (
  { contender, requests }: Entrant,
  name: string,
  workload: Workload,
  connections: number,
): Participant => ({ name, contender, next: requests.of(workload, connections) });

const planOf = (
  { rounds, seconds }: Options,
  { signal, progress }: Surroundings,
  connections: number,
): Plan => ({ connections, rounds, seconds, signal, progress });

function find(stage: Stage, program: Program): Entrant {
  const found = stage.entrants.find(({ name }) => name === program);
  if (!found) throw new Error(`${program} is not up`);
  return found;
}

async function check(stage: Stage): Promise<void> {
  const { ids, sample } = stage.subjects;
  const [id = ''] = ids;
  await verify(find(stage, 'ours').contender, find(stage, 'floor').contender, id, sample());
  await verifyStock(find(stage, 'stock').contender, id);
}

const machine = (): Machine => ({
  node: process.version,
  cpu: cpus()[0]?.model ?? '',
  cores: cpus().length,
  load: loadavg()[0] ?? 0,
  memory: totalmem(),
  system: `${type()} ${release()}`,
});

/** The measured commit, with a `+` for uncommitted changes. */
function commit(): string {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: appRoot, encoding: 'utf8', stdio: 'pipe' }).trim();
  try {
    return git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain') ? '+' : '');
  } catch {
    return 'unknown';
  }
}
