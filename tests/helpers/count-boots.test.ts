import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

/** The calls that boot a service in the whole suite. A new test file shares the boot of another one, or replaces one. */
const BOUNDS = { sqlite: 60, postgres: 26 };

/** The folders of the projects `service`, `client` and `torture`. */
const FOLDERS = ['api', 'boot', 'client', 'contract', 'fuzz', 'generate', 'import', 'torture'];

/** A call that boots a service; one in a loop or a `test.each` counts once. */
const BOOT =
  /\b(?:useWorld|useService|useMailbox|startWorld|startService|startClientService|startProcess|startPanel|startTarget|startServer|boots\.start|(?<!\.)boot)\(/g;

const tests = join(__dirname, '..');
const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(tests, folder))
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => readFileSync(join(tests, folder, name), 'utf8')),
);

/** The files beside the test files: parts of them, which share the boot of the file that calls them. */
const parts = FOLDERS.flatMap((folder) =>
  readdirSync(join(tests, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.includes(sep) && name.endsWith('.ts'))
    .map((name) => join(folder, name)),
);

/** The databases that a test file runs on, as its first line says (`jest.config.js`). */
const databasesOf = (source: string): readonly string[] =>
  (/^\/\/ @databases (.*)/.exec(source)?.[1] ?? 'sqlite').split(' ');

test.each(Object.entries(BOUNDS))(
  'the suite on %s has at most %i calls that boot a service',
  (database, bound) => {
    const boots = files
      .filter((source) => databasesOf(source).includes(database))
      .reduce((sum, source) => sum + (source.match(BOOT)?.length ?? 0), 0);
    expect(boots).toBeGreaterThan(0);
    expect(boots).toBeLessThanOrEqual(bound);
  },
);

test('a part of a test file boots no service of its own', () => {
  expect(parts.length).toBeGreaterThan(0);
  expect(parts.filter((name) => readFileSync(join(tests, name), 'utf8').match(BOOT))).toEqual([]);
});
