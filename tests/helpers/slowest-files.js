const { relative } = require('node:path');

/** Seconds for which one file may run alone at the end of a whole run, while the other cores have nothing to do. */
const TOLERATED = 15;
const WHOLE = 20;

/** Jest's reporter of what a run costs: the ten slowest files, and the one that should have begun earlier. */
module.exports = class SlowestFiles {
  onRunComplete(_contexts, { testResults }) {
    if (testResults.length <= 1) return;
    const files = testResults.map(({ testFilePath, perfStats: { start, end } }) => ({
      path: relative(process.cwd(), testFilePath),
      start: start / 1000,
      end: end / 1000,
      seconds: (end - start) / 1000,
    }));
    console.error('\nThe slowest files:');
    for (const { path, seconds } of files.toSorted((a, b) => b.seconds - a.seconds).slice(0, 10))
      console.error(`${seconds.toFixed(1).padStart(7)} s  ${path}`);
    if (files.length < WHOLE) return;
    const [last, before] = files.toSorted((a, b) => b.end - a.end);
    const alone = last.end - before.end;
    if (last.start < before.end && alone > TOLERATED)
      console.error(`${last.path} ran alone for ${alone.toFixed(0)} s: mark it "// @long".`);
  }
};
