/**
 * `npm run bench:functions`: how many functions of the service a warm request passes, and in how many of its files: what
 * somebody has to read who follows the request. With `--files`, how many in each file.
 */
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { appRoot } from '../src/boot/app-root';
import { errorText } from '../src/core/start-error';
import { createCleanup, folderOfRun } from './cleanup';
import { startContender, type Contender } from './contenders/contender';
import type { Passed } from './contenders/talk';
import { askOnce, type Call } from './load';
import { makeFirst } from './stage';

/** Calls before the one that is looked at: statements are prepared, and what is kept is there. */
const WARM = 5;

const SEARCHES: Readonly<Record<string, string>> = {
  'a list': 'search/encounter',
  'a value and a span': 'search/encounter?state=approved&time_min=2015-01-01&time_max=2016-01-01',
  'a box': 'search/encounter?bbox=0,0,20,20',
  'a word': 'search/encounter?q=meander',
  'a list with its objects': 'search/encounter?expand=true',
};

void main();

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { files: { type: 'boolean', default: false } } });
  const cleanup = createCleanup();
  const folder = folderOfRun('functions', cleanup);
  try {
    const { place } = await makeFirst({ database: 'sqlite', folder, cleanup });
    const [row] = await place.rows('select document_id from encounters limit 1');
    const contender = await startContender('ours', place.env);
    cleanup.add(() => contender.stop());
    const calls = { 'one encounter': `encounter/${String(row?.[0])}`, ...SEARCHES };
    for (const [title, path] of Object.entries(calls)) {
      const files = await passedBy(contender, `/api/v0/${path}`);
      const functions = [...files.values()].reduce((sum, count) => sum + count, 0);
      process.stdout.write(`${title}: ${functions} functions in ${files.size} files\n`);
      if (values.files)
        for (const [file, count] of [...files].sort(([, a], [, b]) => b - a))
          process.stdout.write(`${String(count).padStart(6)}  ${file}\n`);
    }
  } catch (error) {
    process.stderr.write(`${errorText(error)}\n`);
    process.exitCode = 1;
  } finally {
    await cleanup.run();
  }
}

/** The functions that a warm request passes, by the file of the service that they are in. */
async function passedBy(contender: Contender, path: string): Promise<ReadonlyMap<string, number>> {
  const call: Call = { method: 'GET', path };
  for (let done = 0; done < WARM; done += 1) await askOnce(contender.url, call);
  await contender.startCoverage();
  await askOnce(contender.url, call);
  return filesOf(await contender.stopCoverage());
}

function filesOf(passed: readonly Passed[]): Map<string, number> {
  const files = new Map<string, number>();
  for (const { url, functions } of passed) {
    const file = url.startsWith('file:')
      ? relative(join(appRoot, 'dist'), fileURLToPath(url))
      : null;
    if (file?.startsWith('src/')) files.set(file, functions);
  }
  return files;
}
