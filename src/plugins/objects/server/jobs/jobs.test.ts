import { every, newState, pauseAfter, type Job, type JobState, type JobRun } from './job';
import { Jobs } from './jobs';
import { LEASE, type JobTable } from './table';

type StoredRow = JobState & { readonly heldUntil: number };

/** The table of a database that servers share. */
class MemoryTable implements JobTable {
  readonly rows = new Map<string, StoredRow>();
  /** Whether each statement fails. */
  isAway = false;

  open(names: readonly string[]): Promise<void> {
    for (const name of names) this.rows.set(name, { ...this.row(name), nextAt: 0 });
    return Promise.resolve();
  }

  states(): Promise<JobState[]> {
    return Promise.resolve([...this.rows.values()]);
  }

  isFree(name: string, isWanted: boolean, now: number): Promise<boolean> {
    return this.answer(this.free(name, isWanted, now));
  }

  claim(name: string, isWanted: boolean, now: number, holder: string): Promise<boolean> {
    const isFree = this.free(name, isWanted, now);
    if (isFree) this.put({ ...this.row(name), holder, startedAt: now });
    return this.answer(isFree);
  }

  postpone(name: string, nextAt: number): Promise<void> {
    this.rows.set(name, { ...this.row(name), nextAt });
    return Promise.resolve();
  }

  save(state: JobState, lease: string | null): Promise<boolean> {
    const isHeld = lease === null || this.row(state.name).holder === lease;
    if (isHeld && !this.isAway) this.put(state);
    return this.answer(isHeld);
  }

  private free(name: string, isWanted: boolean, now: number): boolean {
    const { heldUntil, nextAt, failures } = this.row(name);
    return heldUntil <= Date.now() && (nextAt <= now || (isWanted && failures === 0));
  }

  private row(name: string): StoredRow {
    return this.rows.get(name) ?? { ...newState(name), heldUntil: 0 };
  }

  private put(state: JobState): void {
    const heldUntil = state.holder === null ? 0 : Date.now() + LEASE;
    this.rows.set(state.name, { ...state, heldUntil });
  }

  private answer(value: boolean): Promise<boolean> {
    return this.isAway ? Promise.reject(new Error('the database is away')) : Promise.resolve(value);
  }
}

const HOUR = 3_600_000;
const servers: Jobs[] = [];
let lines: string[] = [];
let table = new MemoryTable();

function server(...jobs: Job[]): Jobs {
  const log = (message: string): void => void lines.push(message);
  const made = new Jobs({ table: () => table, log: { info: log, error: log }, random: () => 0 });
  made.add(...jobs);
  servers.push(made);
  return made;
}
const job = (name: string, run: Job['run'], more: Partial<Job> = {}): Job => ({
  ...{ name, isLeased: false, next: every(5000), run },
  ...more,
});
const pass = (milliseconds: number): Promise<void> =>
  jest.advanceTimersByTimeAsync(milliseconds).then(() => undefined);
/** A run that lasts until it is ended. */
const endless = ({ signal }: JobRun): Promise<void> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve());
  });

beforeEach(() => {
  jest.useFakeTimers({ now: Date.UTC(2026, 2, 9) });
  [lines, table] = [[], new MemoryTable()];
});
afterEach(async () => {
  await Promise.all(servers.splice(0).map((one) => one.stop()));
  jest.useRealTimers();
});

test('a job runs at the start, and again when its period has passed', async () => {
  const run = jest.fn(() => Promise.resolve());
  await server(job('some', run)).start();
  await pass(0);
  expect(run).toHaveBeenCalledTimes(1);
  await pass(4000);
  expect(run).toHaveBeenCalledTimes(1);
  await pass(1000);
  expect(run).toHaveBeenCalledTimes(2);
});

test('one that is asked for after a delay runs once then, and once more if that is during a run', async () => {
  let end = (): void => undefined;
  const run = jest.fn(() => new Promise<void>((resolve) => (end = resolve)));
  const jobs = server(job('some', run, { next: every(HOUR) }));
  await jobs.start();
  await pass(0);
  end();
  await pass(0);
  jobs.soon('some', 1500);
  jobs.soon('some', 1500);
  await pass(1499);
  expect(run).toHaveBeenCalledTimes(1);
  await pass(1);
  expect(run).toHaveBeenCalledTimes(2);
  jobs.soon('some');
  jobs.soon('some');
  await pass(10_000);
  expect(run).toHaveBeenCalledTimes(2);
  end();
  await pass(0);
  expect(run).toHaveBeenCalledTimes(3);
  end();
  await pass(10_000);
  expect(run).toHaveBeenCalledTimes(3);
});

test('one that fails is tried again with growing pauses, stops no other, and says when it succeeds', async () => {
  let isBroken = true;
  const [at, from]: [number[], number] = [[], Date.now()];
  const failing = (): Promise<void> => {
    at.push((Date.now() - from) / 1000);
    return isBroken ? Promise.reject(new Error('no')) : Promise.resolve();
  };
  const other = jest.fn(() => Promise.resolve());
  const jobs = server(job('bad', failing), job('good', other));
  await jobs.start();
  for (let seconds = 0; seconds < 299; seconds += 1) {
    await pass(1000);
    // Who asks for it does not shorten the pause.
    jobs.soon('bad');
  }
  expect(at).toEqual([0, 5, 15, 35, 75, 135, 195, 255]);
  expect(other).toHaveBeenCalledTimes(60);
  expect(lines[1]).toBe('job bad: has failed (no), and is tried again in 10 s');
  const state = async () => (await jobs.states()).find(({ name }) => name === 'bad');
  expect(await state()).toMatchObject({ failures: 8, error: 'no', holder: null });
  isBroken = false;
  await pass(60_000);
  expect(lines.at(-1)).toBe('job bad: has succeeded again');
  expect(await state()).toMatchObject({ failures: 0, error: null });
});

test('pauses are no shorter than the run was, and never longer than a quarter of an hour', () => {
  const pause = (failures: number, took: number, period: number, random = 0): number =>
    pauseAfter(failures, { took, period }, () => random);
  expect(pause(1, 0, 24 * HOUR)).toBe(5000);
  expect(pause(1, 400_000, 24 * HOUR)).toBe(400_000);
  expect(pause(3, HOUR, 24 * HOUR)).toBe(900_000);
  expect(pause(5000, 0, 24 * HOUR)).toBe(900_000);
  expect(pause(5000, 0, 5000)).toBe(60_000);
  expect(pause(5000, 0, 5000, 0.8)).toBe(48_000);
});

test('a job with a lease is done by one server, which renews it, and then by the one that waits for it', async () => {
  const runs = [jest.fn(endless), jest.fn(endless)];
  const leased = (run: Job['run']): Job => job('some', run, { isLeased: true, next: every(HOUR) });
  const [first, second] = runs.map((run) => server(leased(run)));
  await first?.start();
  await pass(0);
  await second?.start();
  await pass(5 * LEASE);
  expect(runs.map(({ mock }) => mock.calls.length)).toEqual([1, 0]);
  await first?.stop();
  await pass(5000);
  expect(runs.map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
});

test('of servers that see at once that a job is free one does it', async () => {
  const runs = [jest.fn(endless), jest.fn(endless)];
  await Promise.all(runs.map((run) => server(job('some', run, { isLeased: true })).start()));
  await pass(5 * LEASE);
  expect(runs.map(({ mock }) => mock.calls.length).sort()).toEqual([0, 1]);
});

test('a run whose lease another server has taken ends', async () => {
  let ended = 0;
  const run = async (given: JobRun): Promise<void> => {
    await endless(given);
    ended += 1;
  };
  await server(job('some', run, { isLeased: true })).start();
  await pass(0);
  const row = table.rows.get('some') ?? { ...newState('some'), heldUntil: 0 };
  table.rows.set('some', { ...row, holder: 'another', heldUntil: Date.now() + HOUR });
  await pass(4000);
  expect([ended, table.rows.get('some')?.holder]).toEqual([1, 'another']);
});

test('a run whose lease cannot be renewed ends with the lease', async () => {
  let ended = 0;
  const run = async (given: JobRun): Promise<void> => {
    await endless(given);
    ended += 1;
  };
  await server(job('some', run, { isLeased: true })).start();
  await pass(0);
  table.isAway = true;
  await pass(LEASE - 1000);
  expect(ended).toBe(0);
  await pass(4000);
  expect(ended).toBe(1);
});

test('what is not due is not begun, and not noted', async () => {
  let isDue = false;
  const run = jest.fn(() => Promise.resolve());
  const given = { isLeased: true, next: every(HOUR), isDue: () => Promise.resolve(isDue) };
  const jobs = server(job('some', run, given));
  await jobs.start();
  jobs.soon('some');
  await pass(60_000);
  expect(run).not.toHaveBeenCalled();
  expect(table.rows.get('some')).toMatchObject({ endedAt: null });
  isDue = true;
  jobs.soon('some');
  await pass(0);
  expect(run).toHaveBeenCalledTimes(1);
  expect((await jobs.states())[0]).toMatchObject({ failures: 0, holder: null, duration: 0 });
});

test('what is stopped before it begins is not begun, and gives its lease back', async () => {
  let answer = (_isDue: boolean): void => undefined;
  const isDue = (): Promise<boolean> => new Promise((resolve) => (answer = resolve));
  const run = jest.fn(() => Promise.resolve());
  const jobs = server(job('some', run, { isLeased: true, isDue }));
  await jobs.start();
  await pass(0);
  const stopping = jobs.stop();
  answer(true);
  await stopping;
  expect(run).not.toHaveBeenCalled();
  expect(table.rows.get('some')).toMatchObject({ holder: null, failures: 0 });
});

test('the table is told of progress while a job runs, and seldom of short runs', async () => {
  const given = { save: jest.spyOn(table, 'save') };
  const long = ({ signal, progress }: JobRun): Promise<void> => {
    progress(3, 7);
    return endless({ signal, progress });
  };
  const jobs = server(
    job('long', long),
    job('short', () => Promise.resolve()),
  );
  await jobs.start();
  await pass(4000);
  expect(table.rows.get('long')).toMatchObject({ done: 3, total: 7 });
  expect(table.rows.get('long')?.holder).toMatch(/:\d+:/);
  await pass(295_000);
  const short = given.save.mock.calls.filter(([{ name }]) => name === 'short');
  expect(short).toHaveLength(5);
});
