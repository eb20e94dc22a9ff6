import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ImportService } from '#app/plugins/exchange/server';
import { generateArchive } from '../../bench/generate/archive';
import { generatePackage } from '../../bench/generate/package';
import { startService } from '../helpers/service';

const ENCOUNTERS = 2000;

const temporary = mkdtempSync(join(tmpdir(), 'oms-generate-'));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

const FILES = ['datapackage.json', 'deployments.csv', 'media.csv', 'observations.csv'];

/** The texts of a package's files. */
function generate(name: string, seed: number): string[] {
  const folder = join(temporary, name);
  generatePackage({ encounters: ENCOUNTERS, folder, seed });
  return FILES.map((file) => readFileSync(join(folder, file), 'utf8'));
}

type CsvRow = Readonly<Record<string, string>>;

/** The rows of a table without line ends in its cells. */
function rowsOf(text = ''): CsvRow[] {
  const [head = [], ...rows] = text.trimEnd().split('\n').map(cellsOf);
  return rows.map((cells) => Object.fromEntries(head.map((name, i) => [name, cells[i] ?? ''])));
}

const cellsOf = (line: string): string[] =>
  [...`${line},`.matchAll(/("(?:[^"]|"")*"|[^,]*),/g)].map(([, cell = '']) => cell);

const first = generate('first', 1);

test('the same seed gives the same package to the byte, another one another package', () => {
  expect(generate('again', 1)).toEqual(first);
  const other = generate('other', 2);
  FILES.forEach((_, i) => expect(other[i]).not.toEqual(first[i]));
});

test('every observation lies within a deployment of the package, and has an ID of its own', () => {
  const deployments = new Map(rowsOf(first[1]).map((row) => [row['deploymentID'], row]));
  const media = new Set(rowsOf(first[2]).map((row) => row['mediaID']));
  const observations = rowsOf(first[3]);
  for (const row of observations) {
    const { deploymentStart = '', deploymentEnd = '' } = deployments.get(row['deploymentID']) ?? {};
    const { eventStart = '', eventEnd = '' } = row;
    expect([
      eventStart >= deploymentStart,
      eventStart <= eventEnd,
      eventEnd <= deploymentEnd,
    ]).toEqual([true, true, true]);
    expect(row['observationLevel'] === 'media').toBe(media.has(row['mediaID'] ?? ''));
  }
  expect(new Set(observations.map((row) => row['observationID'])).size).toBe(observations.length);
});

test('few taxa have most encounters', () => {
  const counts = new Map<string, number>();
  for (const { scientificName = '' } of rowsOf(first[3]))
    if (scientificName !== '') counts.set(scientificName, (counts.get(scientificName) ?? 0) + 1);
  const sorted = [...counts.values()].sort((a, b) => b - a);
  const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
  expect(sum(sorted.slice(0, 30)) / sum(sorted)).toBeGreaterThan(0.5);
  expect(sorted.length).toBeGreaterThan(100);
});

test('an import makes just so many encounters of it, or of an archive, and refuses nothing', async () => {
  const service = await startService({ listen: false });
  try {
    const imports = service.strapi.plugin('exchange').service<ImportService>('import');
    const report = join(temporary, 'report.csv');
    const summary = await imports.run(join(temporary, 'first'), { report });
    expect(summary).toMatchObject({
      encounters: { created: ENCOUNTERS, existing: 0, refused: 0 },
      taxa: { existing: 0, refused: 0 },
      faults: 0,
    });
    expect(summary.taxa.created).toBeGreaterThan(150);

    const folder = join(temporary, 'archive');
    generateArchive({ encounters: ENCOUNTERS, folder, seed: 2 });
    expect(await imports.run(folder, { report })).toMatchObject({
      encounters: { created: ENCOUNTERS, existing: 0, refused: 0 },
      individuals: { refused: 0 },
      taxa: { refused: 0 },
      faults: 0,
    });
  } finally {
    await service.close();
  }
});
