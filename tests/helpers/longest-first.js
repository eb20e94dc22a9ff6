const { existsSync, readFileSync } = require('node:fs');
const { dirname, join } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

/** More bytes than any test file has. */
const MARKED = 1e9;

/**
 * The order of the test files: by what they took the last time, where Jest knows it of all of them; else those that are
 * marked (`// @long`) first, then by size, their parts included. A long file that begins last would run alone.
 */
module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    return longestFirst(super.sort(tests));
  }
};

function longestFirst(tests) {
  if (tests.every(({ duration }) => duration !== undefined)) return tests;
  const weights = new Map(tests.map(({ path }) => [path, weightOf(path)]));
  return tests.sort((a, b) => weights.get(b.path) - weights.get(a.path));
}

function weightOf(path) {
  const source = readFileSync(path, 'utf8');
  const parts = [...source.matchAll(/ from '(\.\/[^']+\/[^']+)';$/gm)]
    .map(([, part]) => join(dirname(path), `${part}.ts`))
    .filter((part) => existsSync(part))
    .map((part) => readFileSync(part).length);
  const marked = /^\/\/ @long$/m.test(source) ? MARKED : 0;
  return marked + parts.reduce((sum, size) => sum + size, source.length);
}
