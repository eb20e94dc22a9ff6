import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { newContext } from '../../helpers/browser';
import { asObject, at, parsed } from '../../helpers/json';
import { until } from '../../helpers/until';
import { photograph } from '../../helpers/upload';

interface Account {
  readonly email: string;
  readonly password: string;
}

const MAX_BYTES = 400_000;
const NARROW = { width: 360, height: 740 };

/** The documentation that the service serves, read and used. */
export function testDocs(url: () => string, browser: () => Browser, account: Account): void {
  /** All pages that links lead to from the first one, and the files that they load. */
  async function crawl(): Promise<ReadonlyMap<string, Response & { readonly content: string }>> {
    const found = new Map<string, Response & { readonly content: string }>();
    const wanted = ['/docs'];
    for (const path of wanted) {
      const answer = await fetch(url() + path);
      const content = await answer.text();
      found.set(path, Object.assign(answer, { content }));
      for (const [, href = ''] of content.matchAll(/(?:href|src)="(\/docs[^"#]*)/g))
        if (!wanted.includes(href)) wanted.push(href);
    }
    return found;
  }

  const idsIn = (html: string): ReadonlySet<string> =>
    new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id));

  test('the documentation is served whole, in less than 400 kB, and nothing of it is elsewhere', async () => {
    const pages = await crawl();
    expect(pages.size).toBeGreaterThan(25);
    let bytes = 0;
    const broken: string[] = [];
    for (const [path, { status, headers, content }] of pages) {
      expect([path, status]).toEqual([path, 200]);
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';/,
      );
      expect(content).not.toMatch(/<(?:script|link|img)[^>]*(?:src|href)="(?!\/docs)/);
      expect(content).not.toMatch(/<style|<script(?! type="module" src=)| style=| on\w+=/);
      bytes += gzipSync(content).length;
      for (const [, target = '', id = ''] of content.matchAll(/href="(\/docs[^"#]*)?#([^"]+)"/g))
        if (!idsIn(pages.get(target === '' ? path : target)?.content ?? '').has(id))
          broken.push(`${path}: ${target}#${id}`);
      for (const [, target = ''] of content.matchAll(
        /href="(?!https?:|#|\/docs|\/api\/v0\/openapi\.json)([^"]*)"/g,
      ))
        broken.push(`${path}: ${target}`);
    }
    expect(broken).toEqual([]);
    expect(bytes).toBeLessThan(MAX_BYTES);
  });

  test('the documentation has every call, every message and every label', async () => {
    const pages = await crawl();
    const document = asObject(parsed(await (await fetch(`${url()}/api/v0/openapi.json`)).text()));
    const tags = (document['tags'] as unknown[]).map((tag) => String(at(tag, 'name')));
    for (const tag of tags) expect([...pages.keys()]).toContain(`/docs/calls/${tag}`);
    for (const methods of Object.values(asObject(document['paths'])))
      for (const operation of Object.values(asObject(methods))) {
        const [tag = ''] = at(operation, 'tags') as string[];
        const ids = idsIn(pages.get(`/docs/calls/${tag}`)?.content ?? '');
        expect([...ids]).toContain(at(operation, 'operationId'));
      }
    const texts = asObject(await (await fetch(`${url()}/locales/fr/translation.json`)).json());
    const { content = '' } = pages.get('/docs/messages') ?? {};
    for (const key of Object.keys(texts).filter((one) => !one.startsWith('PAGE_')))
      expect(content).toContain(`id="${key}"`);
    expect(content).toContain('Vous n’avez pas le droit de faire cela.');
    // What a field is, and what it is where nothing is sent.
    expect(pages.get('/docs/calls/taxonomy')?.content).toContain(
      'Whether the name is the accepted one. Absent or null: <code>&quot;accepted&quot;</code>.',
    );
  });

  test('a page of the documentation is kept by its ETag, and takes no change', async () => {
    const { headers } = await fetch(`${url()}/docs`);
    const known = { 'If-None-Match': headers.get('etag') ?? '' };
    expect((await fetch(`${url()}/docs`, { headers: known })).status).toBe(304);
    expect((await fetch(`${url()}/docs`, { method: 'HEAD' })).status).toBe(200);
    expect((await fetch(`${url()}/docs`, { method: 'POST' })).status).toBe(405);
    expect((await fetch(`${url()}/docs/nothing`)).status).toBe(404);
  });

  /** A page with what went wrong in it, and the hosts that it has asked. */
  async function open(path: string, options = {}) {
    const context = await newContext(browser(), options);
    const page = await context.newPage();
    const faults: string[] = [];
    const hosts = new Set<string>();
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => {
      if (/Content.Security.Policy/i.test(message.text())) faults.push(message.text());
    });
    page.on('request', (request) => hosts.add(new URL(request.url()).host));
    await page.goto(url() + path);
    return { page, faults, hosts };
  }

  const logIn = async (page: Page, password: string): Promise<void> => {
    await page.getByLabel('E-mail or username').fill(account.email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.keyboard.press('Enter');
  };

  test('whoever logs in there tries calls with that session: a search, a report with a photograph', async () => {
    const { page, faults, hosts } = await open('/docs');
    await logIn(page, 'not the password');
    await page.getByText('The name or the password is wrong.').waitFor();
    await logIn(page, account.password);
    await page.getByText('(administrator)').waitFor();
    const send = async (id: string): Promise<string> => {
      const call = page.locator(`section[aria-labelledby="${id}"] .try`);
      await call.getByRole('button', { name: 'Send' }).click();
      await call.locator('.result p').first().waitFor();
      return call.locator('.result').innerText();
    };
    const tryIt = (id: string) =>
      page.locator(`section[aria-labelledby="${id}"] .try > summary`).click();
    await page.goto(`${url()}/docs/calls/asset`);
    await tryIt('createAsset');
    const file = { name: 'zebra.jpg', mimeType: 'image/jpeg', buffer: await photograph() };
    await page.getByLabel('File', { exact: true }).setInputFiles(file);
    const uploaded = await send('createAsset');
    expect(uploaded).toMatch(/^200 after \d+ ms: POST \/api\/v0\/asset/);
    const [, asset = ''] = /"id": "([0-9a-f-]{36})"/.exec(uploaded) ?? [];
    await page.goto(`${url()}/docs/calls/encounter`);
    await tryIt('createEncounter');
    const body = page.locator('#createEncounter-body');
    await body.fill(JSON.stringify({ assets: [asset], sex: 'female' }));
    const reported = await send('createEncounter');
    const [, encounter = ''] = /"id": "([0-9a-f-]{36})"/.exec(reported) ?? [];
    // What the first page asks for: the own encounters, the newest first.
    await page.goto(`${url()}/docs`);
    await page.getByText(/^GET \/api\/v0\/search\/encounter\?owner=/).click();
    const query = page.locator('#searchEncounter-query');
    await until('the query of the link', async () =>
      /^owner=[0-9a-f-]{36}&sort=-time&/.test(await query.inputValue()),
    );
    expect(await send('searchEncounter')).toContain(encounter);
    await query.fill(`assets=${asset}`);
    expect(await send('searchEncounter')).toContain(encounter);
    await page.goto(`${url()}/docs/calls/asset`);
    await tryIt('createAsset');
    await page.getByLabel('File', { exact: true }).setInputFiles(file);
    expect(await send('createAsset')).toContain('There is one already: file, ');
    await page.goto(`${url()}/docs/calls/encounter`);
    await tryIt('createEncounter');
    await body.fill('{"sex": "macho"}');
    await send('createEncounter');
    await page.getByText('Something in the request is not right.').waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('E-mail or username').waitFor();
    expect([faults, [...hosts]]).toEqual([[], [new URL(url()).host]]);
    await page.context().close();
  }, 120_000);

  test.each(['light', 'dark'] as const)(
    'the documentation is read by keyboard, on a narrow screen and in %s colors',
    async (colorScheme) => {
      const { page } = await open('/docs', { viewport: NARROW, colorScheme });
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.textContent')).toBe('To the content');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Tab');
      expect(await page.evaluate("document.activeElement.closest('main') !== null")).toBe(true);
      for (const path of [
        '/docs',
        '/docs/calls/encounter',
        '/docs/messages',
        '/docs/privacy',
        '/docs/permissions',
      ]) {
        await page.goto(url() + path);
        const width = await page.evaluate('document.documentElement.scrollWidth');
        expect([path, width]).toEqual([path, NARROW.width]);
        const folder = process.env['OMS_SCREENSHOTS'];
        if (folder)
          await page.screenshot({
            path: `${folder}/${colorScheme}${path.replaceAll('/', '-')}.png`,
          });
      }
      const colorOf = (name: string): Promise<unknown> =>
        page.evaluate(`getComputedStyle(document.body).${name}`);
      const [back, text] = [await colorOf('backgroundColor'), await colorOf('color')];
      expect(back === 'rgb(255, 255, 255)').toBe(colorScheme === 'light');
      expect(text).not.toBe(back);
      await page.context().close();
    },
    60_000,
  );
}
