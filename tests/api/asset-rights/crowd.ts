import { readdirSync, statSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { authorizationOf, openToRoles } from '../../helpers/callers';
import { withSite } from '../../helpers/people';
import { until } from '../../helpers/until';
import { photograph, uploadRequest } from '../../helpers/upload';
import type { World } from '../../helpers/world';

type Headers = Readonly<Record<string, string>>;

/** Somebody who has sent a part of a form, and goes on when the test says so. */
interface Sender {
  readonly socket: Socket;
  /** What was answered so far. */
  readonly heard: () => string;
}

const SENT_AWAY = /^HTTP\/1\.1 503 .*"API_RESPONSE_UNAVAILABLE"/s;

/** Uploads of many who send slowly, on a shared service. */
export function describeCrowd(world: () => World): void {
  const [user, moderator, administrator] = (['user', 'moderator', 'administrator'] as const).map(
    authorizationOf,
  ) as [Headers, Headers, Headers];
  const all: Sender[] = [];
  const folder = (): string => join(world().service.dataDir, 'incoming', String(process.pid));
  /** The files that are on their way. */
  const files = (): string[] => readdirSync(folder());

  beforeAll(() => openToRoles(world().service));
  afterEach(async () => {
    for (const { socket } of all.splice(0)) socket.destroy();
    await until('nothing of them is left', () => files().length === 0);
  });

  /** Begins an upload of a large file, of which so many bytes are sent. */
  function begin(headers: Headers, bytes: number, size = 1_000_000): Sender {
    const { url, raw = '', ...request } = uploadRequest({ bytes: Buffer.alloc(size) }, headers);
    const socket = connect(Number(new URL(world().service.url).port), '127.0.0.1');
    let heard = '';
    socket.on('data', (chunk: Buffer) => (heard += chunk.toString()));
    socket.on('error', () => undefined);
    const lines = Object.entries(request.headers ?? {}).map(
      ([name, value]) => `${name}: ${String(value)}\r\n`,
    );
    const length = `Host: localhost\r\nContent-Length: ${raw.length}\r\n`;
    socket.write(`POST ${url} HTTP/1.1\r\n${length}${lines.join('')}\r\n`);
    const head = raw.indexOf('\r\n\r\n') + 4;
    socket.write((raw as Buffer).subarray(0, head + bytes));
    const sender = { socket, heard: () => heard };
    all.push(sender);
    return sender;
  }

  const beginMany = (count: number, ...given: Parameters<typeof begin>): Sender[] =>
    Array.from({ length: count }, () => begin(...given));

  const upload = async (headers: Headers): Promise<number> =>
    (await world().send(uploadRequest({ bytes: await photograph() }, headers))).status;

  /** Waits until the files of so many are on their way. */
  const underWay = (count: number): Promise<void> =>
    until(`${count} are under way`, () => files().length === count);

  test('forty slow uploads of one account stop nobody', async () => {
    beginMany(40, user, 10);
    await underWay(40);
    for (const headers of [user, moderator, {}]) expect(await upload(headers)).toBe(200);
  });

  test('of more than there is room for the slowest of who has most is sent away', async () => {
    const slowest = begin(user, 1);
    beginMany(99, user, 60_000);
    beginMany(99, moderator, 1);
    begin(administrator, 1);
    await underWay(200);
    expect(await upload({})).toBe(200);
    await until('one is sent away', () => SENT_AWAY.test(slowest.heard()));
    expect(slowest.heard()).toMatch(/\r\nRetry-After: 10\r\n/i);
    expect(all.filter(({ heard }) => heard() !== '')).toEqual([slowest]);
    await underWay(199);
  });

  test('one account has no more on its way than twenty files of the largest size', () =>
    withSite(world().service, { maxUploadBytes: 1_100_000 }, async () => {
      const size = (): number =>
        files().reduce((sum, name) => {
          // One that is refused may go while others are counted.
          const found = statSync(join(folder(), name), { throwIfNoEntry: false });
          return sum + (found?.size ?? 0);
        }, 0);
      beginMany(30, user, 1_000_000, 1_050_000);
      const away = (): number => all.filter(({ heard }) => SENT_AWAY.test(heard())).length;
      await until('all others have sent theirs', () => size() === (30 - away()) * 1_000_000);
      expect(away()).toBeGreaterThanOrEqual(8);
      expect(size()).toBeLessThanOrEqual(20 * 1_100_000);
      expect(await upload(moderator)).toBe(200);
    }));
}
