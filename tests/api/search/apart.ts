/** Searches that may take long: apart from reads, and ended when nobody waits for them. */
import { databaseOf } from '#app/plugins/objects/server';
import type { Database } from '#app/plugins/objects/server/database/database';
import { sql, type Statement } from '#app/plugins/objects/server/database/sql';
import { request as httpRequest } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { testDatabase } from '../../helpers/database';
import { at, parsed } from '../../helpers/json';
import type { World } from '../../helpers/world';
import { authorizationOf } from '../../helpers/callers';
import { testFacet } from './facet';
import { testPartitions } from './partitions';
import { testPlans } from './plans';

/** Takes minutes. */
const LONG = {
  sqlite: sql`with recursive c(n) as (select 1 union all select n + 1 from c where n < 100000000000) select count(*) from c`,
  postgres: sql`select pg_sleep(600)`,
};

const FILLERS = 2_100;

/** Below the keys of all objects, those without a time too. */
const FILLER_KEYS = -(2 ** 40);

/** Adds rows that nobody finds, so many that no search is known to look at few rows. */
export const FILL = `with recursive c(n) as (select 1 union all select n + 1 from c where n < ${FILLERS})
  insert into oms_search_encounters (key, id, document_id, audience, level, state)
  select ${FILLER_KEYS} - n, -n, 'none', 1, 0, 'rejected' from c`;

export async function addFillers(world: World): Promise<void> {
  await world.service.strapi.db.connection.raw(FILL);
}

export const dropFillers = (world: World): Promise<unknown> =>
  world.service.strapi.db.connection('oms_search_encounters').where('id', '<', 0).delete();

export function testApart(world: () => World): void {
  const database = (): Database => databaseOf(world().service.strapi);
  const headers = authorizationOf('moderator');

  /** A search whose statement takes minutes, and what has become of the statement. */
  function searchLong(): { close: () => void; begun: Promise<void>; ended: Promise<unknown> } {
    const own = database();
    const readApart = own.readApart.bind(own);
    let hasBegun: () => void;
    const begun = new Promise<void>((resolve) => (hasBegun = resolve));
    const ended = new Promise<unknown>((resolve) => {
      jest.spyOn(own, 'readApart').mockImplementationOnce(async (_, turn) => {
        hasBegun();
        try {
          return await readApart(own.isShared ? LONG.postgres : LONG.sqlite, turn);
        } catch (error) {
          resolve(error);
          throw error;
        }
      });
    });
    const sent = httpRequest(`${world().service.url}/api/v0/search/encounter?q=zebra`, { headers });
    sent.on('error', () => undefined).end();
    return { close: () => sent.destroy(), begun, ended };
  }

  describe('a search that may take long', () => {
    beforeAll(() => addFillers(world()));
    afterAll(() => dropFillers(world()));
    afterEach(() => jest.restoreAllMocks());

    testPlans(world);
    testFacet(world);
    testPartitions(world);

    test('is ended when its client hangs up', async () => {
      const { close, begun, ended } = searchLong();
      await begun;
      // So that the database is at work.
      await setTimeout(300);
      close();
      expect(database().wasEnded(await ended)).toBe(true);
    });

    test('keeps no read waiting, and the next search has its turn after it', async () => {
      const url = '/api/v0/search/taxonomy?limit=1';
      const [id] = at(
        parsed((await world().send({ method: 'GET', url, headers })).text),
        'matches',
      ) as string[];
      const { close, begun, ended } = searchLong();
      let isOver = false;
      void ended.then(() => (isOver = true));
      await begun;
      const statuses: number[] = [];
      for (const path of ['search/org', `taxonomy/${id}`]) {
        const answer = await world().send({ method: 'GET', url: `/api/v0/${path}`, headers });
        statuses.push(answer.status);
      }
      expect([statuses, isOver]).toEqual([[200, 200], false]);
      const search = world().send({ method: 'GET', url: '/api/v0/search/encounter?q=x', headers });
      close();
      await ended;
      expect((await search).status).toBe(200);
    });

    test('is refused when it has taken too long', async () => {
      const own = database();
      const { close, begun, ended } = searchLong();
      await begun;
      close();
      const error = await ended;
      jest.spyOn(own, 'readApart').mockRejectedValueOnce(error);
      const url = '/api/v0/search/encounter?q=zebra';
      const answer = await world().send({ method: 'GET', url, headers });
      expect([answer.status, at(parsed(answer.text), 'message', 'key')]).toEqual([
        503,
        'API_RESPONSE_SEARCH_TOO_SLOW',
      ]);
    });

    test('runs where reads run when a condition has few rows', async () => {
      const apart = jest.spyOn(database(), 'readApart');
      const search = async (query: string): Promise<number> => {
        apart.mockClear();
        const url = `/api/v0/search/encounter?${query}`;
        expect(await world().send({ method: 'GET', url, headers })).toMatchObject({ status: 200 });
        return apart.mock.calls.length;
      };
      // What begins with the word may be looked up apart, unless that has just been done; what is found by it is not.
      expect(await search('country_code=TZ&q=zebr')).toBeLessThanOrEqual(1);
      expect(await search('time_min=2021&time_max=2022&sex=male')).toBe(0);
      expect(await search('location_id_under=africa&sort=-time')).toBe(0);
      for (const query of ['sex=male', 'state=rejected', 'q=zebra', '', 'country_code_not=TZ'])
        expect(await search(query)).toBeGreaterThan(0);
    });

    test('meets the rows of an index in the order of the page', async () => {
      const event = 'event_id=6f1c1c1e-0b52-4d0c-9d53-3f8a3b7f0a11';
      const [, event_id] = event.split('=');
      const ids = new Map<string, string>();
      for (const time of ['2001-01-01', '2004-01-01', '2002-01-01', '2005-01-01', '2003-01-01']) {
        const request = { method: 'POST', url: '/api/v0/encounter', headers };
        const { text } = await world().send({ ...request, body: { time, event_id } });
        ids.set(time, String(at(parsed(text), 'response', 'id')));
      }
      const url = `/api/v0/search/encounter?${event}&sort=-time&count=none&limit=2`;
      const { text } = await world().send({ method: 'GET', url, headers });
      expect(at(parsed(text), 'matches')).toEqual([ids.get('2005-01-01'), ids.get('2004-01-01')]);
      for (const id of ids.values())
        await world().send({ method: 'DELETE', url: `/api/v0/encounter/${id}`, headers });
    });

    // PostgreSQL knows by itself how few there are.
    if (testDatabase === 'sqlite')
      test('sorts what is found in a span of time by ID, and goes through no index of all IDs', async () => {
        const calls = [jest.spyOn(database(), 'read'), jest.spyOn(database(), 'readApart')];
        const url = '/api/v0/search/encounter?time_min=2021-06-01&time_max=2021-06-02&limit=2';
        await world().send({ method: 'GET', url, headers });
        const statements = calls.flatMap(({ mock }) => mock.calls.map(([statement]) => statement));
        const spans = statements.filter(
          (one): one is Statement => 'values' in one && /order by [ck]0/.test(one.sql.sqlite),
        );
        expect(spans).not.toEqual([]);
        for (const { sql: text, values } of spans) {
          const explain = sql`explain query plan ${text}`;
          const steps = await database().read({ sql: explain, values, isAdHoc: true });
          expect(steps.map((step) => String(step[3])).join('\n')).not.toContain('document_ix');
        }
      });

    test.each([
      '',
      'sex=male',
      'q=zebra',
      'q=z',
      'country_code_not=TZ',
      'country_code=TZ',
      'q=zebra&country_code=TZ&sex=male',
      'q=zebra&bbox=-180,-90,180,90&state=pending',
      'count=exact&state=approved&sort=-time,created_at',
      'count=none&q=zebra&near=0,0,9000&sort=-time',
    ])('takes few statements for a page, and one for what it includes: %s', async (query) => {
      const url = `/api/v0/search/encounter?${query}&limit=25&expand=true`;
      const calls = [jest.spyOn(database(), 'read'), jest.spyOn(database(), 'readApart')];
      const statementsOf = async (path: string): Promise<number> => {
        for (const call of calls) call.mockClear();
        const answer = await world().send({ method: 'GET', url: path, headers });
        expect(answer).toMatchObject({ status: 200 });
        return calls.reduce((sum, call) => sum + call.mock.calls.length, 0);
      };
      // What works in the background may read at the same time. After the first, it is known that there are many rows.
      const least = async (path: string): Promise<number> => {
        const numbers: number[] = [];
        for (let n = 0; n < 8; n += 1) numbers.push(await statementsOf(path));
        return Math.min(...numbers);
      };
      const alone = await least(url);
      // The number decides over the page, which PostgreSQL is asked for by itself.
      expect(alone).toBeLessThanOrEqual(testDatabase === 'sqlite' ? 3 : 4);
      expect(await least(`${url}&include=owner,taxonomy,individual`)).toBeLessThanOrEqual(
        alone + 1,
      );
    });
  });
}
