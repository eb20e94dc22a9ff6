import { execFileSync } from 'node:child_process';
import { setImmediate } from 'node:timers/promises';
import { writeLine, writeLineSoon } from './log-writer';

/** What is written to the standard output meanwhile, call by call. */
async function writtenDuring(work: () => Promise<void> | void): Promise<string[]> {
  const texts: string[] = [];
  const spy = jest.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    texts.push(String(chunk));
    return true;
  });
  try {
    await work();
  } finally {
    spy.mockRestore();
  }
  return texts;
}

test('lines of one turn are written together, at its end', async () => {
  const texts = await writtenDuring(async () => {
    writeLineSoon('a');
    writeLineSoon('b');
    await setImmediate();
    writeLineSoon('c');
    await setImmediate();
  });
  expect(texts).toEqual(['a\nb\n', 'c\n']);
});

test('a line that does not wait is written after those that do, and none twice', async () => {
  const texts = await writtenDuring(async () => {
    writeLineSoon('a');
    writeLine('b');
    await setImmediate();
  });
  expect(texts).toEqual(['a\nb\n']);
});

test('long lines do not wait', async () => {
  const long = 'x'.repeat(70_000);
  expect(await writtenDuring(() => writeLineSoon(long))).toEqual([`${long}\n`]);
});

test('what waits is written when the process ends, by an exception too', () => {
  const program = (end: string): string => `
    const { transformFileSync } = require('@swc/core');
    const { code } = transformFileSync(${JSON.stringify(require.resolve('./log-writer'))}, { module: { type: 'commonjs' } });
    new Function('exports', code)(exports);
    exports.writeLineSoon('last');
    ${end};`;
  for (const end of ['process.exit(0)', "throw new Error('x')"]) {
    let text: string;
    try {
      text = execFileSync(process.execPath, ['-e', program(end)], { stdio: 'pipe' }).toString();
    } catch (error) {
      text = String((error as { stdout: Buffer }).stdout);
    }
    expect(text).toBe('last\n');
  }
});
