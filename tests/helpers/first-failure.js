/**
 * Jest's reporter for runs that ask only whether a test fails (`scripts/faults.mjs`): prints the first failure as a line of
 * JSON, and ends the process.
 */
module.exports = class FirstFailure {
  onTestCaseResult(_test, { status, fullName, failureMessages }) {
    if (status === 'failed') end(fullName, failureMessages[0]);
  }

  /** A file that cannot be loaded has no tests that fail. */
  onTestResult({ path }, { testExecError }) {
    if (testExecError) end(path, testExecError.message);
  }
};

function end(test, message = '') {
  process.stdout.write(`${JSON.stringify({ test, message })}\n`);
  process.exit(1);
}
