import { uuid } from '../helpers/ids';
import { historyOf } from '../helpers/snapshot';
import { useWorld } from '../helpers/world';

/** Calls that arrive together may share a transaction; none of them may notice. */
const world = useWorld();
const ZEBRA = uuid(1);
const url = '/api/v0/encounter';

beforeAll(() => world().create('taxonomy', { id: ZEBRA, scientific_name: 'Equus quagga' }));

describe('calls that arrive together', () => {
  test('are each carried out, and those that are refused harm no other', async () => {
    const ids = Array.from({ length: 120 }, (_, n) => uuid(0x1000 + n));
    const isRefused = (n: number): boolean => n % 3 === 1;
    const answers = await Promise.all(
      ids.map((id, n) =>
        world().send({
          method: 'POST',
          url,
          body: { id, taxonomy: isRefused(n) ? uuid(0xdead) : ZEBRA, group_size: n + 1 },
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(
      ids.map((_, n) => (isRefused(n) ? 400 : 200)),
    );
    for (const [n, id] of ids.entries()) {
      const { status } = await world().send({ method: 'GET', url: `${url}/${id}` });
      expect([id, status]).toEqual([id, isRefused(n) ? 402 : 200]);
      expect(await historyOf(world().service, id)).toHaveLength(isRefused(n) ? 0 : 1);
    }
  });

  test('count one version each, with no gap and none twice', async () => {
    const id = await world().create('encounter');
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        world().send({ method: 'PUT', url: `${url}/${id}`, body: { group_size: n + 1 } }),
      ),
    );
    const versions = answers.map(
      ({ text }) => (JSON.parse(text) as { response: { version: number } }).response.version,
    );
    const expected = Array.from({ length: 40 }, (_, n) => n + 2);
    expect(versions.sort((a, b) => a - b)).toEqual(expected);
    const history = await historyOf(world().service, id);
    expect(history.map(({ version }) => version)).toEqual([1, ...expected]);
    const sizes = history.flatMap(({ changes }) =>
      changes.filter(({ path }) => path === 'group_size'),
    );
    // Each begins where the one before it has ended.
    expect(sizes.slice(1).map(({ before }) => before)).toEqual(
      sizes.slice(0, -1).map(({ after }) => after),
    );
    const last = sizes.at(-1)?.after;
    expect(await world().read('encounter', id)).toMatchObject({ version: 41, group_size: last });
  });

  test('read what is there before or after a change, and nothing in between', async () => {
    const id = await world().create('encounter', { latitude: 1, longitude: 1 });
    const writes = Array.from({ length: 20 }, (_, n) =>
      world().update('encounter', id, { latitude: n, longitude: n }),
    );
    const reads = await Promise.all(
      Array.from({ length: 40 }, () => world().read('encounter', id)),
    );
    await Promise.all(writes);
    for (const { latitude, longitude } of reads) expect(latitude).toBe(longitude);
  });

  test('make, change and delete one object in some order, never half', async () => {
    for (let round = 0; round < 10; round += 1) {
      const id = uuid(0x2000 + round);
      const one = `${url}/${id}`;
      const [made, changed, removed] = await Promise.all([
        world().send({ method: 'POST', url, body: { id } }),
        world().send({ method: 'PUT', url: one, body: { remarks: 'x' } }),
        world().send({ method: 'DELETE', url: one }),
      ]);
      expect(made.status).toBe(200);
      expect([200, 402]).toContain(changed.status);
      expect([200, 402]).toContain(removed.status);
      const { status } = await world().send({ method: 'GET', url: one });
      expect(status).toBe(removed.status === 200 ? 402 : 200);
      const done = [made, changed, removed].filter((answer) => answer.status === 200);
      expect(await historyOf(world().service, id)).toHaveLength(done.length);
    }
  });
});
