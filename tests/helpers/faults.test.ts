import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A fault that tests have to notice, see `scripts/faults.mjs`. */
interface Fault {
  /** What would be wrong. */
  readonly fault: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  readonly tests: readonly string[];
  /** A pattern of the titles of the tests that are run; all of them without one. */
  readonly titles?: string;
  /** Why no test notices it. */
  readonly explained?: string;
}

const root = join(__dirname, '..', '..');
const faults = JSON.parse(
  readFileSync(join(root, 'tests', 'faults.json'), 'utf8'),
) as readonly Fault[];

test('every fault still applies, to text that is in its file exactly once', () => {
  expect(faults.length).toBeGreaterThan(40);
  const stale = faults.filter(
    ({ file, find, replace }) =>
      find === replace || readFileSync(join(root, file), 'utf8').split(find).length !== 2,
  );
  expect(stale).toEqual([]);
});

test('every fault has a name of its own, and tests that exist', () => {
  const names = faults.map(({ fault }) => fault);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  expect(
    faults.flatMap(({ tests }) => tests).filter((path) => !existsSync(join(root, path))),
  ).toEqual([]);
  expect(faults.filter(({ tests }) => tests.length === 0)).toEqual([]);
});
