/** Where the service spends its time, from V8's sampling profiler. */
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { appRoot } from '../src/boot/app-root';
import type { Contender } from './contenders/contender';
import { load } from './load';
import type { Participant, Plan } from './measure';

interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
}

/** The parts of V8's format that are used here (https://chromedevtools.github.io/devtools-protocol/v8/Profiler/). */
interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: CallFrame;
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[];
}

export interface Profiler {
  /** Adds the profile of a round, and reports where most of the time was spent. */
  profile(name: string, participant: Participant, plan: Plan): Promise<void>;
}

/** @param files the prefix of the paths of the profiles */
export function createProfiler(ours: Contender, files: string): Profiler {
  return {
    async profile(name, { next }, { connections, seconds, progress }) {
      progress(`${name}: profile`);
      await ours.startProfile();
      const { requests } = await load(ours.url, next, { connections, seconds });
      const text = await ours.stopProfile();
      const file = `${files}.${name}.cpuprofile`;
      writeFileSync(file, text);
      const summary = summarize(JSON.parse(text) as CpuProfile, requests);
      process.stdout.write(`\n${name}: ${relative(process.cwd(), file)}\n\n${summary}\n`);
    },
  };
}

/** Time that is not spent on requests. */
const IDLE = new Set([
  // The profiler itself.
  'dispatch',
  '(idle)',
  '(program)',
  '(root)',
]);

/** The number of functions and files in the report. */
const TOLD = 25;

function summarize(profile: CpuProfile, requests: number): string {
  const files = filesOf(profile);
  const byFunction = new Map<string, number>();
  const byFile = new Map<string, number>();
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
  let total = 0;
  profile.samples.forEach((id, i) => {
    const frame = frames.get(id);
    if (!frame || IDLE.has(frame.functionName)) return;
    const time = profile.timeDeltas[i] ?? 0;
    total += time;
    add(byFunction, `${frame.functionName || '(anonymous)'}  ${placeOf(frame)}`, time);
    add(byFile, groupOf(files.get(id) ?? frame.functionName), time);
  });
  const table = (title: string, times: ReadonlyMap<string, number>): string => {
    const lines = [...times].sort(([, a], [, b]) => b - a).slice(0, TOLD);
    const told = lines.map(([name, time]) => {
      const part = `${((100 * time) / total).toFixed(1)} %`;
      return `${part.padStart(7)} ${(time / requests).toFixed(1).padStart(7)} µs  ${name}`;
    });
    return [`${title} (${(total / requests).toFixed(0)} µs per request):`, ...told].join('\n');
  };
  return [
    table('By function', byFunction),
    table('By file or package, with the native code that it calls', byFile),
  ].join('\n\n');
}

const add = (times: Map<string, number>, name: string, time: number): void =>
  void times.set(name, (times.get(name) ?? 0) + time);

/** The file of each node; native code is attributed to the calling file. */
function filesOf({ nodes }: CpuProfile): ReadonlyMap<number, string> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const files = new Map<number, string>();
  const visit = (id: number, caller: string | null): void => {
    const node = byId.get(id);
    if (!node) return;
    const file = node.callFrame.url === '' ? caller : pathOf(node.callFrame.url);
    if (file !== null) files.set(id, file);
    for (const child of node.children ?? []) visit(child, file);
  };
  const [root] = nodes;
  if (root) visit(root.id, null);
  return files;
}

const pathOf = (url: string): string =>
  url.startsWith('file:') || url.startsWith('/')
    ? relative(appRoot, url.startsWith('file:') ? fileURLToPath(url) : url)
    : url;

const placeOf = ({ url, lineNumber }: CallFrame): string =>
  url === '' ? '' : `${pathOf(url)}:${lineNumber + 1}`;

/** Shortens the files of packages and of Node to the name. */
function groupOf(file: string): string {
  const inPackage = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file);
  if (inPackage) return inPackage[1] ?? file;
  return file.startsWith('node:') ? (/^node:(?:internal\/)?[^/]+/.exec(file)?.[0] ?? file) : file;
}
