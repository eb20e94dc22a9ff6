import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProcessPool } from './process-pool';

type Job = { readonly say: string };

const folder = mkdtempSync(join(tmpdir(), 'oms-pool-'));
const script = join(folder, 'echo.js');
const queue = { running: 1, waitingOfOne: 5, waiting: 5 };
/** Longer than a process needs to start on a busy machine. */
const AMPLE = 60_000;
let maxTime = AMPLE;
let pool: ProcessPool<Job, string>;

beforeAll(() => {
  writeFileSync(
    script,
    `process.on('disconnect', () => process.exit(0));
    process.on('message', ({ say }) => {
      if (say === 'exit') process.exit(1);
      while (say === 'never');
      process.send(say + ' from ' + process.pid);
    });`,
  );
});
beforeEach(() => {
  pool = new ProcessPool({
    script,
    queue,
    get maxTime() {
      return maxTime;
    },
    idle: AMPLE,
    maxJobs: 3,
    niceness: 7,
  });
});
afterEach(() => pool.close());
afterAll(() => rmSync(folder, { recursive: true }));

const pidOf = async (): Promise<string> => {
  const ended = await pool.run({ say: 'hello' }, 'a');
  if (ended.how !== 'answered') throw new Error(ended.how);
  return ended.result.replace('hello from ', '');
};

// Processes start slowly beside others.
jest.setTimeout(30_000);

test('a process does one job after the other, and is replaced after so many', async () => {
  const [first, second, third, fourth] = [
    await pidOf(),
    await pidOf(),
    await pidOf(),
    await pidOf(),
  ];
  expect([second, third]).toEqual([first, first]);
  expect(getPriority(Number(fourth))).toBe(7);
  expect(fourth).not.toBe(first);
});

test('a job that takes too long is ended, and the next one gets another process', async () => {
  const first = await pidOf();
  maxTime = 100;
  expect(await pool.run({ say: 'never' }, 'a')).toEqual({ how: 'overdue' });
  maxTime = AMPLE;
  expect(await pidOf()).not.toBe(first);
});

test('a job is ended by its signal, also while it waits', async () => {
  const [running, waiting] = [new AbortController(), new AbortController()];
  const jobs = [
    pool.run({ say: 'never' }, 'a', running.signal),
    pool.run({ say: 'never' }, 'b', waiting.signal),
  ];
  waiting.abort();
  running.abort();
  expect(await Promise.all(jobs)).toEqual([{ how: 'aborted' }, { how: 'aborted' }]);
  expect(await pidOf()).toMatch(/^\d+$/);
});

test('a process that ends by itself is told', async () => {
  expect(await pool.run({ say: 'exit' }, 'a')).toEqual({ how: 'died' });
  expect(await pidOf()).toMatch(/^\d+$/);
});

test('the end of the pool aborts the jobs under way and those that wait', async () => {
  const jobs = [pool.run({ say: 'never' }, 'a'), pool.run({ say: 'hello' }, 'b')];
  pool.close();
  expect(await Promise.all(jobs)).toEqual([{ how: 'aborted' }, { how: 'aborted' }]);
  expect(await pool.run({ say: 'hello' }, 'a')).toEqual({ how: 'aborted' });
});
