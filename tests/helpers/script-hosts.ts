/** The processes in which scripts of the app are run one after the other (`script-host.js`). */
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { ScriptRun } from './process';

const root = join(__dirname, '..', '..');

/** Of a process that runs a script: as if it were one of its own. */
export type RunningChild = Pick<ChildProcess, 'pid' | 'exitCode' | 'signalCode' | 'kill'>;

/** Processes that wait for a script, for all test files of a worker. */
const WAITING = Symbol.for('oms.script-hosts');
const shared = process as { [WAITING]?: Host[] };
const waiting = (shared[WAITING] ??= []);

/** More of them would have no more to do. */
const MOST_WAITING = 2;

interface Host {
  readonly child: ChildProcess;
  /** Given what the process writes, and its end. */
  heard: Heard | null;
}

interface Heard {
  text(stream: Stream, text: string): void;
  ended(end: number | NodeJS.Signals): void;
}

type Stream = 'output' | 'errors';

/** Runs a script with this environment and no more. */
export function runInHost(
  script: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): ScriptRun {
  const host = waiting.pop() ?? startHost();
  const texts = textsOf();
  const codes: number[] = [];
  let end: number | NodeJS.Signals | null = null;
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    const finish = (given: number | NodeJS.Signals): void => {
      host.heard = null;
      end = given;
      resolve(given);
    };
    host.heard = {
      text(stream, text) {
        const [own = '', code] = text.split('\0');
        texts.add(stream, own);
        if (code === undefined) return;
        codes.push(Number(code));
        if (codes.length < 2) return;
        finish(Number(code));
        release(host);
      },
      ended: finish,
    };
  });
  host.child.ref();
  host.child.send({ script, args, env });
  const child: RunningChild = {
    pid: host.child.pid,
    get exitCode() {
      return typeof end === 'number' ? end : null;
    },
    get signalCode() {
      return typeof end === 'string' ? end : null;
    },
    kill: (signal) => end === null && host.child.kill(signal),
  };
  return { child, ...texts.read, ended };
}

function startHost(): Host {
  const child = spawn(process.execPath, [join(__dirname, 'script-host.js')], {
    cwd: root,
    // Node reads it at its start: the SDK of S3 warns of this Node.
    env: { PATH: process.env['PATH'], NODE_NO_WARNINGS: '1' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const host: Host = { child, heard: null };
  for (const [stream, from] of [
    ['output', child.stdout],
    ['errors', child.stderr],
  ] as const)
    from?.on('data', (chunk: Buffer) => host.heard?.text(stream, chunk.toString()));
  child.on('close', (code, signal) => {
    const at = waiting.indexOf(host);
    if (at >= 0) waiting.splice(at, 1);
    host.heard?.ended(code ?? signal ?? 0);
  });
  return host;
}

/** Nobody waits for the process any more, so that it keeps nobody from ending. */
function release(host: Host): void {
  const { child } = host;
  if (waiting.length >= MOST_WAITING) return void child.disconnect();
  child.unref();
  child.channel?.unref();
  for (const stream of [child.stdout, child.stderr])
    (stream as unknown as { unref(): void } | null)?.unref();
  waiting.push(host);
}

interface Texts {
  add(stream: Stream, text: string): void;
  readonly read: Pick<ScriptRun, 'output' | 'errors' | 'taken'>;
}

/** What a script has written. */
export function textsOf(): Texts {
  const texts = { output: '', errors: '' };
  return {
    add(stream, text) {
      texts[stream] += text;
    },
    read: {
      output: () => texts.output,
      errors: () => texts.errors,
      taken() {
        let lines = '';
        for (const stream of ['output', 'errors'] as const) {
          const end = texts[stream].lastIndexOf('\n') + 1;
          lines += texts[stream].slice(0, end);
          texts[stream] = texts[stream].slice(end);
        }
        return lines;
      },
    },
  };
}
