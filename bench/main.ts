/** `npm run bench`: compares the service with a floor and a stock Strapi, see docs/performance.md. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { errorText } from '../src/core/start-error';
import { BENCH_HOME, createCleanup, folderOfRun } from './cleanup';
import { compare } from './compare';
import { readOptions, USAGE, UsageError, type Options } from './options';
import type { Result } from './result';
import { runBench } from './run';
import { describe } from './table';

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  try {
    if (args.includes('--help')) process.stdout.write(`${USAGE}\n`);
    else await bench(readOptions(args));
  } catch (error) {
    const isUsage = error instanceof UsageError;
    process.stderr.write(`\n${errorText(error)}\n${isUsage ? `\n${USAGE}\n` : ''}`);
    process.exitCode = isUsage ? 2 : 1;
  }
}

async function bench(options: Options): Promise<void> {
  const before = options.against === null ? null : readResult(options.against);
  const cleanup = createCleanup();
  const folder = folderOfRun('run', cleanup);
  const out = resolve(
    options.out ??
      join(BENCH_HOME, `${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}.json`),
  );
  mkdirSync(dirname(out), { recursive: true });

  const stopped = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => stopped.abort(new Error('stopped')));
  try {
    const { signal } = stopped;
    const profiles = out.replace(/\.json$/, '');
    const result = await runBench(options, { folder, signal, progress, cleanup, profiles });
    writeFileSync(out, `${JSON.stringify(result, null, 1)}\n`);
    process.stderr.write(CLEAR);
    process.stdout.write(`${describe(result)}\n\n${relative(process.cwd(), out)}\n`);
    if (before) process.stdout.write(`\n${compare(before, result)}\n`);
  } finally {
    await cleanup.run();
  }
}

const readResult = (file: string): Result => JSON.parse(readFileSync(file, 'utf8')) as Result;

/** Returns to the beginning of the line and clears it. */
const CLEAR = '\r\u001b[K';

function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`${CLEAR}${text}`);
}

void main();
