import { build } from 'esbuild';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { accountsOf } from '#app/plugins/accounts/server';
import { newAccount, type TestAccount } from '../helpers/accounts';
import { launchBrowser, newContext } from '../helpers/browser';
import { startCutter, type Cutter } from '../helpers/client/cutter';
import { startService, type TestService } from '../helpers/service';

/** The package `clients/typescript` in a page of a frontend on another origin, over connections that are cut. */
const ROOT = join(__dirname, '..', '..');

let service: TestService;
let cutter: Cutter;
let browser: Browser;
let account: TestAccount;
let server: Server;
/** A frontend on the service's site, and one on another site. */
let near = '';
let far = '';

/** The client and what the page does with it, as a frontend's bundler makes it of the published files. */
async function bundle(): Promise<Uint8Array> {
  const dist = join(ROOT, 'clients', 'typescript', 'dist', 'esm');
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, 'tests', 'helpers', 'client', 'page.ts')],
    alias: {
      '@oms/client': join(dist, 'index.js'),
      '@oms/client/outbox': join(dist, 'outbox', 'index.js'),
    },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    write: false,
  });
  return outputFiles[0]?.contents ?? new Uint8Array();
}

beforeAll(async () => {
  const script = await bundle();
  server = createServer((req, res) => {
    const isScript = req.url === '/client.js';
    res.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html');
    res.end(isScript ? script : '<!doctype html><script type="module" src="/client.js"></script>');
  }).listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  near = `http://127.0.0.1:${port}`;
  far = `http://localhost:${port}`;
  service = await startService({
    env: { FRONTEND_URL: near },
    site: { allowed_origins: [far], anonymous_encounters: true, review_encounters: true },
  });
  cutter = await startCutter(Number(new URL(service.url).port));
  account = await newAccount(service, 'user');
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await cutter?.close();
  await service?.close();
  server?.close();
});
beforeEach(() => cutter.calm());

/** Calls a function of the page with these arguments. */
const call = <T = unknown>(page: Page, name: string, ...args: readonly unknown[]): Promise<T> =>
  page.evaluate<T>(`client.${name}(...${JSON.stringify(args)})`);

async function pageAt(
  origin: string,
  session: 'cookie' | 'bearer',
  context?: BrowserContext,
): Promise<Page> {
  const page = await (context ?? (await newContext(browser))).newPage();
  await page.goto(origin);
  await call(page, 'connect', cutter.url, session);
  return page;
}

const logIn = (page: Page): Promise<string> =>
  call<string>(page, 'logIn', account.email, account.password);

test.each([
  ['on the same site with the cookie', () => near, 'cookie'],
  ['on another site with a bearer', () => far, 'bearer'],
] as const)('a frontend %s logs in, is known, and logs out', async (_, origin, session) => {
  const page = await pageAt(origin(), session);
  expect(await call(page, 'whoAmI')).toBeNull();
  expect(await logIn(page)).toBe(account.id);
  expect(await call(page, 'whoAmI')).toBe(account.id);
  expect(await call(page, 'hasCookieOnly')).toBe(session === 'cookie');
  await call(page, 'logOut');
  expect(await call(page, 'whoAmI')).toBeNull();
});

test('the end of a session is told, and nothing is reported in nobody’s name', async () => {
  const page = await pageAt(near, 'cookie');
  const id = await logIn(page);
  await service.strapi.db.connection('oms_sessions').where({ account: id }).delete();
  accountsOf(service.strapi).sessions().invalidate(id);
  expect(await call(page, 'report')).toEqual(['API_RESPONSE_SESSION_ENDED', 1]);
  expect(await call(page, 'report')).toEqual(['API_RESPONSE_SESSION_ENDED', 1]);
  await call(page, 'logOut');
  expect(await call(page, 'report')).toEqual(['made', 1]);
});

test('what is read again comes from what was kept', async () => {
  const page = await pageAt(near, 'cookie');
  await logIn(page);
  const statuses: number[] = [];
  page.on('response', (answer) => {
    const { pathname } = new URL(answer.url());
    const isRead = answer.request().method() === 'GET';
    if (isRead && pathname.startsWith('/api/v0/encounter/')) statuses.push(answer.status());
  });
  expect(await call(page, 'readAgain')).toBe(1);
  expect(statuses).toEqual([200, 304, 304]);
});

test('a photograph tells its progress, is canceled, and is refused in the visitor’s language', async () => {
  const page = await pageAt(near, 'cookie');
  await logIn(page);
  const { told, size, expected, isNew } = await call<{
    told: number[];
    size: number;
    expected: number;
    isNew: boolean;
  }>(page, 'upload');
  expect([size, isNew, told.at(-1)]).toEqual([expected, true, 1]);
  expect(size).toBeGreaterThan(500_000);
  expect([...told].sort((one, other) => one - other)).toEqual(told);
  expect(await call(page, 'cancelUpload')).toBe('CLIENT_CANCELED');
  expect(await call(page, 'refusedUpload')).toMatch(/image.*JPEG, PNG, WebP, GIF, TIFF/);
});

test('a report whose answer is lost survives the page, and is adopted after the login', async () => {
  const page = await pageAt(near, 'cookie');
  cutter.plan = (line) =>
    line.startsWith('POST /api/v0/encounter') ? { at: 'request done' } : null;
  expect(await call(page, 'sendReport')).toBe('CLIENT_NO_ANSWER');
  cutter.calm();
  await page.reload();
  await call(page, 'connect', cutter.url, 'cookie');
  const { outcomes, state, id } = await call<Record<string, unknown>>(page, 'resumeReports');
  expect([outcomes, state]).toEqual([[{ id, failure: null }], 'pending']);
  await logIn(page);
  expect(await call(page, 'adoptReports')).toEqual([{ id, failure: null }]);
  expect(await call(page, 'photographsOf', id)).toBe(1);
});

test('work without a network is in IndexedDB, survives the page, and goes when the network is back', async () => {
  const context = await newContext(browser);
  const page = await pageAt(near, 'cookie', context);
  const id = await logIn(page);
  await context.setOffline(true);
  const made = await call<string[]>(page, 'queue', id, 3);
  expect(await call(page, 'send', id)).toEqual({ sent: 0, left: 3, why: 'CLIENT_NO_ANSWER' });
  await context.setOffline(false);
  await page.reload();
  await call(page, 'connect', cutter.url, 'cookie');
  expect(await call(page, 'queued', id)).toEqual(made);
  expect(await call(page, 'queued', null)).toEqual([]);
  let requests = 0;
  cutter.plan = () => ((requests += 1) % 3 === 0 ? { at: 'within answer', bytes: 60 } : null);
  while ((await call<string[]>(page, 'queued', id)).length > 0) await call(page, 'send', id);
  cutter.calm();
  for (const one of made) expect(await call(page, 'photographsOf', one)).toBe(1);
});

test('of two tabs one sends', async () => {
  const context = await newContext(browser);
  const [one, other] = [
    await pageAt(near, 'cookie', context),
    await pageAt(near, 'cookie', context),
  ] as const;
  const id = await logIn(one);
  const made = await call<string[]>(one, 'queue', id, 4);
  let posts = 0;
  context.on('request', (request) => {
    if (request.method() === 'POST') posts += 1;
  });
  const sendings = await Promise.all([one, other].map((page) => call(page, 'send', id)));
  expect(sendings).toEqual(
    expect.arrayContaining([
      { sent: 4, left: 0, why: null },
      { sent: 0, left: 0, why: null },
    ]),
  );
  expect(posts).toBe(2 * made.length);
});
