import { ALLOWED } from '#app/plugins/panel/server/routes/allowed';
import { freshDatabase, type FreshDatabase } from '../helpers/database';
import { send, type Answer } from '../helpers/http';
import { at, parsed, type Json } from '../helpers/json';
import { readMail, writtenMails } from '../helpers/mail-server';
import { ask, bearer, responseOf, tryLogin } from '../helpers/people';
import { story } from '../helpers/story';
import { until } from '../helpers/until';
import { startProcess, type ServiceProcess } from '../helpers/process';
import { withoutTable } from '../helpers/beside';
import { createSender, type Sender } from '../helpers/world';

const OWN = 'https://oms.example.org';
const PASSWORDS = ['first of my secrets', 'second of my secrets', 'third of my secrets'] as const;
const WRONG = 'a wrong secret of mine';
const EMAIL = 'ana.secretive@people.example.org';
const REFUSED = 'refused.login@people.example.org';

const ADMINISTRATOR = { email: 'root@people.example.org', password: 'another secret of mine' };

/** What stands in bodies that nobody can read. */
const IN_BODY = 'a-secret-in-a-body';
const LARGE = 1024 * 1024;
const MALFORMED: readonly (readonly [type: string, raw: string])[] = [
  ['application/json', `{"password":"${IN_BODY}`],
  ['application/json', `"${IN_BODY}"`],
  ['application/json', `{"${IN_BODY}":{"${IN_BODY}":"\\ud800"}}`],
  ['application/json', `{"password":"${IN_BODY}","x":"${'x'.repeat(LARGE)}"}`],
  ['application/json; charset=utf-16', `{"password":"${IN_BODY}"}`],
  ['text/plain', IN_BODY],
  ['application/x-www-form-urlencoded', `password=${IN_BODY}&x[${IN_BODY}]=1`],
  ['multipart/form-data; boundary=x', `--x\r\nContent-Disposition: form-data; ${IN_BODY}`],
];

/** The calls of the document. */
const doorsOf = (document: Json): string[] =>
  Object.entries(document['paths'] as Json).flatMap(([path, methods]) =>
    Object.keys(methods as Json).map((method) => `${method.toUpperCase()} ${path}`),
  );

let database: FreshDatabase;
let service: ServiceProcess;
let sender: Sender;

beforeAll(async () => {
  database = await freshDatabase();
  service = await startProcess({
    ...database.env,
    PUBLIC_URL: OWN,
    LOG_LEVEL: 'debug',
    OMS_ADMIN_EMAIL: ADMINISTRATOR.email,
    OMS_ADMIN_PASSWORD: ADMINISTRATOR.password,
  });
  sender = await createSender(service.url);
});
afterAll(async () => {
  service.child.kill('SIGTERM');
  await service.ended;
  await database.drop();
});

const answers: Answer[] = [];
const told = async (answer: Promise<Answer>): Promise<Answer> => {
  answers.push(await answer);
  return answer;
};
const post = (path: string, body: Json, headers: Record<string, string> = {}): Promise<Answer> =>
  told(sender.send({ method: 'POST', url: `/api/v0/${path}`, headers, body }));

/** The token of a mail, of which there are so many then. */
async function tokenOf(kind: string): Promise<string> {
  let token = '';
  await until(`a mail of ${kind}`, async () => {
    for (const mail of await writtenMails(database.dataDir)) {
      const { text } = readMail(mail);
      token =
        new RegExp(`/account/${kind}\\?token=([\\w-]{43})&lng=en$`, 'm').exec(text)?.[1] ?? token;
    }
    return token !== '';
  });
  return token;
}

describe('a service that logs all it has to say', () => {
  const cookies: string[] = [];
  const tokens: string[] = [];
  const panelSecrets: string[] = [];
  let id = '';

  const loginAs = async (password: string): Promise<string> => {
    const answer = await tryLogin(sender, EMAIL, password);
    expect(answer.status).toBe(200);
    const cookie = String(responseOf(answer)['cookie']);
    cookies.push(cookie);
    expect(answer.headers['set-cookie']).toEqual([
      `__Host-oms_session=${cookie}; Path=/; Max-Age=7776000; HttpOnly; SameSite=Lax; Secure`,
    ]);
    return cookie;
  };

  story('answers calls, fails and refuses, and says no secret', [
    [
      'answers the calls in which secrets are',
      async () => {
        const register = { name: 'Ana', email: EMAIL, password: PASSWORDS[0] };
        id = String(responseOf(await post('user', register))['id']);
        tokens.push(await tokenOf('verify'));
        await post('verify', { token: tokens[0] });
        await post('verify', { token: tokens[0] });

        await told(tryLogin(sender, EMAIL, WRONG));
        await told(tryLogin(sender, REFUSED, PASSWORDS[0]));
        const cookie = await loginAs(PASSWORDS[0]);
        const other = await loginAs(PASSWORDS[0]);

        await post('reset', { email: EMAIL });
        tokens.push(await tokenOf('reset'));
        await post('password', { token: tokens[1], password: 'short' });
        await post('password', { token: tokens[1], password: PASSWORDS[1] });
        expect((await told(ask(sender, 'GET', 'session', other))).status).toBe(401);

        const last = await loginAs(PASSWORDS[1]);
        const change = { current_password: PASSWORDS[1], password: PASSWORDS[2] };
        await post('password', { ...change, current_password: WRONG }, bearer(last));
        expect((await post('password', change, bearer(last))).status).toBe(200);
        await told(ask(sender, 'GET', 'sessions', last));
        await told(ask(sender, 'PUT', `user/${id}`, last, { affiliation: 'x', password: WRONG }));

        const asCookie = { Cookie: `__Host-oms_session=${last}` };
        const stranger = { ...asCookie, Origin: 'https://stranger.example' };
        expect((await post('logout', {}, stranger)).status).toBe(403);
        await post('login', { username: REFUSED, password: WRONG }, { Origin: 'null' });
        const both = await post('logout', {}, { ...asCookie, ...bearer(cookie) });
        expect(both.status).toBe(400);
        const dead = { Cookie: `__Host-oms_session=${cookie}`, Origin: OWN };
        const cleared = await post('logout', {}, dead);
        expect(cleared.headers['set-cookie']).toEqual([
          '__Host-oms_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure',
        ]);
        expect((await post('login', { username: EMAIL, password: [WRONG] })).status).toBe(400);
        expect((await post('logout', {}, { ...asCookie, Origin: OWN })).status).toBe(200);
      },
    ],

    [
      'answers with 500 where something is wrong with its database',
      async () => {
        const password = PASSWORDS[2];
        const cookie = await loginAs(password);
        await withoutTable(database, 'oms_mails', async () => {
          const register = { name: 'Ben', email: REFUSED, password: WRONG };
          expect((await post('user', register)).status).toBe(500);
          expect((await post('reset', { email: REFUSED })).status).toBe(500);
          const change = { current_password: password, password: WRONG };
          expect((await post('password', change, bearer(cookie))).status).toBe(500);
        });
        await withoutTable(database, 'oms_sessions', async () => {
          const answer = await post('login', { username: EMAIL, password });
          expect([answer.status, answer.headers['set-cookie']]).toEqual([500, undefined]);
        });
        expect((await told(ask(sender, 'GET', 'session', cookie))).status).toBe(200);
      },
    ],

    [
      'refuses malformed bodies of every call, each with a bounded log line',
      async () => {
        const doors = [...doorsOf(sender.document), ...Object.keys(ALLOWED)].filter(
          (door) => !door.startsWith('GET'),
        );
        expect(doors.length).toBeGreaterThan(40);
        const before = service.output().length;
        let sent = 0;
        for (const door of doors) {
          const [method = '', path = ''] = door.split(' ');
          const url = path.replace(/\{\w+\}|:\w+/g, 'nothing');
          for (const [type, raw] of MALFORMED) {
            const headers = { 'Content-Type': type };
            const request = send(service.url, { method, url, headers, raw });
            // Of what is too large the service reads no more than it has to, and closes.
            const answer = await request.catch(() => null);
            sent += 1;
            const status = answer?.status ?? 413;
            expect([door, type, status >= 200 && status < 500]).toEqual([door, type, true]);
          }
        }
        await until('the log', () => service.output().split('"request"').length > sent / 2);
        expect((service.output().length - before) / sent).toBeLessThan(400);
      },
    ],

    [
      'signs in to the panel with cookies that are for https alone',
      async () => {
        const answer = await send(service.url, {
          method: 'POST',
          url: '/admin/login',
          headers: { 'X-Forwarded-Proto': 'https' },
          body: { ...ADMINISTRATOR, rememberMe: true },
        });
        expect(answer.status).toBe(200);
        const cookies = answer.headers['set-cookie'] ?? [];
        expect(cookies.length).toBeGreaterThan(0);
        for (const cookie of cookies) expect(cookie).toMatch(/; secure; httponly$/i);
        panelSecrets.push(cookies[0]?.split(';')[0]?.split('=')[1] ?? '');
        panelSecrets.push(String(at(parsed(answer.text), 'data', 'token')));
        expect(panelSecrets.map(({ length }) => length > 20)).toEqual([true, true]);
      },
    ],

    [
      'says none of them in its log, nor in any answer but that of the login',
      async () => {
        await until('the log', () => service.output().includes('"failure"'));
        const log = service.output() + service.errors();
        expect(log).toContain('/api/v0/login');
        // What was wrong with the database is told without the values of the statement.
        expect(log).toContain('SqliteError SQLITE_ERROR: no such table: oms_mails');
        const said = answers.map(({ headers, text }) => JSON.stringify(headers) + text).join('\n');
        expect([cookies.length, tokens.length, tokens.includes('')]).toEqual([4, 2, false]);
        for (const secret of [...PASSWORDS, WRONG, ...cookies, ...tokens]) {
          expect([secret, log.includes(secret)]).toEqual([secret, false]);
          expect([secret, said.includes(secret)]).toEqual([secret, false]);
        }
        for (const secret of [ADMINISTRATOR.password, IN_BODY, ...panelSecrets]) {
          expect([secret, log.includes(secret)]).toEqual([secret, false]);
          expect([secret, said.includes(secret)]).toEqual([secret, false]);
        }
        for (const text of [REFUSED, EMAIL, 'Bearer', '$argon2id', 'oms_session='])
          expect([text, log.includes(text)]).toEqual([text, false]);
        expect(said).not.toContain('$argon2id');
        expect(at(responseOf(answers.at(-1) as Answer), 'user', 'id')).toBe(id);
      },
    ],
  ]);
});
