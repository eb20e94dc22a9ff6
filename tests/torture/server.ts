import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { blankEnvironment } from '../helpers/environment';
import { freePort } from '../helpers/service';

const root = join(__dirname, '..', '..');

/** Milliseconds that a start may take. */
const START_LIMIT = 45_000;

/** How late the event loop has been, in milliseconds. */
export interface LoopDelay {
  readonly p50: number;
  readonly max: number;
}

/** The built service, open to everybody, as a process that may be killed. */
export interface Server {
  readonly url: string;
  readonly pid: number;
  output(): string;
  /** Whether it is still running, without an unhandled error. */
  isWell(): boolean;
  /** The delay of its event loop since this was last asked. */
  loopDelay(): Promise<LoopDelay>;
  /** Kills it (SIGKILL): unlike a power cut, this keeps what the operating system has cached. */
  kill(): Promise<void>;
}

/**
 * Starts the service, and waits until it listens.
 *
 * @param under a command that becomes the service, such as one that traces it
 */
export async function startServer(
  env: Readonly<Record<string, string>>,
  under: readonly string[] = [],
): Promise<Server> {
  const service = [join(__dirname, 'serve.js'), join(root, 'dist', 'src', 'boot', 'boot.js')];
  const [command = process.execPath, ...args] = [...under, process.execPath, ...service];
  const child = spawn(command, args, {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      ...blankEnvironment,
      LOG_LEVEL: 'error',
      PORT: String(await freePort()),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const url = await listening(child, () => output);
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  return {
    url,
    pid: child.pid ?? 0,
    output: () => output,
    isWell: () => !hasEnded() && !/unhandled|uncaught/i.test(output),
    async loopDelay() {
      const answered = once(child, 'message') as Promise<[LoopDelay]>;
      child.send('delay');
      return (await answered)[0];
    },
    async kill() {
      if (hasEnded()) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function listening(child: ChildProcess, output: () => string): Promise<string> {
  const started = Date.now();
  for (;;) {
    const url = /^ready (\S+) /m.exec(output())?.[1];
    if (url !== undefined) return url;
    if (child.exitCode !== null || Date.now() - started > START_LIMIT) {
      child.kill('SIGKILL');
      throw new Error(`The service did not start: ${output()}`);
    }
    await sleep(20);
  }
}
