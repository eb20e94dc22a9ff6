import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { newAccount, type TestAccount } from '../helpers/accounts';
import { launchBrowser, newContext } from '../helpers/browser';
import { startService, type TestService } from '../helpers/service';

/** What a page of a frontend can do with the interface, in a browser that obeys nobody but the rules of the web. */
let service: TestService;
let browser: Browser;
let account: TestAccount;
const pages: Server[] = [];

/** A server with an empty page, on an origin of its own. */
async function pageServer(): Promise<string> {
  const server = createServer((_, res) => {
    res.setHeader('Content-Type', 'text/html');
    res.end('<!doctype html><title>A page</title>');
  }).listen(0, '127.0.0.1');
  pages.push(server);
  await once(server, 'listening');
  // The host of the service: a site of its own would be sent no cookie at all.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

let friend = '';
let stranger = '';

beforeAll(async () => {
  friend = await pageServer();
  stranger = await pageServer();
  service = await startService({ env: { FRONTEND_URL: friend } });
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
const call = (page: Page, path: string, init: Init): Promise<number | 'kept from it'> =>
  page.evaluate(
    ([url, options]) =>
      fetch(url, { credentials: 'include', ...options }).then(
        ({ status }) => status,
        () => 'kept from it' as const,
      ),
    [`${service.url}/api/v0/${path}`, init] as const,
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
