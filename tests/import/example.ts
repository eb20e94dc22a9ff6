import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beginScript } from '../helpers/process';
import type { ScriptRun } from '../helpers/script-run';

const root = join(__dirname, '..', '..');

/** For packages and reports; gone when the tests of the file are over. */
export const temporary = mkdtempSync(join(tmpdir(), 'oms-import-'));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

/** The packages that the demo imports. */
export const DEMO = join(root, 'database', 'demo');

/** The Camtrap DP among them. */
export const EXAMPLE = join(DEMO, 'camtrap-dp-example');

/** What its data is known by. */
export const SOURCE = '7cca70f5-ef8c-4f86-85fb-8f070937d7ab';

/** How many encounters and taxa are in it. */
export const ENCOUNTERS = 29;
export const TAXA = 9;

const [HEADER = '', ...ROWS] = readFileSync(join(EXAMPLE, 'observations.csv'), 'utf8')
  .trimEnd()
  .split('\n');

/** The lines of its table of observations, with the header. */
export const LINES = ROWS.length + 1;

const ANIMAL: Readonly<Record<string, string>> = {
  deploymentID: '00a2c20d',
  eventStart: '2020-06-12T04:04:29Z',
  eventEnd: '2020-06-12T04:04:29Z',
  observationLevel: 'event',
  observationType: 'animal',
  scientificName: 'Ardea',
};

/** A copy of the example with these animals after its own observations, in a folder of its own. */
export function exampleWith(...animals: Readonly<Record<string, string>>[]): string {
  const folder = join(mkdtempSync(join(temporary, 'example-')), 'package');
  cpSync(EXAMPLE, folder, { recursive: true });
  const lines = animals.map((animal) => {
    const cells = { ...ANIMAL, ...animal };
    return HEADER.trim()
      .split(',')
      .map((column) => cells[column as keyof typeof cells] ?? '')
      .join(',');
  });
  appendFileSync(join(folder, 'observations.csv'), lines.map((line) => `${line}\n`).join(''));
  return folder;
}

/** Animals that fit, each of an event of its own. */
export function manyAnimals(count: number): Record<string, string>[] {
  return Array.from({ length: count }, (_, index) => ({
    observationID: `animal-${index}`,
    eventID: `event-${index}`,
  }));
}

/** Changes a file of a package. */
export function rewrite(folder: string, file: string, change: (text: string) => string): void {
  const path = join(folder, file);
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}

/** Changes one cell of a table, in the row whose first column has this value. */
export function rewriteCell(
  folder: string,
  file: string,
  key: string,
  column: string,
  value: string,
): void {
  rewrite(folder, file, (text) => {
    const [header = '', ...rows] = text.split(/\r?\n/);
    const index = header.split(',').indexOf(column);
    const changed = rows.map((row) => {
      const cells = row.split(',');
      return cells[0] === key ? cells.with(index, value).join(',') : row;
    });
    return [header, ...changed].join('\n');
  });
}

/** What `npm run import -- <args>` runs, with these variables and none of the machine's. */
export const startImport = (
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): ScriptRun => beginScript('import', env, args);
