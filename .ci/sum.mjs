/**
 * Sums up what the steps of `.ci/run` have left in a folder: the seconds of each, the slowest files of each suite, what
 * has failed, and as the last line "N passed, N failed". Fails when anything has failed or was skipped.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const [folder, ...suites] = process.argv.slice(2);
const linesOf = (name) => {
  const file = join(folder, name);
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
};
/** Lines of the message of a failure. */
const MESSAGE = 15;
const failures = [];
const total = { passed: 0, failed: 0, skipped: 0 };

for (const suite of suites) {
  const file = join(folder, `${suite}.json`);
  // A suite that never ran, because the build before it failed, has failed.
  const result = existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : { numRuntimeErrorTestSuites: 1 };
  total.passed += result.numPassedTests ?? 0;
  total.failed += (result.numFailedTests ?? 0) + (result.numRuntimeErrorTestSuites ?? 0);
  total.skipped += (result.numPendingTests ?? 0) + (result.numTodoTests ?? 0);
  printSlowest(suite, result.testResults ?? []);
  failures.push(...failuresOf(suite, result.testResults ?? []));
}

console.log('== Seconds');
for (const line of linesOf('seconds')) {
  const [, seconds, name] = /^(\d+) (.*)$/.exec(line);
  console.log(`${seconds.padStart(5)}  ${name}`);
}
// Behind all else: of a long log only the end may be kept.
for (const failure of failures) console.log(failure);
const failedSteps = linesOf('failed-steps');
if (failedSteps.length > 0) console.log(`Failed: ${failedSteps.join(', ')}`);
if (total.skipped > 0) console.log(`${total.skipped} skipped, which counts as failed.`);
const failed = total.failed + total.skipped || failedSteps.length;
console.log(`${total.passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && total.passed > 0 ? 0 : 1;

/** The failed tests of a suite, and the files that could not run, with the first lines of what they say. */
function failuresOf(suite, files) {
  return files.flatMap(({ name, status, message, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed');
    const file = relative(process.cwd(), name);
    const told = failed.map((test) => [test.fullName, test.failureMessages.join('\n')]);
    if (status === 'failed' && failed.length === 0) told.push(['could not run', message]);
    return told.map(([title, text]) => {
      const lines = stripVTControlCharacters(text).split('\n').slice(0, MESSAGE);
      return [`== Failed in ${suite}: ${file}: ${title}`, ...lines].join('\n');
    });
  });
}

function printSlowest(suite, files) {
  const slowest = files
    .map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1000 }))
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, 10);
  if (slowest.length > 0) console.log(`== The slowest files of ${suite}`);
  for (const { name, seconds } of slowest)
    console.log(`${seconds.toFixed(1).padStart(7)}  ${relative(process.cwd(), name)}`);
}
