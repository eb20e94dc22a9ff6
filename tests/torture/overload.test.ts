// @late
import { setTimeout as sleep } from 'node:timers/promises';
import { freshDatabase, type FreshDatabase } from '../helpers/database';
import { send } from '../helpers/http';
import { Crowd, type Tally } from './many-connections';
import { Load, SHARED } from './load';
import { isLong, randomFrom, SEED } from './scale';
import { startServer, type Server } from './server';
import { MAX_MEMORY, watched, type Seen } from './watch';

jest.setTimeout(600_000);

const MEBIBYTE = 1024 * 1024;
const SECOND = 1000;

const HOST = 'Host: localhost\r\n';
const GET = `GET /api/v0/encounter/${SHARED} HTTP/1.1\r\n${HOST}\r\n`;

const post = (body: string, path = '/api/v0/encounter'): Buffer =>
  Buffer.from(
    `POST ${path} HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );

/** As many of these as a mebibyte holds. */
const filled = (head: string, unit: string, tail: string): string => {
  const count = Math.floor((MEBIBYTE - head.length - tail.length + 1) / (unit.length + 1));
  return head + Array(count).fill(unit).join(',') + tail;
};

/** Bodies of 1 MiB that are costly in different ways. */
const BODIES: Readonly<Record<string, string>> = {
  'a text': `{"remarks":"${'r'.repeat(MEBIBYTE - 14)}"}`,
  'half a million numbers': filled('{"tags":[', '1', ']}'),
  'measurements without end': filled('{"measurements":[', '{}', ']}'),
  'nine thousand long texts': filled('{"observers":[', `"${'o'.repeat(110)}"`, ']}'),
  'control characters': filled('{"tags":[', `"\\u0000${'t'.repeat(110)}"`, ']}'),
};

/** A change that takes the service a while. */
const CHANGE = post(
  JSON.stringify({
    measurements: Array.from({ length: 20 }, (_, value) => ({ type: 't', value })),
  }),
);

const told = (tally: Tally): string =>
  Object.entries(tally)
    .map(([status, count]) => `${count} × ${status}`)
    .join(', ');

describe(`too much at once (OMS_TORTURE_SEED=${SEED})`, () => {
  let database: FreshDatabase;
  let server: Server;

  beforeAll(async () => {
    database = await freshDatabase();
    // What may be read in a minute, and how many connections one host may have, is tested elsewhere.
    const unbounded = { LIMIT_READS: '0', TRUSTED_PROXIES: '127.0.0.1' };
    server = await startServer({ ...database.env, ...unbounded });
    await new Load(randomFrom(SEED)).prepare(server.url);
  });
  afterAll(async () => {
    await server?.kill();
    await database.drop();
  });

  /** Others were answered all the time, within bounds, and are served as before afterwards. */
  async function expectWell(seen: Seen): Promise<void> {
    expect(seen.faults).toEqual([]);
    // Readings need no room; a large body may find none.
    expect(seen.served[0]).toBeGreaterThan(0);
    expect((seen.served[1] ?? 0) + seen.refused).toBeGreaterThan(0);
    expect(seen.memory).toBeLessThan(MAX_MEMORY);
    expect(server.isWell()).toBe(true);
    for (let n = 0; n < 10; n += 1) {
      const url = `/api/v0/encounter/${SHARED}`;
      expect((await send(server.url, { method: 'GET', url })).status).toBe(200);
    }
  }

  /** So many connections that ask one thing each, at the same moment; every answer is one of these. */
  async function crowded(
    size: number,
    bytes: string | Buffer,
    allowed: readonly number[],
  ): Promise<Tally> {
    const crowd = await Crowd.of(server.url, size);
    const tally = await crowd.ask(bytes);
    crowd.end();
    expect(crowd.bareRefusals()).toEqual([]);
    expect(allowed.map(String)).toEqual(expect.arrayContaining(Object.keys(tally)));
    return tally;
  }

  test('2,000 connections are served; of 2,000 changes in one moment some are refused', async () => {
    let refused = 0;
    const seen = await watched(server, '2,000 connections', async () => {
      const tallies: string[] = [];
      for (let round = 0; round < (isLong ? 20 : 1); round += 1) {
        const reads = await crowded(2000, GET, [200]);
        const writes = await crowded(2000, CHANGE, [200, 503]);
        expect(writes['200']).toBeGreaterThan(0);
        refused += writes['503'] ?? 0;
        tallies.push(`reads ${told(reads)}, writes ${told(writes)}`);
      }
      return tallies.join('; ');
    });
    expect(refused).toBeGreaterThan(0);
    await expectWell(seen);
  });

  test('clients that send a byte a second are disconnected in the end, and delay nobody', async () => {
    let closed = 0;
    const seen = await watched(server, 'slow clients', async () => {
      const [head, body] = [
        'GET /api/v0/encounter HTTP/1.1\r\nX-Slow: ',
        post('x'.repeat(900_000)),
      ];
      const inHead = await Crowd.of(server.url, 500);
      const inBody = await Crowd.of(server.url, 1500);
      inHead.send(head);
      inBody.send(body.subarray(0, 120));
      // Node looks for those that have had their time (15 s, 60 s) every 30 s.
      for (let second = 0; second < (isLong ? 95 : 5); second += 1) {
        await sleep(SECOND);
        inHead.send('x');
        inBody.send('x');
      }
      closed = inHead.closed + inBody.closed;
      inHead.end();
      inBody.end();
      return `${closed} closed`;
    });
    expect(closed).toBe(isLong ? 2000 : 0);
    await expectWell(seen);
  });

  test('200 bodies of 1 MiB at once are answered or refused, none is queued', async () => {
    let refused = 0;
    for (const [name, body] of Object.entries(BODIES)) {
      const seen = await watched(server, `200 bodies of ${name}`, async () => {
        const tallies: string[] = [];
        for (let round = 0; round < (isLong ? 10 : 1); round += 1) {
          const tally = await crowded(200, post(body), [400, 503]);
          expect(tally['400']).toBeGreaterThan(0);
          refused += tally['503'] ?? 0;
          tallies.push(told(tally));
        }
        return tallies.join('; ');
      });
      await expectWell(seen);
    }
    expect(refused).toBeGreaterThan(0);
  });

  test('200 bodies of 1 MiB for the panel’s routes are answered or refused', async () => {
    const seen = await watched(server, '200 bodies for the panel', async () => {
      const large = post(BODIES['a text'] ?? '', '/admin/nothing');
      const tally = await crowded(200, large, [405, 503]);
      expect(tally['503']).toBeGreaterThan(0);
      return told(tally);
    });
    await expectWell(seen);
  });

  test('clients that send thousands of requests and read nothing are cut off', async () => {
    // Node makes some 800 requests of a packet before anybody can stop it; twice as many such clients take 600 MiB.
    const size = 25;
    let closed = 0;
    const seen = await watched(server, 'pipelining without reading', async () => {
      // Whoever is cut off comes again.
      for (let round = 0; round < (isLong ? 20 : 4); round += 1) {
        const crowd = await Crowd.of(server.url, size, false);
        crowd.send(GET.repeat(5000));
        await sleep(SECOND);
        closed += await crowd.read(5 * SECOND);
        crowd.end();
      }
      return `${closed} cut off`;
    });
    expect(closed).toBe(size * (isLong ? 20 : 4));
    await expectWell(seen);
  });

  test('clients whose small requests have large answers that they do not read delay nobody', async () => {
    const size = isLong ? 1000 : 150;
    let closed = 0;
    const seen = await watched(server, 'not reading', async () => {
      const crowd = await Crowd.of(server.url, size, false);
      const get = `GET /api/v0/openapi.json HTTP/1.1\r\n${HOST}`;
      // The last answer ends its connection: an idle one of a trusted proxy stays open.
      crowd.send(`${`${get}\r\n`.repeat(4)}${get}Connection: close\r\n\r\n`);
      // The service gives up who has taken nothing for 30 s.
      await sleep(isLong ? 40 * SECOND : 5 * SECOND);
      // Longer than a slow machine needs for 187 MB of answers.
      closed = await crowd.read(25 * SECOND);
      crowd.end();
      return `${closed} closed`;
    });
    expect(closed).toBe(size);
    await expectWell(seen);
  });
});
