/** The benchmark's side: starts a contender in its own process. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { join } from 'node:path';
import type { Answer, Passed, Question, Usage } from './talk';

/** The programs that can be measured: the files beside this one, and the floor. */
const PROGRAMS = {
  ours: join(__dirname, 'ours.js'),
  stock: join(__dirname, 'stock.js'),
  floor: join(__dirname, '..', 'floor', 'main.js'),
  files: join(__dirname, '..', 'floor', 'files.js'),
} as const;

/** All that can be started; the file server knows none of the calls. */
type Startable = keyof typeof PROGRAMS;
export type Program = Exclude<Startable, 'files'>;

/** A server that can be measured. */
export interface Measured {
  readonly url: string;
  usage(): Promise<Usage>;
  /** How its process has ended; null while it is running. */
  ended(): string | null;
  stop(): Promise<void>;
}

export interface Contender extends Measured {
  startProfile(): Promise<void>;
  /** The profile since its start, in V8's format. */
  stopProfile(): Promise<string>;
  startCoverage(): Promise<void>;
  /** The functions that were called since its start, by script. */
  stopCoverage(): Promise<readonly Passed[]>;
}

/** What `npm start` gives to Node, and to its environment. */
const OURS = ['--max-semi-space-size=16'];
const OF_OURS = { MALLOC_ARENA_MAX: '2' };

/** The only variables of the machine that a contender gets. */
const SURROUNDINGS = { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: process.env.TMPDIR };

/**
 * Starts a contender and waits until it listens. Its log is written, and discarded.
 *
 * @throws Error with the contender's error
 */
export async function startContender(
  program: Startable,
  env: Readonly<Record<string, string>>,
): Promise<Contender> {
  const nowhere = openSync(devNull, 'w');
  const child = spawn(process.execPath, [...(program === 'ours' ? OURS : []), PROGRAMS[program]], {
    env: {
      ...SURROUNDINGS,
      ...(program === 'ours' ? OF_OURS : {}),
      NODE_ENV: 'production',
      LOG_LEVEL: 'info',
      PORT: '0',
      LIMIT_READS: '0',
      ...env,
    },
    stdio: ['ignore', nowhere, 'inherit', 'ipc'],
  });
  closeSync(nowhere);
  const first = await nextAnswer(child, program);
  if (!('listening' in first)) throw new Error(`${program}: no address`);
  const ask = (question: Question): Promise<Answer> => {
    const answer = nextAnswer(child, program);
    child.send(question);
    return answer;
  };
  return {
    url: first.listening,
    async usage() {
      const answer = await ask('usage');
      if (!('usage' in answer)) throw new Error(`${program}: no usage`);
      return answer.usage;
    },
    async startProfile() {
      await ask('startProfile');
    },
    async stopProfile() {
      const answer = await ask('stopProfile');
      if (!('profile' in answer) || answer.profile === null)
        throw new Error(`${program}: no profile`);
      return answer.profile;
    },
    async startCoverage() {
      await ask('startCoverage');
    },
    async stopCoverage() {
      const answer = await ask('stopCoverage');
      if (!('passed' in answer)) throw new Error(`${program}: no coverage`);
      return answer.passed;
    },
    ended: () => end(child),
    async stop() {
      if (end(child) !== null) return;
      const exit = once(child, 'exit');
      child.send('stop');
      await exit;
    },
  };
}

/** The code or the signal. */
const end = ({ exitCode, signalCode }: ChildProcess): string | null =>
  signalCode ?? exitCode?.toString() ?? null;

async function nextAnswer(child: ChildProcess, program: Startable): Promise<Answer> {
  const ended = new AbortController();
  const { signal } = ended;
  try {
    const message = once(child, 'message', { signal });
    const exit = once(child, 'exit', { signal }).then(() => {
      throw new Error(`${program} has ended with ${end(child)}`);
    });
    exit.catch(() => undefined);
    const [answer] = (await Promise.race([message, exit])) as [Answer];
    if ('failure' in answer) {
      child.kill('SIGKILL');
      throw new Error(`${program}: ${answer.failure}`);
    }
    return answer;
  } finally {
    ended.abort();
  }
}
