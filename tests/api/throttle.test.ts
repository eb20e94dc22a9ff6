// @databases sqlite postgres
import {
  bucketOf,
  clearCounter,
  consume,
  giveBack,
  sweepCounters,
  type Limit,
  type Window,
} from '#app/plugins/accounts/server/throttle/counters';
import { accountsOf } from '#app/plugins/accounts/server';
import { anonymous, local } from '#app/core/caller';
import { databaseOf } from '#app/plugins/objects/server';
import type { ApiError } from '#app/core/errors';
import type { Work } from '#app/plugins/objects/server/database/work';
import { prepareBoots } from '../helpers/boots';
import { startService, type TestService } from '../helpers/service';

const LIMIT: Limit = { name: 'login', max: 10, seconds: 900 };
const NOW = Date.UTC(2026, 2, 9, 8);
const END = NOW + 900_000;

describe('a throttle', () => {
  let service: TestService;
  const run = <T>(work: () => Work<T>): Promise<T> => databaseOf(service.strapi).write(work);
  const hit = (bucket: string, now = NOW): Promise<Window> =>
    run(() => consume(bucket, LIMIT, now));

  beforeAll(async () => {
    service = await startService({ listen: false });
  });
  afterAll(async () => {
    await service.close();
  });

  test('counts each of fifty that come at the same time', async () => {
    const bucket = bucketOf(LIMIT, 'parallel');
    const windows = await Promise.all(Array.from({ length: 50 }, (_, ms) => hit(bucket, NOW + ms)));
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

  test('forgets on demand', async () => {
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

test('a throttle keeps its counts through a restart, and with them the failures of logins', async () => {
  const boots = await prepareBoots();
  const counts: number[] = [];
  const refusals: number[][] = [];
  for (const failures of [10, 1]) {
    const service = await boots.start();
    const { strapi } = service;
    const { count } = await databaseOf(strapi).write(() => consume('kept', LIMIT, NOW));
    counts.push(count);
    const proof = { name: 'nobody', password: 'x' };
    const caller = { ...local(anonymous()), network: '10.0.0.0/24' };
    const found: number[] = [];
    for (let tries = 0; tries < failures; tries += 1) {
      const login = accountsOf(strapi).authentication().login(proof, '', caller);
      found.push(
        await login.then(
          () => 200,
          ({ status }: ApiError) => status,
        ),
      );
    }
    refusals.push(found);
    await service.close();
  }
  await boots.drop();
  expect(counts).toEqual([1, 2]);
  expect(refusals).toEqual([Array.from({ length: 10 }, () => 401), [429]]);
});
