import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const BETWEEN = '--- the next block ---';

/** A shell block of a page: the output that it states, and the output that it had. */
export interface Step {
  readonly stated: readonly RegExp[];
  readonly printed: readonly string[];
}

/**
 * Runs the shell blocks of a page of `docs` one after the other, in one shell.
 *
 * @throws Error when a command fails, or anything is written to the standard error output
 */
export async function walk(page: string, env: NodeJS.ProcessEnv): Promise<readonly Step[]> {
  const blocks = await blocksOf(page);
  const { stdout, stderr } = await promisify(execFile)(
    'bash',
    ['--norc', '-euo', 'pipefail', '-c', blocks.join(`\necho '${BETWEEN}'\n`)],
    { env: { PATH: process.env['PATH'], ...env } },
  );
  const printed = stdout.split(`${BETWEEN}\n`).map((part) => part.split('\n').slice(0, -1));
  if (stderr !== '' || printed.length !== blocks.length) {
    throw new Error(`The walk through ${page} ended early: ${stderr}${stdout}`);
  }
  return blocks.map((block, at) => ({ stated: statedBy(block), printed: printed[at] ?? [] }));
}

async function blocksOf(page: string): Promise<string[]> {
  const text = await readFile(join(__dirname, '..', '..', 'docs', page), 'utf8');
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
}

/** The output that the comments of a block state; `...` stands for any text. */
const statedBy = (block: string): RegExp[] =>
  block
    .split('\n')
    .filter((line) => line.startsWith('# {'))
    .map((line) => {
      const parts = line.slice(2).split('...');
      return new RegExp(
        `^${parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*')}$`,
      );
    });
