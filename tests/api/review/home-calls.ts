import { sql } from '#app/plugins/objects/server/database/sql';
import { databaseOf } from '#app/plugins/objects/server';
import { newAccount, type TestAccount } from '../../helpers/accounts';
import { uuid } from '../../helpers/ids';
import { at, type Json } from '../../helpers/json';
import { askPanel, panelOf, type Panel } from '../../helpers/panel';
import type { World } from '../../helpers/world';

const CALLS = [
  ['GET', '/panel/home/waiting', 200],
  ['GET', '/panel/home/changes?since=0', 200],
  ['GET', '/panel/home/installation', 403],
  ['POST', '/panel/home/test-mail', 403],
] as const;

/** What the panel's first page calls, on a shared service. @param encounterIn makes one in a state */
export function describeHomeCalls(
  world: () => World,
  encounterIn: (state: 'pending' | 'approved' | 'rejected') => Promise<string>,
): void {
  let moderator: TestAccount;
  let panel: Panel;
  beforeAll(async () => {
    moderator = await newAccount(world().service, 'moderator');
    panel = await panelOf(world().service, moderator);
  });

  const ask = async (path: string): Promise<Json> =>
    at((await panel.ask('GET', `/panel/home/${path}`)).body, 'data') as Json;
  const change = (id: string, locality: string, as = panel) =>
    as.ask('POST', '/panel/api/batch', {
      operations: [{ op: 'update', type: 'encounter', id, body: { locality } }],
    });

  test.each(CALLS)(
    '%s %s is for a moderator %s, and for nobody without a session',
    async (...of) => {
      const [method, url, status] = of;
      expect((await askPanel(world().service, undefined, method, url)).status).toBe(401);
      expect((await panel.ask(method, url)).status).toBe(status);
    },
  );

  test('an administrator is told how the service is', async () => {
    const administrator = await newAccount(world().service, 'administrator');
    const theirs = await panelOf(world().service, administrator);
    const { body } = await theirs.ask('GET', '/panel/home/installation');
    const lines = at(body, 'data', 'lines') as readonly Json[];
    expect(lines).toEqual(
      expect.arrayContaining([
        { about: 'database', level: 'ok', values: {} },
        { about: 'storage', level: 'ok', values: {} },
        expect.objectContaining({ about: 'room' }),
      ]),
    );
    expect(at(body, 'data', 'versions', 'database')).toMatch(/^(SQLite|PostgreSQL) \d/);
  });

  test('what waits is counted by its authors', async () => {
    const before = (await ask('waiting'))['count'] as number;
    const id = await encounterIn('pending');
    await encounterIn('approved');
    await panel.ask('PUT', `/panel/second-looks/${id}`);
    const now = await ask('waiting');
    expect(now).toMatchObject({ count: before + 1, secondLooks: 1, furtherAuthors: 0 });
    const counts = (now['authors'] as readonly { readonly count: number }[]).map(
      ({ count }) => count,
    );
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(before + 1);
    expect(counts).toEqual(counts.toSorted((a, b) => b - a));
  });

  test.each(['', '?since=yesterday', '?since=1&since=2', '?since=-1'])(
    'changes without a time are refused: %s',
    async (query) => {
      expect((await panel.ask('GET', `/panel/home/changes${query}`)).status).toBe(400);
    },
  );

  test('what others have changed is told, and after its approval once more', async () => {
    const colleague = await newAccount(world().service, 'moderator');
    const theirs = await panelOf(world().service, colleague);
    const since = Date.now();
    const [approved, pending] = [await encounterIn('approved'), await encounterIn('pending')];
    for (const id of [approved, pending]) await change(id, 'Lobo', theirs);
    await change(pending, 'Seronera');
    const { byOthers, afterApproval } = await ask(`changes?since=${since}`);
    const isNamed = { by: colleague.name, action: 'update', uid: 'api::encounter.encounter' };
    const idsOf = (found: unknown): readonly unknown[] =>
      (at(found, 'records') as readonly Json[]).map(({ id }) => id);
    expect(byOthers).toMatchObject({ isAll: true, records: [isNamed, isNamed] });
    expect(idsOf(byOthers)).toEqual([pending, approved]);
    expect(idsOf(afterApproval)).toContain(approved);
    expect(idsOf(afterApproval)).not.toContain(pending);
    expect(await ask(`changes?since=${Date.now()}`)).toMatchObject({
      byOthers: { records: [], count: 0, isAll: true },
    });
  });

  test('of very many changes not all are looked at, and that is said', async () => {
    const database = databaseOf(world().service.strapi);
    const at = Date.now() + 3_600_000;
    const rows = Array.from({ length: 5001 }, (_, n) => ({
      ...{ id: uuid(n), type: 'encounter', object: uuid(n), version: 1, at, action: 'create' },
      ...{ actor_kind: 'import', actor_id: null, actor_name: null, changes: '[]' },
    }));
    const knex = world().service.strapi.db.connection;
    await knex.batchInsert('oms_history', rows, 50);
    expect((await ask('changes?since=0'))['byOthers']).toEqual({
      ...{ records: [], count: 0, isAll: false },
    });
    await knex('oms_history').where({ at }).delete();
    expect(await database.read(sql`select 1 from oms_history where at = ${at}`)).toEqual([]);
  });
}
