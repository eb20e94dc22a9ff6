import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { copyApp, type AppCopy } from '../../helpers/app-copy';
import { execute, query } from '../../helpers/beside';
import { freshDatabase, testDatabase, type FreshDatabase } from '../../helpers/database';
import { uuid } from '../../helpers/ids';
import type { Json } from '../../helpers/json';
import { runScript, type ServiceProcess } from '../../helpers/process';
import { until } from '../../helpers/until';
import { exampleWith, manyAnimals, startImport } from '../../import/example';

type Start = (env: FreshDatabase['env'], app: string) => Promise<ServiceProcess>;

const root = join(__dirname, '..', '..', '..');

const ANIMALS = 10_000;
const ADMINISTRATOR = { email: 'operator@people.example.org', password: 'a good one of mine' };

/** Encounters share one of few of these. */
const EVENTS = 7;
const NEW_EVENT = uuid(0xe9);

/** A cell of the sea, in which there is nothing else. */
const BOX = 'bbox=-30.5,-30.5,-29.5,-29.5';

interface Answer {
  readonly status: number;
  readonly key: string;
  readonly retryAfter: string | null;
  readonly total: number;
}

/** A search column is added, then a rule of privacy becomes stricter: on one database, with 10,000 encounters. */
export function testVersions(start: Start): void {
  let database: FreshDatabase;
  let copy: AppCopy;
  let running: ServiceProcess;
  let session = '';
  let env: FreshDatabase['env'];
  beforeAll(async () => {
    database = await freshDatabase();
    copy = copyApp();
    env = {
      ...database.env,
      OMS_ADMIN_EMAIL: ADMINISTRATOR.email,
      OMS_ADMIN_PASSWORD: ADMINISTRATOR.password,
      LIMIT_READS: '0',
    };
    const folder = exampleWith(...manyAnimals(ANIMALS));
    expect(await startImport([folder], database.env).ended).toBe(0);
    await execute(
      database,
      `update encounters set event_id = '${uuid(0).slice(0, -1)}' || (id % ${EVENTS});
       update site_settings set readers = 'anyone', tell_hidden = 'at_once'`,
    );
  }, 60_000);
  afterAll(async () => {
    running?.child.kill('SIGKILL');
    copy?.remove();
    await database?.drop();
  });

  const send = (method: string, path: string, body?: object): Promise<Response> =>
    fetch(`${running.url}/api/v0/${path}`, {
      method,
      headers: {
        ...(session === '' ? {} : { Authorization: `Bearer ${session}` }),
        ...(body ? { 'Content-Type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  const written = async (method: string, path: string, body: object): Promise<string> => {
    const answer = await send(method, path, body);
    const text = await answer.text();
    expect([method, path, answer.status, text]).toEqual([method, path, 200, text]);
    return String((JSON.parse(text) as { response: Json }).response['id']);
  };
  /** @param as a session, empty for a stranger */
  const search = async (parameters: string, as = session): Promise<Answer> => {
    const headers = new Headers(as === '' ? {} : { Authorization: `Bearer ${as}` });
    const url = `${running.url}/api/v0/search/encounter?count=exact&limit=1&${parameters}`;
    const answer = await fetch(url, { headers });
    const { response, message } = (await answer.json()) as {
      response: { total?: number };
      message?: { key: string };
    };
    return {
      status: answer.status,
      key: message?.key ?? '',
      retryAfter: answer.headers.get('Retry-After'),
      total: response.total ?? -1,
    };
  };
  const counted = async (where: string): Promise<number> => {
    const [row] = await query(database, `select count(*) as n from encounters where ${where}`);
    return Number(row?.['n']);
  };
  /** How far the version that is being filled has come; null without one. */
  const position = async (): Promise<number | null> => {
    const rows = await query(
      database,
      `select position from oms_projections where state = 'building'`,
    );
    return rows[0] ? Number(rows[0]['position']) : null;
  };
  const logIn = async (): Promise<void> => {
    const { email: username, password } = ADMINISTRATOR;
    const answer = await send('POST', 'login', { username, password });
    const { response } = (await answer.json()) as { response: { cookie: string } };
    session = response.cookie;
  };
  const check = async (): Promise<string> => {
    const run = await runScript('check', database.env, [], copy.options.appDir);
    await run.ended;
    return run.output();
  };

  const NOT_READY = { status: 503, key: 'API_RESPONSE_NOT_READY', retryAfter: '10' };

  /** Changes of each kind, of objects that are done already, and of those that are not. */
  async function change(round: number): Promise<void> {
    const rows = await query(
      database,
      'select document_id as id from encounters order by id limit 3',
    );
    const last = await query(
      database,
      'select document_id as id from encounters order by id desc limit 3',
    );
    const changes = [rows, last].flatMap((some) => {
      const [first, second, third] = some.map(({ id }) => String(id));
      const marked = { event_id: NEW_EVENT, remarks: `round${round}` };
      return [
        written('PUT', `encounter/${first}`, marked),
        written('PUT', `encounter/${second}`, { location_privacy: 'private' }),
        send('DELETE', `encounter/${third}`),
      ];
    });
    await Promise.all([
      ...changes,
      written('POST', 'encounter', { event_id: NEW_EVENT, sex: 'female' }),
    ]);
  }

  if (testDatabase === 'postgres')
    test('an older server writes nothing of a version that it does not know, and refuses', async () => {
      copy.addSearched('event_id');
      const older = await start(env, root);
      running = older;
      await logIn();
      const [row] = await query(database, 'select document_id as id from encounters limit 1');
      const statuses: number[] = [];
      const writing = (async () => {
        while (statuses.at(-1) !== 503) {
          const answer = await fetch(`${older.url}/api/v0/encounter/${String(row?.['id'])}`, {
            method: 'PUT',
            headers: { Authorization: `Bearer ${session}`, 'Content-Type': 'application/json' },
            body: JSON.stringify({ remarks: `by the older one ${statuses.length}` }),
          });
          statuses.push(answer.status);
          await answer.arrayBuffer();
        }
      })();
      running = await start(env, copy.options.appDir);
      await writing;
      expect(statuses[0]).toBe(200);
      expect(statuses.filter((status) => ![200, 503].includes(status))).toEqual([]);
      expect((await fetch(`${older.url}/_health`)).status).toBe(200);
      expect((await fetch(`${older.url}/_health/ready`)).status).toBe(503);
      expect((await fetch(`${older.url}/api/v0/search/encounter`)).status).toBe(503);
      const told = `${older.output()}${older.errors()}`;
      expect(told.match(/a later release has migrated the database \(projections\)/g)).toHaveLength(
        1,
      );
      for (const { child } of [older, running]) child.kill('SIGKILL');
      await Promise.all([older.ended, running.ended]);
    }, 60_000);

  test('a column is added while the service runs, and is killed twice: nothing is lost, and nothing is wrong meanwhile', async () => {
    if (testDatabase === 'sqlite') copy.addSearched('event_id');
    const positions: number[] = [];
    for (let round = 0; round < 2; round += 1) {
      running = await start(env, copy.options.appDir);
      if (session === '') await logIn();
      await change(round);
      expect(await search(`event_id=${NEW_EVENT}`)).toMatchObject(NOT_READY);
      const found = await search('sex=female');
      expect([found.status, found.total]).toEqual([200, await counted(`sex = 'female'`)]);
      const strangers = await search(`q=round${round}`, '');
      expect([strangers.status, strangers.total]).toEqual([200, 2]);
      await until('a part is done', async () => Number(await position()) > (positions.at(-1) ?? 0));
      // No lock is left behind, either.
      running.child.kill('SIGKILL');
      expect(await running.ended).toBe('SIGKILL');
      const reached = await position();
      expect(reached).toBeLessThan(ANIMALS);
      positions.push(Number(reached));
    }
    expect(positions[1]).toBeGreaterThan(positions[0] ?? 0);
    running = await start(env, copy.options.appDir);
    await change(2);
    await until('all is done', async () => (await position()) === null, 50);
    await until('it is read', async () => (await search(`event_id=${NEW_EVENT}`)).status === 200);
    await change(3);
    for (const id of [NEW_EVENT, ...[1, 2, 3].map((n) => uuid(n))]) {
      const { total } = await search(`event_id=${id}`);
      expect([id, total]).toEqual([id, await counted(`event_id = '${id}'`)]);
      expect(total).toBeGreaterThan(0);
    }
    expect(await check()).toMatch(/^projections: 0$/m);
  }, 120_000);

  test('a stricter rule is shipped: strangers find nothing that it hides, from its first moment on', async () => {
    const place = { latitude: -30, longitude: -30, coordinate_uncertainty: 10 };
    await written('POST', 'encounter', { ...place, location_privacy: 'obscured' });
    expect(await search(BOX, '')).toMatchObject({ status: 200, total: 1 });
    running.child.kill('SIGTERM');
    await running.ended;
    // What is open is told as what is private, so that all have rows for other audiences than before.
    for (const before of ['row.privacy), ', '?? '])
      copy.change('encounter/privacy.js', `${before}views_1.EXACT`, `${before}'private'`);
    copy.change(
      'encounter/privacy.js',
      /const toldAs = [^;]*;/,
      "const toldAs = () => ['private', 'private'];",
    );
    const [changed] = await query(
      database,
      `select document_id as id from encounters where location_privacy is null order by id limit 1`,
    );
    running = await start(env, copy.options.appDir);
    const answers: Answer[] = [];
    for (let isBuilding = true; isBuilding; await sleep(100)) {
      isBuilding = (await position()) !== null;
      answers.push(await search(BOX, ''));
      expect(await search(BOX)).toMatchObject({ status: 200, total: 1 });
      await written('PUT', `encounter/${String(changed?.['id'])}`, {
        sex: answers.length % 2 === 0 ? 'female' : 'male',
      });
      expect((await search('sex=female')).total).toBe(await counted(`sex = 'female'`));
    }
    await until('it is read', async () => {
      answers.push(await search(BOX, ''));
      return answers.at(-1)?.status === 200;
    });
    expect(answers.filter(({ total }) => total > 0)).toEqual([]);
    expect(answers[0]).toMatchObject(NOT_READY);
    expect(answers.at(-1)).toMatchObject({ status: 200, total: 0 });
    expect(await check()).toMatch(/^projections: 0$/m);
    // The earlier table is written for some time more, then it goes.
    const versions = () => query(database, 'select table_name from oms_projections');
    expect(await versions()).toHaveLength(2);
    await written('POST', 'encounter', { sex: 'male' });
    await execute(database, `update oms_projections set since = 0 where state = 'retired'`);
    await until('it is gone', async () => (await versions()).length === 1);
    await written('POST', 'encounter', { sex: 'male' });
    const found = await search('sex=male');
    expect([found.status, found.total]).toEqual([200, await counted(`sex = 'male'`)]);
    running.child.kill('SIGTERM');
    expect(await running.ended).toBe(0);
  }, 120_000);
}
