import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { until } from '../helpers/until';
import type { Server } from './server';

/** @throws Error where strace is not installed: a test that needs it fails, and is not skipped */
export function requireStrace(): void {
  try {
    execFileSync('strace', ['--version'], { stdio: 'ignore' });
  } catch {
    throw new Error('This test needs strace: install it (apt-get install strace).');
  }
}

/** What changes a file, its length or its name, what syncs, and what answers a client. */
const CALLS = [
  ...['write', 'writev', 'pwrite64', 'pwritev', 'pwritev2', 'ftruncate', 'fallocate'],
  ...['fsync', 'fdatasync', 'unlink', 'unlinkat', 'rename', 'renameat', 'renameat2'],
];

/** More than a page of SQLite, and than the head of an answer. */
const BYTES = 70_000;

/**
 * The command under which a process leaves a trace of its calls with their bytes. `-D`: the process stays the child of who
 * starts it, so that it can be killed. With a filter in the kernel (`--seccomp-bpf`) all other calls cost nothing.
 *
 * @param inject faults, as in `man strace`; `null` for none
 */
export const traced = (file: string, inject: string | null = null): readonly string[] => [
  'strace',
  ...['-D', '-f', '--seccomp-bpf', '-y', '-xx', '-s', String(BYTES), '-o', file],
  ...['-e', `trace=${CALLS.join(',')}`],
  ...(inject === null ? [] : ['-e', `inject=${inject}`]),
];

/** Bytes of the end of a trace, in which the end of the service is. */
const TAIL = 2 ** 20;

/** Waits until all of the trace of a process that has ended is in its file. */
export const traceEnded = (file: string, { pid }: Server): Promise<void> =>
  until(
    'the trace has ended',
    async () => {
      const handle = await open(file);
      try {
        // Processes of the service may end after it.
        const { size } = await handle.stat();
        const position = Math.max(0, size - TAIL);
        const { buffer } = await handle.read({ buffer: Buffer.alloc(TAIL), position });
        // Short numbers are padded.
        return new RegExp(`^${pid} +\\+\\+\\+ `, 'm').test(buffer.toString('latin1'));
      } finally {
        await handle.close();
      }
    },
    60,
  );

/** Faults that a running service meets in its calls on some files. */
export interface Injection {
  /** The number of faults up to now. */
  count(): number;
  /** Lets the service go on without. */
  stop(): Promise<void>;
}

/** @param fault such as `fsync:error=EIO:when=3+5`, of each thread its third call and every fifth from there on */
export async function inject(
  { pid }: Server,
  files: readonly string[],
  fault: string,
  log: string,
): Promise<Injection> {
  const [call = ''] = fault.split(':');
  const child = spawn(
    'strace',
    [
      ...['-f', '-p', String(pid), '-y', '-s', '0', '-o', log],
      ...files.flatMap((file) => ['-P', file]),
      ...['-e', `trace=${call}`, '-e', `inject=${fault}`],
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await until('strace is attached', () => {
    if (child.exitCode !== null) throw new Error(`strace has ended: ${output}`);
    return /attached/.test(output);
  });
  return {
    count: () => (existsSync(log) ? readFileSync(log, 'latin1').split('(INJECTED)').length - 1 : 0),
    async stop() {
      const ended = once(child, 'exit');
      if (child.exitCode !== null) return;
      child.kill('SIGINT');
      await ended;
    },
  };
}
