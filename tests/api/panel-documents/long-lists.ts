import { databaseOf, registryOf } from '#app/plugins/objects/server';
import { isSortedByIndex } from '#app/plugins/objects/server/search/conditions/indexed';
import type { Statement } from '#app/plugins/objects/server/database/sql';
import { sql, statementOf } from '#app/plugins/objects/server/database/sql';
import { at, type Json } from '../../helpers/json';
import { documents, type Panel } from '../../helpers/panel';

/** Encounters: more than lists count. */
const MANY = 30_000;

const FIRST = '00000000-0000-4000-8000-';

/** What lists do where there are more documents than they count. */
export function testLongLists(started: () => Panel): void {
  let panel: Panel;
  let seed: Json;
  const isPostgres = (): boolean => panel.service.strapi.db.dialect.client === 'postgres';
  const knex = () => panel.service.strapi.db.connection;

  beforeAll(async () => {
    panel = started();
    seed = await panel.create('encounter', {
      time: '2001',
      locality: 'Everywhere',
      sex: 'male',
    });
    const own = Object.keys(await knex()('encounters').columnInfo());
    const copied = own.filter(
      (name) => !['id', 'document_id', 'group_size', 'state', 'created_at'].includes(name),
    );
    const id = isPostgres()
      ? `'${FIRST}' || lpad(to_hex(n), 12, '0')`
      : `printf('${FIRST}%012x', n)`;
    const at = isPostgres() ? `created_at - n * interval '1 second'` : 'created_at - n * 1000';
    await knex().raw(
      `insert into encounters (document_id, group_size, state, created_at, ${copied.join()})
        with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${MANY})
        select ${id}, n, case when n % 2500 = 0 then 'rejected' else 'approved' end, ${at}, ${copied.join()}
        from numbers join encounters on document_id = ?`,
      [String(seed['documentId'])],
    );
    const kept = Object.keys(await knex()('oms_search_encounters').columnInfo());
    const columns = kept.filter(
      (name) => !['key', 'audience', 'level', 'sort_key', 'cell', 'words', 'marks'].includes(name),
    );
    await knex().raw(
      `insert into oms_search_encounters (key, audience, level, ${columns.join()})
        select 4000000000000000 + id, 0, 0, ${columns.join()} from encounters where document_id like '${FIRST}%'`,
    );
    await knex().raw('analyze');
  });
  // The lists of other tests are short.
  afterAll(async () => {
    for (const table of ['oms_search_encounters', 'encounters'])
      await knex()(table).where('document_id', 'like', `${FIRST}%`).delete();
    await panel.ask('DELETE', `${documents('encounter')}/${String(seed['documentId'])}`);
    await knex().raw('analyze');
  });

  const ask = async (query: string, page = 'page=1&pageSize=20') => {
    const { status, body } = await panel.ask(
      'GET',
      encodeURI(`${documents('encounter')}?${page}&${query}`),
    );
    return { status, body, rows: status === 200 ? (at(body, 'results') as unknown[]) : [] };
  };
  const counted = (body: unknown): unknown => at(body, 'pagination', 'total');

  test('counts to 10,000, tells that there are more, and offers the pages up to there', async () => {
    const { rows, body } = await ask('sort=createdAt:DESC');
    expect(rows).toHaveLength(20);
    expect(at(body, 'pagination')).toEqual({
      page: 1,
      pageSize: 20,
      pageCount: 501,
      total: 10_001,
    });
    const last = await ask('sort=createdAt:DESC', 'page=500&pageSize=20');
    expect(last.rows).toHaveLength(20);
    expect((await ask('sort=createdAt:DESC', 'page=502&pageSize=20')).status).toBe(400);
  });

  test('finds by an index whatever there is, and counts it', async () => {
    const { rows, body } = await ask('sort=createdAt:DESC&filters[$and][0][state][$eq]=rejected');
    expect([rows.length, counted(body)]).toEqual([12, 12]);
    const other = await ask(
      'sort=createdAt:DESC&filters[$and][0][state][$notIn][0]=approved&filters[$and][0][state][$notIn][1]=pending',
    );
    expect(other.rows.map((row) => at(row, 'id'))).toEqual(rows.map((row) => at(row, 'id')));
  });

  test('looks for all else among the first 10,000, and says that there may be more', async () => {
    const near = await ask('sort=createdAt:DESC&filters[$and][0][groupSize][$eq]=77');
    expect([near.rows.length, counted(near.body)]).toEqual([1, 10_002]);
    // What words would narrow, were it asked for alone.
    const either = ['locality][$containsi]=EVERYW', 'externalId][$eq]=none', 'groupSize][$eq]=77'];
    const any = await ask(
      `sort=createdAt:DESC&filters[$and][0][groupSize][$eq]=77&${either.map((one, n) => `filters[$and][1][$or][${n}][${one}`).join('&')}`,
    );
    expect(any.rows).toHaveLength(1);
    const text = 'filters[$and][0][$or][0][locality][$containsi]=EVERYW';
    const all = await ask(
      `sort=createdAt:DESC&${text}&filters[$and][0][$or][1][groupSize][$eq]=77`,
    );
    expect([all.rows.length, counted(all.body)]).toEqual([20, 10_002]);
    const far = await ask(`sort=createdAt:DESC&filters[$and][0][groupSize][$eq]=${MANY - 1}`);
    expect([far.rows.length, counted(far.body)]).toEqual([0, 10_002]);
    const back = await ask(`sort=createdAt:ASC&filters[$and][0][groupSize][$eq]=${MANY - 1}`);
    expect(back.rows).toHaveLength(1);
    const few = `filters[$and][0][state][$eq]=rejected&filters[$and][1][groupSize][$gt]=28000`;
    const narrowed = await ask(`sort=createdAt:DESC&${few}`);
    expect([narrowed.rows.length, counted(narrowed.body)]).toEqual([1, 1]);
  });

  test('sorts few by anything, and many by what has an index', async () => {
    const few = await ask('sort=groupSize:DESC&filters[$and][0][state][$eq]=rejected');
    expect(few.rows.map((row) => at(row, 'groupSize')).slice(0, 2)).toEqual([30_000, 27_500]);
    for (const sort of ['groupSize:DESC', 'taxonomy.scientificName:ASC', 'state:ASC'])
      expect([sort, (await ask(`sort=${sort}`)).status]).toEqual([sort, 400]);
    for (const sort of [
      'time:ASC',
      'time:DESC',
      'createdAt:ASC',
      'updatedAt:DESC',
      'externalId:ASC',
    ])
      expect([sort, (await ask(`sort=${sort}`)).rows.length]).toEqual([sort, 20]);
  });

  test('every type has an index for each time that its lists are sorted by', async () => {
    const { resources } = registryOf(panel.service.strapi).model();
    const database = databaseOf(panel.service.strapi);
    const missing: string[] = [];
    const found: string[] = [];
    for (const resource of resources.values()) {
      if (resource.single !== null) continue;
      const rows = await database.read(database.dialect.leadingColumns(resource.table, false));
      const indexed = new Set(rows.map(([column]) => String(column)));
      for (const field of resource.fields.values()) {
        const [column = ''] = field.columns;
        if (field.kind !== 'instant' || !isSortedByIndex(resource, field)) continue;
        (indexed.has(column) ? found : missing).push(`${resource.type}.${column}`);
      }
    }
    expect(missing).toEqual([]);
    expect(found).toEqual(expect.arrayContaining(['user.created_at', 'user.updated_at']));
  });

  /** What a request asks of the database: by Strapi, and by us. */
  async function statementsOf(request: () => Promise<unknown>) {
    const database = databaseOf(panel.service.strapi);
    const spies = [jest.spyOn(database, 'read'), jest.spyOn(database, 'readApart')];
    const ofStrapi: string[] = [];
    const onQuery = ({ sql: text }: { sql: string }): void => void ofStrapi.push(text);
    knex().on('query', onQuery);
    await request();
    knex().removeListener('query', onQuery);
    const ours = spies.flatMap(({ mock }) => mock.calls.map(([given]) => statementOf(given)));
    for (const spy of spies) spy.mockRestore();
    return { ofStrapi, ours };
  }

  /** How the database carries out a statement. */
  async function planOf({ sql: text, values }: Statement): Promise<string> {
    const explain = isPostgres()
      ? sql`explain (analyze, timing off) ${text}`
      : sql`explain query plan ${text}`;
    const rows = await databaseOf(panel.service.strapi).read({
      sql: explain,
      values,
      isAdHoc: true,
    });
    return rows.map((row) => String(row.at(-1))).join('\n');
  }

  test.each([
    ['opens', 'sort=createdAt:DESC'],
    ['is filtered by a state', 'sort=createdAt:DESC&filters[$and][0][state][$eq]=rejected'],
    ['is filtered by a number', 'sort=createdAt:DESC&filters[$and][0][groupSize][$eq]=77'],
    ['is filtered by a text', 'sort=createdAt:DESC&filters[$and][0][locality][$containsi]=lobo'],
    [
      'is filtered by a taxon',
      'sort=time:DESC&filters[$and][0][taxonomy][scientificName][$eq]=Anas platyrhynchos',
    ],
    ['is searched', 'sort=createdAt:DESC&_q=lobo'],
  ])('a list that %s looks at no more than it counts', async (_, query) => {
    const { ofStrapi, ours } = await statementsOf(() => ask(query));
    const byStrapi = ofStrapi.filter((text) => /\bencounters\b/.test(text));
    for (const text of byStrapi) expect(text).not.toMatch(/count\(|like|lower\(|order by .*limit/i);
    const lists = ours.filter(({ sql: text }) =>
      /\b(oms_search_encounters|encounters o)\b/.test(text.sqlite),
    );
    expect(lists.length).toBeGreaterThan(0);
    for (const statement of lists) {
      const plan = await planOf(statement);
      if (isPostgres())
        for (const [, rows] of plan.matchAll(/actual rows=(\d+) loops=1\b/g))
          expect([plan, Number(rows) <= 10_001]).toEqual([plan, true]);
      else expect(plan).not.toMatch(/SCAN (o|encounters)\b(?! USING (COVERING )?INDEX)/);
    }
  });
}
