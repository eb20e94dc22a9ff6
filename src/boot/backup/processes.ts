/** Programs beside this one: their errors are told in one line, and they end with it. */
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { StartError } from '../../core/start-error';

/** A program that runs. */
export interface Running {
  readonly child: ChildProcess;
  /** Ends with it. @throws StartError with what it has said, when it has not ended well */
  readonly ended: Promise<void>;
}

/** Bytes of its errors that are kept. */
const MAX_ERRORS = 10_000;

/** @param name for the message of a failure */
export function start(
  name: string,
  command: readonly [string, ...string[]],
  env: Readonly<Record<string, string | undefined>> = {},
  stdio: StdioOptions = ['ignore', 'pipe', 'pipe'],
): Running {
  const [program, ...args] = command;
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio });
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    if (errors.length < MAX_ERRORS) errors += chunk.toString();
  });
  const stop = (): void => void child.kill();
  process.once('exit', stop);
  const ended = once(child, 'close').then(([code]) => {
    process.off('exit', stop);
    if (code === 0) return;
    const said = errors.trim().replace(/\s*\n\s*/g, ' ') || `it ended with ${String(code)}`;
    throw new StartError(`${name} has failed (${said}).`);
  });
  ended.catch(() => undefined);
  return { child, ended };
}

/** What a program prints. @throws StartError when it cannot be run, or fails */
export async function outputOf(
  name: string,
  command: readonly [string, ...string[]],
): Promise<string> {
  const { child, ended } = start(name, command);
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await ended;
  return output;
}
