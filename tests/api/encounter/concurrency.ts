import crypto from 'node:crypto';
import { importer } from '#app/core/caller';
import { databaseOf, objectsOf } from '#app/plugins/objects/server';
import { sql } from '#app/plugins/objects/server/database/sql';
import { ask, type Work } from '#app/plugins/objects/server/database/work';
import { testDatabase } from '../../helpers/database';
import type { Answer } from '../../helpers/http';
import { idsOf } from '../../helpers/ids';
import type { Json } from '../../helpers/json';
import { play } from '../../helpers/scenario';
import { HISTORY, historyOf, snapshot } from '../../helpers/snapshot';
import { type World } from '../../helpers/world';

/** Calls that arrive together may share a transaction; none of them may notice. */
export function testConcurrency(world: () => World): void {
  const uuid = idsOf(5);
  const ZEBRA = uuid(1);
  const url = '/api/v0/encounter';

  beforeAll(() => world().create('taxonomy', { id: ZEBRA, scientific_name: 'Equus hemionus' }));

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

  describe('changes beside each other', () => {
    const knex = () => world().service.strapi.db.connection;
    const put = (id: string, body: Json) =>
      world().send({ method: 'PUT', url: `${url}/${id}`, body });

    test('have one key once', async () => {
      const body = { source: 'a survey', external_id: 'beside' };
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => world().send({ method: 'POST', url, body })),
      );
      const made = answers.filter(({ status }) => status === 200);
      expect(made).toHaveLength(1);
      for (const { status, text } of answers.filter((answer) => !made.includes(answer)))
        expect([status, text]).toEqual([400, expect.stringContaining('ENTITY_EXISTS')]);
    });

    test('have places of their own in searches, though each would have the same one', async () => {
      const chance = jest.spyOn(crypto, 'randomInt').mockImplementation(() => 7);
      try {
        const body = { time: '1907-07-07T07:07:07Z' };
        const ids = [];
        for (let n = 0; n < 5; n += 1) ids.push(await world().create('encounter', body));
        const found = await world().send({
          method: 'GET',
          url: '/api/v0/search/encounter?time_min=1907-07&time_max=1907-07&limit=100',
        });
        expect(chance).toHaveBeenCalled();
        expect(found.status).toBe(200);
        for (const id of ids) expect(found.text).toContain(id);
      } finally {
        chance.mockRestore();
      }
    });

    test('are each told to those who follow the objects', async () => {
      const ids = await Promise.all(Array.from({ length: 10 }, () => world().create('encounter')));
      const person = { name: 'Beside', email: 'beside@example.org' };
      const follower = await world().create('user', person);
      await world().update('user', follower, { followed_encounters: ids });
      await Promise.all(ids.map((id) => world().send({ method: 'DELETE', url: `${url}/${id}` })));
      expect(await world().read('user', follower)).toMatchObject({
        followed_encounters: [],
        version: 12,
      });
      const lists = (await historyOf(world().service, follower)).flatMap(({ changes }) =>
        changes.filter(({ path }) => path === 'followed_encounters'),
      );
      // Each begins where the one before it has ended.
      expect(lists.slice(2).map(({ before }) => before)).toEqual(
        lists.slice(1, -1).map(({ after }) => after),
      );
    });

    test('keep who made each of them', async () => {
      const names = Array.from({ length: 12 }, (_, n) => `the survey ${n % 3}`);
      const objects = objectsOf(world().service.strapi);
      const written = await Promise.all(
        names.map((name) =>
          objects.write({ type: 'encounter', op: 'create', body: {} }, importer(name)),
        ),
      );
      for (const [at, { id }] of written.entries())
        expect(await historyOf(world().service, id)).toMatchObject([{ actor_name: names[at] }]);
    });

    if (testDatabase === 'sqlite') return;

    test('share transactions on PostgreSQL', async () => {
      const ids = Array.from({ length: 40 }, (_, n) => uuid(0x4000 + n));
      await Promise.all(ids.map((id) => world().send({ method: 'POST', url, body: { id } })));
      const rows = await knex()('encounters')
        .whereIn('document_id', ids)
        .select<{ by: string }[]>(knex().raw('xmin::text as by'));
      expect(rows).toHaveLength(40);
      expect(new Set(rows.map(({ by }) => by)).size).toBeLessThan(40);
    });

    test('do not wait for one that waits for another transaction', async () => {
      const make = (): Promise<string> => world().create('encounter');
      const [one, other, free] = [await make(), await make(), await make()];
      const trx = await knex().transaction();
      const waiting: Promise<Answer>[] = [];
      try {
        await trx('encounters').whereIn('document_id', [one, other]).forUpdate().select('id');
        // Not together: what is made in between has another transaction than the first.
        waiting.push(put(one, { remarks: 'held' }));
        await make();
        waiting.push(put(other, { remarks: 'held' }));
        expect((await put(free, { remarks: 'free' })).status).toBe(200);
        await make();
      } finally {
        await trx.rollback();
      }
      expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200]);
      expect(await world().read('encounter', one)).toMatchObject({ version: 2, remarks: 'held' });
    });
  });

  describe('a change whose history cannot be written', () => {
    const UNLUCKY = uuid(0xbad);
    const knex = () => world().service.strapi.db.connection;

    /** The database refuses entries about one object: after the row itself has been written. */
    beforeAll(async () => {
      const raise = `when new.object = '${UNLUCKY}'`;
      if (testDatabase === 'sqlite') {
        await knex().raw(
          `create trigger unlucky before insert on ${HISTORY} ${raise} begin select raise(abort, 'unlucky'); end`,
        );
        return;
      }
      await knex().raw(
        `create function unlucky() returns trigger language plpgsql as 'begin raise ''unlucky''; end'`,
      );
      await knex().raw(
        `create trigger unlucky before insert on ${HISTORY} for each row ${raise.replace('when ', 'when (')}) execute function unlucky()`,
      );
    });
    afterAll(() =>
      knex().raw(`drop trigger unlucky${testDatabase === 'sqlite' ? '' : ` on ${HISTORY}`}`),
    );

    test('is not made', async () => {
      await play(world(), {
        name: 'alone',
        method: 'POST',
        url,
        body: { id: UNLUCKY, taxonomy: ZEBRA },
        expect: { status: 500, key: 'INTERNAL_ERROR' },
        never: ['unlucky', 'trigger'],
      });
    });

    test('is not made among others, which are', async () => {
      const ids = Array.from({ length: 30 }, (_, n) => (n === 15 ? UNLUCKY : uuid(0x3000 + n)));
      const answers = await Promise.all(
        ids.map((id) => world().send({ method: 'POST', url, body: { id } })),
      );
      expect(answers.map(({ status }) => status)).toEqual(
        ids.map((id) => (id === UNLUCKY ? 500 : 200)),
      );
      const rows = (await snapshot(world().service))['encounters'] ?? [];
      const made = rows.map((row) => row['document_id']);
      for (const id of ids) expect([id, made.includes(id)]).toEqual([id, id !== UNLUCKY]);
    });
  });

  // PostgreSQL carries each out on a connection of its own.
  if (testDatabase === 'sqlite') {
    test('changes that take long do not all share one turn of the event loop', async () => {
      let turn = 0;
      let isOver = false;
      const turns = (): void => {
        turn += 1;
        if (!isOver) setImmediate(turns);
      };
      const ran: number[] = [];
      const long = function* (): Work<void> {
        ran.push(turn);
        const end = performance.now() + 30;
        while (performance.now() < end);
        yield* ask(sql`select 1`);
      };
      setImmediate(turns);
      try {
        const database = databaseOf(world().service.strapi);
        await Promise.all(Array.from({ length: 10 }, () => database.write(long)));
      } finally {
        isOver = true;
      }
      expect(ran).toHaveLength(10);
      expect(new Set(ran).size).toBeGreaterThan(1);
    });

    test('is carried out by a thread where it is repeatable, and not synced to the disk by itself', async () => {
      const database = databaseOf(world().service.strapi);
      const synced = function* (): Work<unknown> {
        return (yield* ask(sql`pragma synchronous`))[0]?.[0];
      };
      const [NORMAL, FULL] = [1, 2];
      const areRepeatable = [false, true, false, false, true];
      expect(
        await Promise.all(
          areRepeatable.map((isRepeatable) => database.write(synced, { isRepeatable })),
        ),
      ).toEqual(areRepeatable.map((isRepeatable) => (isRepeatable ? NORMAL : FULL)));
      // A statement of a second stops nobody.
      let [turns, isOver] = [0, false];
      const turn = (): void => {
        turns += 1;
        if (!isOver) setImmediate(turn);
      };
      const long = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000000) select count(*) from n`;
      const counted = database.write(() => ask(long), { isRepeatable: true });
      setImmediate(turn);
      expect(await counted).toEqual([[2_000_000]]);
      isOver = true;
      expect(turns).toBeGreaterThan(100);
      await expect(
        database.write(
          function* () {
            yield* ask(sql`select * from none`);
          },
          { isRepeatable: true },
        ),
      ).rejects.toThrow();
      expect(await database.write(synced)).toBe(FULL);
    });
  }
}
