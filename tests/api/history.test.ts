// @databases sqlite postgres
import { importer, type Role } from '#app/core/caller';
import { createCursors } from '#app/plugins/objects/server/history/cursor';
import { objectsOf } from '#app/plugins/objects/server';
import { ACCOUNTS, authorizationOf, openToRoles } from '../helpers/callers';
import {
  askHistory,
  changed,
  historyPage,
  storeHistory,
  walkHistory,
  type Entry,
  type Headers,
  type HistoryPage,
} from '../helpers/history';
import type { Answer } from '../helpers/http';
import { uuid } from '../helpers/ids';
import { at, parsed, type Json } from '../helpers/json';
import { documents, form, panelOf } from '../helpers/panel';
import { bearer, login, makePerson, type Person } from '../helpers/people';
import { until } from '../helpers/until';
import { photograph, uploadRequest } from '../helpers/upload';
import { useWorld } from '../helpers/world';
import { testRefusedSearches } from './history/refused-searches';

/** One registration per hour, so that the second one meets a limit. */
const world = useWorld({ env: { LIMIT_REGISTRATIONS: '1' } });

let owner: Person;
let asOwner: Headers;
const as = (role: Role): Headers => authorizationOf(role);

const ask = (path: string, headers: Headers): Promise<Answer> => askHistory(world(), path, headers);
const pageOf = (path: string, headers: Headers): Promise<HistoryPage> =>
  historyPage(world(), path, headers);
const historyOf = async (type: string, id: string, headers: Headers): Promise<readonly Entry[]> =>
  (await pageOf(`${type}/${id}/history`, headers)).history;
const walk = (path: string, headers: Headers, between?: () => Promise<unknown>) =>
  walkHistory(world(), path, headers, between);

async function send(method: string, path: string, headers: Headers, body?: Json): Promise<string> {
  const request = { method, url: `/api/v0/${path}`, headers };
  const { status, text } = await world().send(body ? { ...request, body } : request);
  expect([status, text]).toEqual([200, expect.any(String)]);
  return String(at(parsed(text), 'response', 'id'));
}

const knex = () => world().service.strapi.db.connection;
const store = (entries: readonly Json[]): Promise<void> => storeHistory(world().service, entries);

beforeAll(async () => {
  await openToRoles(world().service);
  owner = await makePerson(world().service);
  asOwner = bearer(await login(world(), owner));
});

describe('the history of an object', () => {
  let id = '';
  let pending = '';
  let moderator: Person;
  beforeAll(async () => {
    moderator = await makePerson(world().service, { role: 'moderator' });
    id = await send('POST', 'encounter', asOwner, { time: '2021', tags: ['One'] });
    await objectsOf(world().service.strapi).write(
      { op: 'update', type: 'encounter', id, body: { source: 'survey', time: '2021-06' } },
      importer('Survey of 2021'),
    );
    const panel = await panelOf(world().service, moderator);
    const saved = form(await panel.open('encounter', id), { submitterEmail: 'a@example.org' });
    expect((await panel.ask('PUT', `${documents('encounter')}/${id}`, saved)).status).toBe(200);
    await send('PUT', `encounter/${id}`, as('moderator'), { tags: [], sex: 'male' });
  });

  test('tells who changed what by API, import and panel alike, the newest first', async () => {
    const { history, next } = await pageOf(`encounter/${id}/history`, as('moderator'));
    const entry = (version: number, actor: Json, changes: Json): Json => ({
      ...{ version, actor, changes, action: version === 1 ? 'create' : 'update' },
    });
    const told = history.map((one) => ({
      ...{ version: one.version, actor: one.actor, changes: changed(one), action: one.action },
    }));
    const by = (kind: string, id: string | null, name: string): Json => ({ kind, id, name });
    const edited = { tags: [['one'], []], sex: [null, 'male'] };
    const imported = { time: ['2021', '2021-06'], source: [null, 'survey'] };
    const saved = { submitter_email: [null, 'a@example.org'] };
    expect(told).toEqual([
      entry(4, by('user', ACCOUNTS.moderator, 'A moderator'), edited),
      entry(3, by('user', moderator.id, moderator.name), saved),
      entry(2, by('import', null, 'Survey of 2021'), imported),
      { ...entry(1, by('user', owner.id, owner.name), {}), changes: expect.any(Object) as Json },
    ]);
    expect(changed(history[3] as Entry)).toMatchObject({
      owner: [null, owner.id],
      time: [null, '2021'],
      tags: [[], ['one']],
      state: [null, 'approved'],
    });
    for (const { object, type } of history) expect([object, type]).toEqual([id, 'encounter']);
    const times = history.map((entry) => entry.at);
    expect(times).toEqual([...times].sort().reverse());
    expect(Date.now() - Date.parse(times[0] ?? '')).toBeLessThan(60_000);
    expect(next).toBeNull();
  });

  test('has for each caller the fields that it sees, and every version', async () => {
    const [seen, whole] = [
      await historyOf('encounter', id, asOwner),
      await historyOf('encounter', id, as('administrator')),
    ];
    expect(seen.map(({ version }) => version)).toEqual([4, 3, 2, 1]);
    expect(seen.map(({ changes }) => changes.length === 0)).toEqual([false, true, false, false]);
    expect(whole[1]?.changes).toHaveLength(1);
    expect(seen[0]).toEqual(whole[0]);
  });

  test.each([
    ['its owner', () => asOwner, 200],
    ['a stranger', () => as('user'), 403],
    ['a moderator', () => as('moderator'), 200],
    ['an administrator', () => as('administrator'), 200],
    ['nobody', () => ({}), 401],
  ] as const)('is answered to %s', async (_, headers, status) => {
    expect((await ask(`encounter/${id}/history`, headers())).status).toBe(status);
    expect((await ask(`encounter/${id}/history?nope=1`, headers())).status).toBe(
      status === 200 ? 400 : status,
    );
  });

  test.each([
    ['that the caller may not read', 'encounter', (): string => pending],
    ['that does not exist', 'encounter', (): string => uuid(0xdead)],
    ['that has no ID', 'encounter', (): string => 'x'],
    ['of another type', 'taxonomy', (): string => id],
  ] as const)('of one %s is not there', async (_, type, of) => {
    expect((await ask(`${type}/${of()}/history`, as('user'))).status).toBe(402);
    expect((await ask(`${type}/${of()}/history`, {})).status).toBe(401);
  });
  beforeAll(async () => {
    pending = await send('POST', 'encounter', asOwner, {});
    await knex()('encounters').where({ document_id: pending }).update('state', 'pending');
  });

  test('is that of its type, where an object of another type has the same ID', async () => {
    const same = await send('POST', 'encounter', asOwner, {});
    for (const n of [2, 3, 4])
      await send('PUT', `encounter/${same}`, asOwner, { remarks: `remark ${n}` });
    await send('POST', 'taxonomy', as('moderator'), { id: same, scientific_name: 'Namesake' });
    expect(await historyOf('encounter', same, asOwner)).toHaveLength(4);
    expect(await historyOf('taxonomy', same, as('moderator'))).toHaveLength(1);
    expect((await ask(`taxonomy/${same}/history`, asOwner)).status).toBe(403);
  });

  test('of an asset is for its owner and moderators', async () => {
    const answer = await world().send(uploadRequest({ bytes: await photograph() }, asOwner));
    const asset = String(at(parsed(answer.text), 'response', 'id'));
    expect((await ask(`asset/${asset}/history`, as('user'))).status).toBe(402);
    const [made] = await historyOf('asset', asset, as('moderator'));
    expect(Object.keys(changed(made as Entry))).toEqual(
      expect.arrayContaining(['filename', 'sha256', 'size', 'width']),
    );
    expect(JSON.stringify(made)).not.toContain('file_key');
    expect(JSON.stringify(made)).not.toContain('thumbnail_size');
  });
});

describe('the history of a user', () => {
  let person: Person;
  let asPerson: Headers;
  beforeAll(async () => {
    person = await makePerson(world().service, { username: 'historic' });
    asPerson = bearer(await login(world(), person));
    await send('PUT', `user/${person.id}`, as('administrator'), {
      email: 'new@history.example.org',
      username: 'historian',
      role: 'moderator',
      affiliation: 'Zoo',
      password: 'correct horse battery 7',
    });
    await send('PUT', `user/${person.id}`, as('administrator'), { role: 'user', blocked: true });
    await send('PUT', `user/${person.id}`, as('administrator'), { blocked: false });
    asPerson = bearer(
      await login(world(), {
        email: 'new@history.example.org',
        password: 'correct horse battery 7',
      }),
    );
  });

  const OF_A_PERSON = ['affiliation', 'email', 'password', 'role'];
  test.each([
    ['the person', () => asPerson, ['email_verified', 'username']],
    ['a moderator', () => as('moderator'), []],
    ['an administrator', () => as('administrator'), ['blocked', 'email_verified', 'username']],
  ] as const)('has for %s the fields that are for it', async (_, headers, fields) => {
    const history = await historyOf('user', person.id, headers());
    expect(history.map(({ version }) => version)).toEqual([4, 3, 2]);
    const paths = history.flatMap((entry) => Object.keys(changed(entry)));
    expect([...new Set(paths)].sort()).toEqual([...OF_A_PERSON, ...fields].sort());
    expect(history[2]?.changes).toContainEqual({ path: 'password' });
    expect(JSON.stringify(history)).not.toMatch(/argon|correct horse/);
    expect(changed(history[2] as Entry)).toMatchObject({ role: ['user', 'moderator'] });
  });

  test('is not for other users', async () => {
    expect((await ask(`user/${person.id}/history`, asOwner)).status).toBe(403);
    expect((await ask(`user/${ACCOUNTS.user}/history`, as('user'))).status).toBe(200);
  });

  test('does not name what the person may not read any more', async () => {
    const [stays, goes] = [
      await send('POST', 'encounter', asOwner, {}),
      await send('POST', 'encounter', asOwner, {}),
    ];
    const follower = await makePerson(world().service);
    const asFollower = bearer(await login(world(), follower));
    await send('PUT', `user/${follower.id}`, asFollower, { followed_encounters: [stays, goes] });
    const followed = async (headers: Headers): Promise<unknown> =>
      changed((await historyOf('user', follower.id, headers))[0] as Entry)['followed_encounters'];
    expect(await followed(asFollower)).toEqual([[], [stays, goes]]);
    await knex()('encounters').where({ document_id: goes }).update('state', 'pending');
    expect(await followed(asFollower)).toEqual([[], [stays, null]]);
    expect(await followed(as('administrator'))).toEqual([[], [stays, goes]]);
  });
});

describe('the history of a deleted object', () => {
  test('is for administrators', async () => {
    const id = await send('POST', 'encounter', asOwner, { remarks: 'brief' });
    await send('DELETE', `encounter/${id}`, asOwner);
    const path = `encounter/${id}/history`;
    for (const headers of [asOwner, as('user'), as('moderator')])
      expect((await ask(path, headers)).status).toBe(402);
    expect((await ask(path, {})).status).toBe(401);
    const history = await historyOf('encounter', id, as('administrator'));
    expect(history.map(({ action, version }) => [action, version])).toEqual([
      ['delete', 1],
      ['create', 1],
    ]);
    expect(changed(history[0] as Entry)).toMatchObject({ remarks: ['brief', null] });
    const { history: rest } = await pageOf(
      `${path}?limit=1&cursor=${(await pageOf(`${path}?limit=1`, as('administrator'))).next}`,
      as('administrator'),
    );
    expect(rest.map(({ action }) => action)).toEqual(['create']);
  });

  test('that was a person is not that of an object of another type with its ID', async () => {
    const { id } = await makePerson(world().service);
    await send('POST', 'encounter', asOwner, { id });
    await send('PUT', `user/${id}`, as('administrator'), { affiliation: 'Zoo' });
    await send('DELETE', `user/${id}`, as('administrator'));
    expect(await historyOf('encounter', id, asOwner)).toHaveLength(1);
    expect((await ask(`user/${id}/history`, as('administrator'))).status).toBe(402);
  });

  test('that was a person is erased, and the person in the history of others', async () => {
    const person = await makePerson(world().service);
    const asPerson = bearer(await login(world(), person));
    const id = await send('POST', 'encounter', asPerson, { remarks: 'stays' });
    await send('PUT', `user/${person.id}`, asPerson, { affiliation: 'Zoo' });
    await send('DELETE', `user/${person.id}`, as('administrator'));
    for (const headers of [as('moderator'), as('administrator')])
      expect((await ask(`user/${person.id}/history`, headers)).status).toBe(402);
    const [freed, made] = await historyOf('encounter', id, as('moderator'));
    expect([freed?.actor, made?.actor]).toEqual([
      { kind: 'user', id: ACCOUNTS.administrator, name: 'A administrator' },
      { kind: 'user', id: null, name: null },
    ]);
    expect(changed(freed as Entry)).toEqual({ owner: [null, null] });
    expect(changed(made as Entry)).toMatchObject({ owner: [null, null], remarks: [null, 'stays'] });
    const { text } = await ask(`search/history?actor=${person.id}`, as('administrator'));
    expect(at(parsed(text), 'response')).toEqual({ history: [], next: null });
  });
});

describe('a page', () => {
  let id = '';
  const update = (n: number, of = id): Promise<string> =>
    send('PUT', `encounter/${of}`, asOwner, { remarks: `remark ${n}` });
  beforeAll(async () => {
    id = await send('POST', 'encounter', asOwner, {});
    for (let n = 2; n <= 9; n += 1) await update(n);
  });

  test('goes on where the one before ended, whatever is changed meanwhile', async () => {
    let version = 9;
    const pages = await walk(`encounter/${id}/history?limit=2`, asOwner, () =>
      update((version += 1)),
    );
    expect(pages.map((page) => page.map((entry) => entry.version))).toEqual([
      [9, 8],
      [7, 6],
      [5, 4],
      [3, 2],
      [1],
    ]);
    const [first] = await walk(`encounter/${id}/history?limit=3`, asOwner);
    expect(first?.map((entry) => entry.version)).toEqual([version, version - 1, version - 2]);
  });

  test('of the search does so too', async () => {
    const object = uuid(0xabcde);
    const same = Date.UTC(2019, 4, 5);
    await store([1, 2, 3, 4, 5].map((version) => ({ object, version, at: same })));
    await store([{ object, version: 6, at: same - 1 }]);
    const during = 'search/history?type=encounter&at_min=2019-05&at_max=2019-05-05&limit=2';
    const pages = await walk(during, as('administrator'), () =>
      store([{ object, version: 0, at: same + 1000 }]),
    );
    expect(pages.map((page) => page.map((entry) => entry.version))).toEqual([
      [5, 4],
      [3, 2],
      [1, 6],
    ]);
  });

  test('has a cursor that does not depend on changes of other objects', async () => {
    const own = await send('POST', 'encounter', asOwner, {});
    for (const n of [2, 3]) await update(n, own);
    const next = async (): Promise<string | null> =>
      (await pageOf(`encounter/${own}/history?limit=2`, asOwner)).next;
    const before = await next();
    await send('POST', 'encounter', as('user'), {});
    expect(await next()).toBe(before);
    expect(before).toMatch(/^[\w-]{22}$/);
    await update(100, own);
    expect(await next()).not.toBe(before);
  });

  test('has no cursor that the service has not made', async () => {
    const { next } = await pageOf(`encounter/${id}/history?limit=2`, asOwner);
    const real = String(next);
    const flipped = [...real].map(
      (letter, place) =>
        real.slice(0, place) + (letter === 'A' ? 'B' : 'A') + real.slice(place + 1),
    );
    const foreign = createCursors('of another installation').encode({ at: 1, seq: 1 });
    for (const cursor of [
      '',
      'x',
      '1',
      '%3D',
      id,
      `${real}A`,
      `${real}%3D`,
      real.slice(1),
      foreign,
      ...flipped,
    ]) {
      for (const path of [`encounter/${id}/history`, 'search/history']) {
        const { status, text } = await ask(`${path}?cursor=${cursor}`, as('administrator'));
        expect([cursor, path, status, at(parsed(text), 'response', 'invalid')]).toEqual([
          cursor,
          path,
          400,
          [{ path: 'cursor', key: 'API_RESPONSE_FORMAT', args: { expected: 'cursor' } }],
        ]);
      }
    }
  });

  test('with the cursor of another object has entries of its own alone', async () => {
    const other = await send('POST', 'encounter', asOwner, {});
    await send('PUT', `encounter/${other}`, asOwner, { remarks: 'x' });
    const { next } = await pageOf(`encounter/${other}/history?limit=1`, asOwner);
    const { history } = await pageOf(`encounter/${id}/history?cursor=${next}`, asOwner);
    expect(new Set(history.map(({ object }) => object))).toEqual(new Set([id]));
  });

  test('ends early where entries are large', async () => {
    const large = await send('POST', 'encounter', asOwner, {});
    const changes = JSON.stringify([['remarks', null, 'é'.repeat(500_000)]]);
    for (let version = 2; version < 8; version += 1)
      await store([{ object: large, version, changes }]);
    const huge = JSON.stringify([['remarks', null, 'x'.repeat(5_000_000)]]);
    await store([{ object: large, version: 8, changes: huge }]);
    const pages = await walk(`encounter/${large}/history?limit=10`, asOwner);
    expect(pages.map((page) => page.map((entry) => entry.version))).toEqual([
      [8],
      [7, 6, 5, 4],
      [3, 2, 1],
    ]);
  });

  test('of a search for few among very many ends early, and goes on', async () => {
    const actor = uuid(0xb5e);
    await store([{ actor_id: actor, action: 'delete', version: 7, type: 'taxonomy' }]);
    const many = Array.from({ length: 20_050 }, () => ({ actor_id: actor }));
    await store(many);
    const path = `search/history?actor=${actor}&type=taxonomy&limit=5`;
    const pages = await walk(path, as('administrator'));
    expect(pages.map((page) => page.map((entry) => entry.version))).toEqual([[], [7]]);
  });
});

describe('the search', () => {
  const search = async (query: string): Promise<readonly Entry[]> =>
    (await pageOf(`search/history?${query}`, as('administrator'))).history;

  test('finds the changes of an object, an actor, a type, an action, a time', async () => {
    const before = new Date().toISOString();
    const id = await send('POST', 'taxonomy', as('moderator'), { scientific_name: 'Sought' });
    await send('PUT', `taxonomy/${id}`, as('administrator'), { authorship: 'L.' });
    await send('DELETE', `taxonomy/${id}`, as('moderator'));
    const found = async (query: string): Promise<readonly string[]> =>
      (await search(query)).map(({ object, action }) => {
        expect(object).toBe(id);
        return action;
      });
    expect(await found(`object=${id.toUpperCase()}`)).toEqual(['delete', 'update', 'create']);
    expect(await found(`object=${id}&actor=${ACCOUNTS.moderator}`)).toEqual(['delete', 'create']);
    expect(await found(`object=${id}&action=update&type=taxonomy`)).toEqual(['update']);
    expect(await found(`object=${id}&type=encounter`)).toEqual([]);
    expect(await found(`at_min=${before}`)).toEqual(['delete', 'update', 'create']);
    expect(await found(`at_min=${before}&type=taxonomy&action=create`)).toEqual(['create']);
    expect(await found(`at_min=${before}&action=delete`)).toEqual(['delete']);
    expect(await found(`at_min=${before}&actor=${ACCOUNTS.moderator}&limit=1`)).toEqual(['delete']);
    expect(await found(`object=${id}&at_max=${before.slice(0, 10)}`)).toHaveLength(3);
    expect(
      await found(`object=${id}&at_max=${new Date(Date.parse(before) - 1).toISOString()}`),
    ).toEqual([]);
    const [last] = await search('limit=1');
    expect(last).toMatchObject({ object: id, action: 'delete', version: 2 });
    expect(await search(`at_min=${last?.at}&at_max=${last?.at}`)).toContainEqual(last);
  });

  test('finds the changes of settings, of roles, and who has met a limit', async () => {
    const settings = { mail_from: 'oms@history.example.org' };
    const put = { method: 'PUT', url: '/api/v0/site_settings', headers: as('administrator') };
    expect((await world().send({ ...put, body: settings })).status).toBe(200);
    const [setting] = await search('type=site_settings');
    expect(changed(setting as Entry)).toEqual({ mail_from: [null, settings.mail_from] });

    const person = await makePerson(world().service);
    await send('PUT', `user/${person.id}`, as('administrator'), { role: 'moderator' });
    const [role] = await search('type=user');
    expect(role).toMatchObject({
      object: person.id,
      actor: { kind: 'user', id: ACCOUNTS.administrator },
      changes: [{ path: 'role', before: 'user', after: 'moderator' }],
    });

    for (const n of [1, 2]) {
      const body = { name: 'N', email: `${n}@limit.example.org`, password: 'a good one of mine' };
      await world().send({ method: 'POST', url: '/api/v0/user', body });
    }
    await until('the entry', async () => (await search('type=limit')).length > 0);
    expect(await search('action=exceed')).toEqual([
      expect.objectContaining({
        type: 'limit',
        action: 'exceed',
        version: 0,
        actor: { kind: 'user', id: null, name: null },
        changes: expect.arrayContaining([{ path: 'max', before: null, after: 1 }]) as unknown,
      }),
    ]);
  });

  test('never has secrets', async () => {
    const { id } = await makePerson(world().service);
    await send('PUT', `user/${id}`, as('administrator'), { password: 'correct horse battery 8' });
    await world().send(uploadRequest({ bytes: await photograph() }, asOwner));
    const pages = await walk('search/history?limit=1000', as('administrator'));
    const text = JSON.stringify(pages);
    expect(text.replaceAll('{"path":"password"}', '')).not.toMatch(
      /password|argon|file_key|"hash"/,
    );
    expect(text).toContain('{"path":"password"}');
    expect(pages.flat().map(({ type }) => type)).toEqual(expect.arrayContaining(['user', 'asset']));
  });

  testRefusedSearches(world);
});
