import { JobRuns } from '../../../../core/job-runs';
import type { Database } from '../../../objects/server/database/database';
import { createCourier } from './courier';

describe('a courier that is woken', () => {
  let looks = 0;
  const none = () => undefined;
  const courier = createCourier({
    database: {
      read: () => {
        looks += 1;
        return Promise.resolve([]);
      },
    } as unknown as Database,
    recipient: () => {
      throw new Error('nothing is due');
    },
    decisions: () => {
      throw new Error('nothing is due');
    },
    transport: { send: () => Promise.resolve() },
    settings: () => {
      throw new Error('nothing is sent');
    },
    jobs: new JobRuns(),
    log: { info: none, warn: none, error: none },
    clock: () => 0,
    delay: () => 1500,
  });
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(async () => {
    await courier.stop();
    jest.useRealTimers();
  });

  test('looks at nothing before the delay has passed, and once then', async () => {
    courier.start();
    await jest.advanceTimersByTimeAsync(1);
    looks = 0;
    courier.wake();
    courier.wake();
    await jest.advanceTimersByTimeAsync(1499);
    expect(looks).toBe(0);
    await jest.advanceTimersByTimeAsync(1);
    expect(looks).toBe(1);
  });
});
