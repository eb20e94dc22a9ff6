/** The committed document, which another test compares with the service, against the rules of two linters as they come. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(__dirname, '..', '..', '..');
const document = join(root, 'docs', 'openapi.json');
const bin = (name: string): string => join(root, 'node_modules', '.bin', name);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'oms-lint-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a program writes; it fails where it finds something. */
const outputOf = (name: string, args: readonly string[]): Promise<string> =>
  new Promise((resolve) => {
    const env = {
      ...process.env,
      REDOCLY_TELEMETRY: 'off',
      REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    };
    const options = { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 };
    execFile(bin(name), args, options, (_, stdout) => resolve(stdout));
  });

interface Problem {
  readonly ruleId: string;
  readonly message: string;
}

test('has no warning of redocly, by its recommended rules', async () => {
  const args = ['lint', document, '--format=json', '--max-problems=100'];
  const found = JSON.parse(await outputOf('redocly', args)) as {
    totals: { errors: number; warnings: number };
    problems: readonly Problem[];
  };
  expect(found.problems.map(({ ruleId, message }) => [ruleId, message])).toEqual([]);
  expect(found.totals).toMatchObject({ errors: 0, warnings: 0 });
}, 120_000);

test('has no warning of spectral, by `spectral:oas`', async () => {
  const rules = join(folder, 'rules.json');
  writeFileSync(rules, JSON.stringify({ extends: ['spectral:oas'] }));
  const args = ['lint', document, '--ruleset', rules, '--format', 'json', '--quiet'];
  const found = JSON.parse(await outputOf('spectral', args)) as readonly {
    readonly code: string;
  }[];
  expect(found.map(({ code }) => code)).toEqual([]);
}, 120_000);
