import { once } from 'node:events';
import {
  createServer,
  request,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { accountsOf } from '#app/plugins/accounts/server';
import { newAccount, type TestAccount } from '../helpers/accounts';
import { launchBrowser, newContext } from '../helpers/browser';
import { send } from '../helpers/http';
import { bearer, responseOf } from '../helpers/people';
import { startService, type TestService } from '../helpers/service';
import { photograph, uploadRequest } from '../helpers/upload';

/** What a page of a frontend can do with the interface, in a browser that obeys nobody but the rules of the web. */
let service: TestService;
let browser: Browser;
let account: TestAccount;
const pages: Server[] = [];

/** A server with an empty page, on an origin of its own, that passes calls of the interface on to the service. */
async function pageServer(): Promise<number> {
  const server = createServer((req, res) => {
    if (req.url?.startsWith('/api/')) return passOn(req, res);
    res.setHeader('Content-Type', 'text/html');
    res.end('<!doctype html><title>A page</title>');
  }).listen(0, '127.0.0.1');
  pages.push(server);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function passOn(req: IncomingMessage, res: ServerResponse): void {
  const { method, headers } = req;
  const target = request(service.url + String(req.url), { method, headers }, (answer) => {
    res.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(res);
  });
  req.pipe(target.on('error', () => res.destroy()));
}

let friend = '';
let stranger = '';
/** The address of a proxy in front of the service: PUBLIC_URL. */
let proxy = '';
/** A frontend on another port of it. */
let neighbor = '';

beforeAll(async () => {
  // The host of the service: a site of its own would be sent no cookie at all.
  friend = `http://127.0.0.1:${await pageServer()}`;
  stranger = `http://127.0.0.1:${await pageServer()}`;
  proxy = `http://localhost:${await pageServer()}`;
  neighbor = `http://localhost:${await pageServer()}`;
  service = await startService({
    env: { FRONTEND_URL: friend, PUBLIC_URL: proxy },
    site: { allowed_origins: [neighbor], anonymous_encounters: true },
  });
  account = await newAccount(service, 'user');
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
  for (const server of pages) server.close();
});

async function pageAt(origin: string): Promise<Page> {
  const page = await (await newContext(browser)).newPage();
  await page.goto(origin);
  return page;
}

interface Init {
  readonly method?: string;
  readonly mode?: 'no-cors';
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** What a page's script gets to see of a call: the status, or that the browser keeps the answer from it. */
const call = (
  page: Page,
  path: string,
  init: Init,
  at = service.url,
): Promise<number | 'kept from it'> =>
  page.evaluate(
    ([url, options]) =>
      fetch(url, { credentials: 'include', ...options }).then(
        ({ status }) => status,
        () => 'kept from it' as const,
      ),
    [`${at}/api/v0/${path}`, init] as const,
  );

const json = (method: string, body: object): Init => ({
  method,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
});

describe('a page of an allowed frontend', () => {
  test('logs in, is known by the cookie, changes something and logs out', async () => {
    const page = await pageAt(friend);
    const { id, email, password } = account;
    expect(await call(page, 'login', json('POST', { username: email, password }))).toBe(200);
    expect(await call(page, 'session', {})).toBe(200);
    expect(await call(page, `user/${id}`, json('PUT', { affiliation: 'Here' }))).toBe(200);
    expect(await call(page, 'logout', json('POST', {}))).toBe(200);
    expect(await call(page, 'session', {})).toBe(401);
  });
});

describe('a page of another origin', () => {
  test('sees no answer, and changes nothing with the cookie that its visitor has', async () => {
    const page = await pageAt(friend);
    const { id, email, password } = account;
    expect(await call(page, 'login', json('POST', { username: email, password }))).toBe(200);
    await page.goto(stranger);
    expect(await call(page, 'session', {})).toBe('kept from it');
    expect(await call(page, `user/${id}`, json('PUT', { affiliation: 'Nowhere' }))).toBe(
      'kept from it',
    );
    // A form needs no permission to be sent, and no answer to do harm.
    const form = { method: 'POST', mode: 'no-cors' } as const;
    await call(page, 'logout', form);
    await page.goto(friend);
    expect(await call(page, 'session', {})).toBe(200);
  });

  test('cannot log its visitor in', async () => {
    const page = await pageAt(stranger);
    const { email, password } = account;
    const login = json('POST', { username: email, password });
    expect(await call(page, 'login', login)).toBe('kept from it');
    await page.goto(friend);
    expect(await call(page, 'session', {})).toBe(401);
  });
});

describe('a session that has ended', () => {
  test('reports nothing in nobody’s name until the page logs out', async () => {
    const page = await pageAt(friend);
    const { id, email, password } = account;
    expect(await call(page, 'login', json('POST', { username: email, password }))).toBe(200);
    await service.strapi.db.connection('oms_sessions').where({ account: id }).delete();
    accountsOf(service.strapi).sessions().invalidate(id);
    const report = (): Promise<unknown> => call(page, 'encounter', json('POST', { sex: 'male' }));
    expect([await report(), await report()]).toEqual([401, 401]);
    expect(await call(page, 'search/encounter', {})).toBe(200);
    expect([await call(page, 'session', {}), await report()]).toEqual([401, 401]);
    expect(await call(page, 'logout', json('POST', {}))).toBe(200);
    expect(await report()).toBe(200);
  });
});

describe('a frontend', () => {
  /** The path of a photograph that its owner alone may see. */
  let photo = '';
  beforeAll(async () => {
    const { email, password } = account;
    const body = { username: email, password };
    const begun = await send(service.url, { method: 'POST', url: '/api/v0/login', body });
    const headers = bearer(String(responseOf(begun)['cookie']));
    const answer = await send(service.url, uploadRequest({ bytes: await photograph() }, headers));
    photo = `${String(responseOf(answer)['path'])}?size=small`;
  });

  /** Whether an element shows an image. */
  const shows = (page: Page, src: string): Promise<boolean> =>
    page.evaluate<boolean>(`new Promise((resolve) => {
      const image = new Image();
      image.onload = () => resolve(true);
      image.onerror = () => resolve(false);
      image.src = ${JSON.stringify(src)};
    })`);
  const signIn = (page: Page, at: string): Promise<unknown> => {
    const { email, password } = account;
    return call(page, 'login', json('POST', { username: email, password }), at);
  };

  test.each([
    ['on the same origin', () => proxy],
    ['on another origin of the same site', () => neighbor],
  ])('%s has the cookie, and shows images', async (_, origin) => {
    const page = await pageAt(origin());
    expect(await signIn(page, proxy)).toBe(200);
    expect(await call(page, 'session', {}, proxy)).toBe(200);
    expect(await shows(page, proxy + photo)).toBe(true);
    expect(await call(page, 'logout', json('POST', {}), proxy)).toBe(200);
    expect(await shows(page, `${proxy}${photo.replace('small', 'large')}`)).toBe(false);
  });

  test('on another site has no cookie, and shows images that it fetches with a bearer', async () => {
    const page = await pageAt(friend);
    expect(await signIn(page, proxy)).toBe(200);
    expect(await call(page, 'session', {}, proxy)).toBe(401);
    const { email, password } = account;
    const shown = await page.evaluate(
      async ([api, path, username, secret]) => {
        const begun = await fetch(`${api}/api/v0/login`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ username, password: secret }),
        });
        const { response } = (await begun.json()) as { response: { cookie: string } };
        const headers = { Authorization: `Bearer ${response.cookie}` };
        const session = await fetch(`${api}/api/v0/session`, { headers });
        const image = await fetch(api + path, { headers });
        return [session.status, URL.createObjectURL(await image.blob())] as const;
      },
      [proxy, photo, email, password] as const,
    );
    expect(shown[0]).toBe(200);
    expect(await shows(page, shown[1])).toBe(true);
    expect(await shows(page, proxy + photo)).toBe(false);
  });
});
