/**
 * `npm test`: lint with types, and format, then the tests, which keep the processors busy by themselves. Fails when anything
 * does, after all of it. Arguments are Jest's.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const CHECKS = ['lint', 'format:check'];

const failed = await runChecks();
const areTestsWell = await runTests();
// Said again at the end: the tests have printed a lot since.
if (failed.length > 0) console.error(`FAIL ${failed.join(', ')}: see above`);
process.exitCode = areTestsWell && failed.length === 0 ? 0 : 1;

async function runTests() {
  const node = (...args) => spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if ((await codeOf(node('scripts/build.mjs', '--if-stale', '--server'))) !== 0) return false;
  if ((await codeOf(node('scripts/build-client.mjs', '--if-stale'))) !== 0) return false;
  const jest = join('node_modules', 'jest', 'bin', 'jest.js');
  const projects = ['--selectProjects', 'unit', 'service', 'client', 'torture'];
  // Paths first: after the projects, they would be names of projects.
  return (await codeOf(node(jest, ...process.argv.slice(2), ...projects))) === 0;
}

/** The names of the checks that have failed. */
async function runChecks() {
  const passed = await Promise.all(CHECKS.map(isPassed));
  return CHECKS.filter((_, at) => !passed[at]);
}

/** Runs a script of package.json, and prints what it says only when it fails. */
async function isPassed(name) {
  const started = Date.now();
  const child = spawn('npm', ['run', '--silent', name], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = Promise.all([buffer(child.stdout), buffer(child.stderr)]);
  const code = await codeOf(child);
  const seconds = Math.round((Date.now() - started) / 1000);
  if (code !== 0) process.stderr.write(Buffer.concat(await output));
  console.error(`${code === 0 ? 'PASS' : 'FAIL'} ${name} (${seconds} s)`);
  return code === 0;
}

async function codeOf(child) {
  const [code] = await once(child, 'close');
  return code;
}
