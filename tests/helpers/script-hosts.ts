/** The processes in which scripts of the app are run one after the other (`script-host.js`). */
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { textsOf, type RunningChild, type ScriptRun, type Stream } from './script-run';

const root = join(__dirname, '..', '..');

/** Processes that wait for a script, for all test files of a worker. */
const WAITING = Symbol.for('oms.script-hosts');
const shared = process as { [WAITING]?: Host[] };
const waiting = (shared[WAITING] ??= []);

/** More of them would have no more to do. */
const MOST_WAITING = 2;

/** The last character of each stream of a script (`script-host.js`). */
const END = '\0';

interface Host {
  readonly child: ChildProcess;
  /** Given what the process writes, and its end. */
  heard: Heard | null;
}

interface Heard {
  text(stream: Stream, text: string): void;
  /** The script has ended, in a process that goes on. */
  code(code: number): void;
  /** The process has. */
  ended(end: number | NodeJS.Signals): void;
}

/** Runs a script with this environment and no more. */
export function runInHost(
  script: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): ScriptRun {
  const host = waiting.pop() ?? startHost();
  const texts = textsOf();
  /** The end of each of the streams, and the code. */
  let awaited = 3;
  let code = 0;
  /** What a signal has cut short may go on behind the end: in no run that follows. */
  let isSignalled = false;
  let end: number | NodeJS.Signals | null = null;
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    const finish = (given: number | NodeJS.Signals): void => {
      host.heard = null;
      end = given;
      resolve(given);
    };
    const heardOne = (): void => {
      awaited -= 1;
      if (awaited > 0) return;
      finish(code);
      if (isSignalled) host.child.disconnect();
      else release(host);
    };
    host.heard = {
      text(stream, text) {
        texts.add(stream, text.replace(END, ''));
        if (text.endsWith(END)) heardOne();
      },
      code(given) {
        code = given;
        heardOne();
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
    kill(signal) {
      isSignalled = true;
      return end === null && host.child.kill(signal);
    },
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
  child.on('message', (code: number) => host.heard?.code(code));
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
