// @long
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sqliteDriver } from '#app/plugins/objects/server/database/sqlite-driver';
import { freshDatabase, type FreshDatabase } from '../helpers/database';
import { rowsOf, unzipped } from '../helpers/archive';
import { runScript, startProcess } from '../helpers/process';
import type { ScriptRun } from '../helpers/script-run';
import {
  ENCOUNTERS,
  EXAMPLE,
  exampleWith,
  LINES,
  manyAnimals,
  rewrite,
  startImport,
  temporary,
} from './example';

let database: FreshDatabase;
beforeEach(async () => {
  database = await freshDatabase();
});
afterEach(() => database.drop());

async function runImport(
  ...args: string[]
): Promise<ScriptRun & { code: number | NodeJS.Signals }> {
  const run = startImport(args, { ...database.env, TMPDIR: temporary });
  return { ...run, code: await run.ended };
}

const created = (output: string): number =>
  Number(/encounters: +(\d+) created/.exec(output)?.[1] ?? NaN);

const existing = (output: string): number =>
  Number(/encounters: .*?(\d+) already there/.exec(output)?.[1] ?? NaN);

/** Reads the database, beside whatever has it open. */
function query(select: string): readonly unknown[] {
  const Driver = sqliteDriver();
  const file = new Driver(database.source, { readonly: true });
  try {
    return file.prepare(select).pluck().all();
  } finally {
    file.close();
  }
}

const countExisting = (): unknown => query('select count(*) from encounters')[0];

test('all goes in: code 0, and the second time the same; and all comes out', async () => {
  const first = await runImport(EXAMPLE);
  expect([first.code, created(first.output())]).toEqual([0, ENCOUNTERS]);
  const second = await runImport(join(EXAMPLE, 'datapackage.json'));
  expect([second.code, created(second.output())]).toEqual([0, 0]);
  expect(existing(second.output())).toBe(ENCOUNTERS);
  expect(existsSync(join(database.dataDir, 'import-reports'))).toBe(false);
  await comesOut();
});

/** An export of what went in: an archive, or nothing with one line that says why. */
async function comesOut(): Promise<void> {
  const out = join(temporary, 'out.zip');
  const run = async (...args: string[]) => {
    const script = await runScript('export', { ...database.env, TMPDIR: temporary }, args);
    return [await script.ended, script.output(), script.errors()];
  };
  writeFileSync(out, 'what was there before');
  const [code, output, errors] = await run('--out', out, 'time_min=2000');
  const bytes = readFileSync(out);
  expect([code, output, errors]).toEqual([0, `${out}: ${bytes.length} bytes\n`, '']);
  const files = await unzipped(bytes);
  expect([...files.keys()]).toEqual(expect.arrayContaining(['meta.xml', 'eml.xml']));
  const occurrences = rowsOf(files.get('occurrence.csv') ?? '');
  expect(occurrences).toHaveLength(ENCOUNTERS);
  expect(occurrences.every(({ eventDate = '' }) => eventDate > '2000')).toBe(true);

  const other = join(temporary, 'other.zip');
  expect(await run('--out', other, 'nothing=1')).toEqual([
    1,
    '',
    expect.stringMatching(/^nothing: UNKNOWN .*\n$/),
  ]);
  expect(existsSync(other)).toBe(false);
  expect(await run()).toEqual([2, '', expect.stringMatching(/^Usage: npm run export/)]);
}

test('not all goes in: code 3, and the last line names the report', async () => {
  const { code, output } = await runImport(exampleWith({ observationID: 'bad', count: '0' }));
  expect([code, created(output())]).toEqual([3, ENCOUNTERS]);
  const [report = ''] = readdirSync(join(database.dataDir, 'import-reports'));
  expect(output().trimEnd().split('\n').at(-1)).toContain(report);
  expect(readFileSync(join(database.dataDir, 'import-reports', report), 'utf8')).toContain(
    `observations.csv,${LINES + 1},count,is less than 1,0`,
  );
});

test('strict: code 1 and nothing in', async () => {
  const path = exampleWith({ observationID: 'bad', count: '0' });
  const report = join(path, 'report.csv');
  expect((await runImport(path, '--strict', '--report', report)).code).toBe(1);
  expect(readFileSync(report, 'utf8').split('\r\n')).toHaveLength(3);
  expect(countExisting()).toBe(0);
});

test('an interrupt ends it after the batch under way, and the next run completes it', async () => {
  const path = exampleWith(...manyAnimals(6_000));
  const run = startImport([path], database.env);
  await writing(run);
  run.child.kill('SIGINT');
  expect(await run.ended).toBe(130);
  expect(run.output()).toContain('Start it again to resume');
  const before = created(run.output());
  expect(before).toBeLessThan(6_000);

  const next = await runImport(path);
  expect(next.code).toBe(0);
  expect([existing(next.output()), created(next.output())]).toEqual([
    before,
    6_000 + ENCOUNTERS - before,
  ]);
});

test('kill -9 loses and doubles nothing', async () => {
  const path = exampleWith(...manyAnimals(6_000));
  const indexes = indexNames();
  const run = startImport([path], database.env);
  await writing(run);
  run.child.kill('SIGKILL');
  expect(await run.ended).toBe('SIGKILL');
  const next = startImport([path], database.env);
  await expectIndexes(indexes, next);
  expect(await next.ended).toBe(0);
  const output = next.output();
  expect(created(output) + existing(output)).toBe(6_000 + ENCOUNTERS);
  expect(existing(output) % 5_000).toBe(0);
  expect(indexNames()).toEqual(indexes);
});

/** Of which an import may leave some out. */
const indexNames = (): readonly unknown[] =>
  query("select name from sqlite_master where type = 'index' order by name");

/** Those that a killed import has left out are made by the next start, which leaves them out again. */
async function expectIndexes(all: readonly unknown[], { child }: ScriptRun): Promise<void> {
  const areAll: boolean[] = [];
  while (child.exitCode === null) {
    const isNow = indexNames().length === all.length;
    if (areAll.at(-1) !== isNow) areAll.push(isNow);
    await sleep(10);
  }
  expect(areAll.slice(0, 3)).toEqual([false, true, false]);
}

/** Until it writes encounters: the part before it is over then. */
async function writing(run: ScriptRun): Promise<void> {
  const said = async (text: string): Promise<number> => {
    while (!run.errors().includes(text)) {
      if (run.child.exitCode !== null) throw new Error(run.errors() + run.output());
      await sleep(20);
    }
    return Date.now();
  };
  const began = await said('Reading observations: 0 %');
  const ended = await said('Writing encounters: 0 %');
  // What is read is made ready in less time than it took to read it, and written in several times as much.
  await sleep(Math.max(300, ended - began));
}

const UNREADABLE: [string, () => string, RegExp][] = [
  ['nothing there', () => join(temporary, 'nowhere'), /nowhere cannot be read \(ENOENT\)/],
  [
    'a folder of something else',
    () => {
      mkdirSync(join(temporary, 'else'));
      return join(temporary, 'else');
    },
    /has neither datapackage\.json nor meta\.xml/,
  ],
  [
    'a file of something else',
    () => {
      writeFileSync(join(temporary, 'photo.jpg'), 'JFIF');
      return join(temporary, 'photo.jpg');
    },
    /photo\.jpg is no package/,
  ],
  [
    'a missing column',
    () => {
      const path = exampleWith();
      rewrite(path, 'observations.csv', (text) => text.replace('eventStart', 'start'));
      return path;
    },
    /observations\.csv lacks the column eventStart/,
  ],
  [
    'a way out of the package',
    () => {
      const path = exampleWith();
      rewrite(path, 'datapackage.json', (text) =>
        text.replace('"observations.csv"', '"../../observations.csv"'),
      );
      return path;
    },
    /is outside of the package/,
  ],
];

test.each(UNREADABLE)('%s: one line and code 1', async (_name, make, message) => {
  const { code, output, errors } = await runImport(make());
  expect(code).toBe(1);
  expect(output()).toBe('');
  expect(errors()).toMatch(message);
  expect(errors()).not.toMatch(/\n\s+at /);
  expect(
    errors()
      .trimEnd()
      .split('\n')
      .filter((line) => !line.startsWith('Reading')),
  ).toHaveLength(1);
});

test.each([[[]], [['one', 'two']], [['--loudly', 'one']]])('%j: usage and code 2', async (args) => {
  const { code, errors } = await runImport(...args);
  expect(code).toBe(2);
  expect(errors()).toContain('Usage: npm run import');
});

test('beside a service that writes, an import is refused and a dry run is let in, which keeps nothing', async () => {
  const service = await startProcess(database.env);
  try {
    const refused = await runImport(EXAMPLE);
    expect([refused.code, refused.output()]).toEqual([1, '']);
    expect(refused.errors()).toMatch(/in use by another process/);
    const dry = await runImport(EXAMPLE, '--dry-run');
    expect([dry.code, created(dry.output())]).toEqual([0, ENCOUNTERS]);
    expect(countExisting()).toBe(0);
    expect(readdirSync(temporary).filter((name) => name.includes('dry-run'))).toEqual([]);
  } finally {
    service.child.kill('SIGTERM');
    await service.ended;
  }
});
