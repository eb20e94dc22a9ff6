import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS } from '#app/core/errors';
import { STAGES } from '#app/plugins/wire/server/pipeline';

interface Row {
  readonly stage: string;
  readonly codes: readonly number[];
}

/** The table of "The way of a request". */
const rows: Row[] = readFileSync(join(__dirname, '..', '..', 'docs', 'architecture.md'), 'utf8')
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter((cells) => cells.length === 5 && /^[a-z]+$/.test(cells[1] ?? '') && cells[1] !== 'stage')
  .map(([, stage = '', , codes = '']) => ({
    stage,
    codes: (codes.match(/\b\d{3}\b/g) ?? []).map(Number),
  }));

test.each([
  ['security.md', 40],
  ['strapi.md', 20],
])('the page %s names files and tests that are there', (name, least) => {
  const root = join(__dirname, '..', '..');
  const page = readFileSync(join(root, 'docs', name), 'utf8').replace(/\s+/g, ' ');
  const named = [...page.matchAll(/`((?:src|tests)\/[\w./-]+\.tsx?)`(?: "([^"]+)")?/g)];
  expect(named.length).toBeGreaterThan(least);
  for (const [, file = '', title = ''] of named)
    expect([file, readFileSync(join(root, file), 'utf8').includes(title)]).toEqual([file, true]);
});

describe('the table of stages', () => {
  test('has the stages of the pipeline, in their order', () => {
    const names = STAGES.map(({ name }) => name);
    expect(rows.map(({ stage }) => stage)).toEqual(['begin', ...names, 'finish']);
  });

  test('has every status of the catalogue, and no other refusal', () => {
    const refusals = rows.flatMap(({ codes }) => codes).filter((code) => code >= 400);
    const listed = Object.values(ERRORS).map(({ status }) => status);
    expect([...new Set(refusals)].sort()).toEqual([...new Set<number>(listed)].sort());
  });
});
