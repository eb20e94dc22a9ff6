import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { objectsOf } from '#app/plugins/objects/server';
import type { Objects } from '#app/plugins/objects/server/types';
import { bearer, login, makePerson } from '../../helpers/people';
import { until } from '../../helpers/until';
import type { World } from '../../helpers/world';

type Headers = Readonly<Record<string, string>>;

/** Bytes that are read of an export that is not among the slow ones. */
const READ = 4_000_000;

/** Exports that nobody reads, on a shared service. */
export function testUnreadExports(world: () => World): void {
  const open: IncomingMessage[] = [];
  let people: Headers[] = [];

  beforeAll(async () => {
    const { service } = world();
    people = await Promise.all(
      Array.from({ length: 5 }, async () =>
        bearer(await login(world(), await makePerson(service))),
      ),
    );
  });

  beforeEach(() => {
    // Every export meets the same page again and again.
    const objects = objectsOf(world().service.strapi);
    const found = objects.pages.bind(objects);
    const pages: Objects['pages'] = async function* (...args) {
      const { value } = await found(...args).next();
      for (let given = 0; given < 5000; given += 1) yield value ?? [];
    };
    jest.spyOn(objects, 'pages').mockImplementation(pages);
  });
  afterEach(() => {
    for (const answer of open.splice(0)) answer.destroy();
    jest.restoreAllMocks();
  });

  /** Begins an export, of which nothing is read but its head. */
  async function begin(headers: Headers, format = 'csv'): Promise<IncomingMessage> {
    const url = `${world().service.url}/api/v0/export/encounter?format=${format}`;
    const sent = request(url, { headers: { ...headers }, agent: false }).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.on('error', () => undefined);
    open.push(answer);
    return answer;
  }

  async function read(answer: IncomingMessage): Promise<void> {
    for (let bytes = 0; bytes < READ;) {
      const chunk = answer.read() as Buffer | null;
      if (chunk) bytes += chunk.length;
      else await once(answer, 'readable');
    }
  }

  test('eight that nobody reads stop nobody', async () => {
    for (const headers of people.slice(0, 4))
      for (let count = 0; count < 2; count += 1)
        expect((await begin(headers)).statusCode).toBe(200);
    for (const headers of [people[0] ?? {}, people[4] ?? {}, {}]) {
      const answer = await begin(headers);
      expect(answer.statusCode).toBe(200);
      await read(answer);
    }
  });

  test('of more than there is room for the slowest of who has most breaks off', async () => {
    const slowest = await begin(people[0] ?? {});
    // What fits into the buffers of its connection is sent at once: it is slow by the time that it then stands still.
    await setTimeout(2000);
    const [fast = [], ...others] = await Promise.all(
      [5, 5, 5, 5, 3].map((count, who) =>
        Promise.all(Array.from({ length: count }, () => begin(people[who] ?? {}))),
      ),
    );
    // Before anything is read: of who has all places, one that stands still for ten seconds would make room.
    const refused = await begin(people[0] ?? {});
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '10']);
    for (const answer of fast) await read(answer);
    const answer = await begin({});
    expect(answer.statusCode).toBe(200);
    await read(answer);
    let broken = false;
    slowest.once('close', () => (broken = true)).resume();
    await until('it breaks off', () => broken);
    expect(slowest.complete).toBe(false);
    for (const one of [...fast, ...others.flat()]) expect(one.destroyed).toBe(false);
    await Promise.all(fast.map(read));
  });

  test('archives that nobody reads keep nobody out', async () => {
    const objects = objectsOf(world().service.strapi);
    jest.restoreAllMocks();
    const found = objects.pages.bind(objects);
    // No two rows are alike, so that compression leaves more than the buffers of a connection hold.
    const pages: Objects['pages'] = async function* (...args) {
      const { value: rows } = await found(...args).next();
      for (let given = 0; given < 150; given += 1)
        yield (rows ?? [])
          .slice(0, 20)
          .map((row) => ({ ...row, remarks: randomBytes(2000).toString('base64') }));
    };
    jest.spyOn(objects, 'pages').mockImplementation(pages);
    const unread: IncomingMessage[] = [];
    for (const headers of people.slice(0, 4))
      for (let count = 0; count < 2; count += 1) unread.push(await begin(headers, 'dwca'));
    expect(unread.map(({ statusCode }) => statusCode)).toEqual(Array(8).fill(200));
    const answer = await begin(people[4] ?? {}, 'dwca');
    expect(answer.statusCode).toBe(200);
    answer.resume();
    await once(answer, 'end');
    // One of the eight has made room for it.
    await Promise.all(
      unread.map(async (one) => {
        one.resume();
        if (!one.closed) await once(one, 'close');
      }),
    );
    expect(unread.filter(({ complete }) => !complete)).toHaveLength(1);
  });
}
