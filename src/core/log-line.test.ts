import { createRepetitionFilter, logLine, requestLine, type LoggedRequest } from './log-line';

const NOW = new Date('2026-03-09T08:15:30.123Z');
const line = (info: Readonly<Record<string, unknown>>): unknown => JSON.parse(logLine(info, NOW));

describe('a line of the log', () => {
  test('has its time and the properties that are listed, and none that something hangs on it', () => {
    const info = { level: 'info', message: 'done', status: 200, aborted: false };
    const secret = { body: { password: 'x' }, cookie: 'secret', headers: {} };
    expect(line({ ...info, ...secret })).toEqual({ time: NOW.toISOString(), ...info });
  });

  test('is one line, whatever stands in it', () => {
    const text = logLine({ message: 'a\nb\r\u2028c', path: '/x\n{"level":"error"}' }, NOW);
    expect(text).not.toMatch(/[\n\r]/);
    expect(JSON.parse(text)).toMatchObject({ path: '/x\n{"level":"error"}' });
  });

  test('has no objects, lists or functions', () => {
    expect(line({ message: { toString: () => 'x' }, reason: ['x'], name: () => 'x' })).toEqual({
      time: NOW.toISOString(),
    });
  });

  test('has long texts cut', () => {
    const long = 'x'.repeat(1000);
    expect(line({ path: long })).toMatchObject({ path: long });
    expect(line({ path: `${long}y` })).toMatchObject({ path: `${long}…` });
  });
});

describe('the line of a request', () => {
  const request: LoggedRequest = {
    transactionId: '0b9d0c1e-6d1c-4d5e-9b7a-2f3c4d5e6f70',
    method: 'GET',
    path: '/api/v0/encounter',
    status: 200,
    ms: 1.25,
    caller: null,
    aborted: false,
  };

  test.each<[string, Partial<LoggedRequest>]>([
    ['without an account', {}],
    ['of an account', { caller: '3f2504e0-4f89-41d3-9a0c-0305e82c3301' }],
    ['that was broken off', { aborted: true, ms: 0 }],
    ['with any path', { path: '/x"\n\\\u2028é{"level":"error"}' }],
    ['with a long path', { path: `/${'x'.repeat(5000)}` }],
  ])('is that of an entry: %s', (_, given) => {
    const { caller, aborted, ...told } = { ...request, ...given };
    const info = {
      level: 'info',
      message: 'request',
      ...told,
      ...(caller === null ? {} : { caller }),
      ...(aborted ? { aborted } : {}),
    };
    expect(requestLine({ ...request, ...given }, NOW)).toBe(logLine(info, NOW));
  });
});

describe('lines of one event', () => {
  /** A filter with a clock that the test sets. */
  function filterAt() {
    const clock = { now: 0 };
    const filter = createRepetitionFilter(() => clock.now);
    return { clock, filter };
  }

  test('are written once in a second, and the next one says how many were dropped', () => {
    const { clock, filter } = filterAt();
    const info = { event: 'away', message: 'x' };
    expect(filter(info)).toBe(info);
    for (const now of [1, 500, 999]) {
      clock.now = now;
      expect(filter(info)).toBeNull();
    }
    clock.now = 1000;
    expect(filter(info)).toEqual({ ...info, repeated: 3 });
    clock.now = 2000;
    expect(filter(info)).toBe(info);
  });

  test('do not count for another event, and lines of none are all written', () => {
    const { filter } = filterAt();
    expect(filter({ event: 'a' })).not.toBeNull();
    expect(filter({ event: 'b' })).not.toBeNull();
    for (const info of [{ message: 'x' }, { event: '' }, { event: 1 }])
      expect([filter(info), filter(info)]).toEqual([info, info]);
  });
});
