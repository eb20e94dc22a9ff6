import {
  bucketOf,
  clearCounter,
  consume,
  giveBack,
  sweepCounters,
  type Limit,
  type Window,
} from '#app/plugins/accounts/server/throttle/counters';
import { databaseOf } from '#app/plugins/objects/server';
import type { Work } from '#app/plugins/objects/server/database/work';
import type { TestService } from '../../helpers/service';

/** The counts of limits, on a shared service. */
export function testThrottle(started: () => TestService): void {
  const LIMIT: Limit = { name: 'login', max: 10, seconds: 900 };
  const NOW = Date.UTC(2026, 2, 9, 8);
  const END = NOW + 900_000;

  describe('a throttle', () => {
    let service: TestService;
    const run = <T>(work: () => Work<T>): Promise<T> => databaseOf(service.strapi).write(work);
    const hit = (bucket: string, now = NOW): Promise<Window> =>
      run(() => consume(bucket, LIMIT, now));

    beforeAll(() => {
      service = started();
    });

    test('counts each of fifty that come at the same time', async () => {
      const bucket = bucketOf(LIMIT, 'parallel');
      const windows = await Promise.all(
        Array.from({ length: 50 }, (_, ms) => hit(bucket, NOW + ms)),
      );
      const counts = windows.map(({ count }) => count).sort((a, b) => a - b);
      expect(counts).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
      expect(new Set(windows.map(({ endsAt }) => endsAt)).size).toBe(1);
    });

    test('has a window that begins with the first and does not move', async () => {
      const bucket = bucketOf(LIMIT, 'window');
      expect(await hit(bucket)).toEqual({ count: 1, endsAt: END });
      expect(await hit(bucket, END - 1)).toEqual({ count: 2, endsAt: END });
      expect(await hit(bucket, END)).toEqual({ count: 1, endsAt: END + 900_000 });
    });

    test('counts buckets apart', async () => {
      await hit(bucketOf(LIMIT, 'one'));
      expect(await hit(bucketOf(LIMIT, 'other'))).toMatchObject({ count: 1 });
      expect(await hit(bucketOf({ ...LIMIT, name: 'reset' }, 'one'))).toMatchObject({ count: 1 });
    });

    test('takes back what was given, never below nothing', async () => {
      const bucket = bucketOf(LIMIT, 'back');
      await hit(bucket);
      await hit(bucket);
      await run(() => giveBack(bucket));
      expect(await hit(bucket)).toEqual({ count: 2, endsAt: END });
      for (let times = 0; times < 4; times += 1) await run(() => giveBack(bucket));
      expect(await hit(bucket)).toEqual({ count: 1, endsAt: END });
      await run(() => giveBack(bucketOf(LIMIT, 'nobody')));
      expect(await hit(bucketOf(LIMIT, 'nobody'))).toMatchObject({ count: 1 });
    });

    test('is reset on demand', async () => {
      const bucket = bucketOf(LIMIT, 'forgotten');
      await hit(bucket);
      await run(() => clearCounter(bucket));
      expect(await hit(bucket)).toMatchObject({ count: 1 });
    });

    test('sweeps what has ended and nothing else', async () => {
      const rows = (): Promise<unknown[]> => service.strapi.db.connection('oms_throttles').select();
      await service.strapi.db.connection('oms_throttles').delete();
      await hit('ended');
      await hit('living', NOW + 1);
      expect(await run(() => sweepCounters(END))).toBe(1);
      expect(await rows()).toEqual([expect.objectContaining({ bucket: 'living' })]);
      expect(await run(() => sweepCounters(END))).toBe(0);
    });

    test('has a key that neither case nor space change, and that shows no name', () => {
      const key = bucketOf(LIMIT, 'Ána@Example.org', '203.0.113.0/24');
      for (const same of [
        'ána@example.org',
        ' ÁNA@EXAMPLE.ORG\t',
        'A\u0301na@example.org',
        'áｎa@example.org',
      ])
        expect(bucketOf(LIMIT, same, '203.0.113.0/24')).toBe(key);
      const others = [
        bucketOf(LIMIT, 'ana@example.org', '203.0.113.0/24'),
        bucketOf(LIMIT, 'ána@example.org'),
        bucketOf(LIMIT, 'ána@example.org203.0.113.0/24'),
        bucketOf(LIMIT, '203.0.113.0/24', 'ána@example.org'),
      ];
      expect(new Set([key, ...others]).size).toBe(5);
      expect(key).toMatch(/^login:[0-9a-f]{64}$/);
    });
  });
}
