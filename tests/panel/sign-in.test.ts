import type { Browser } from 'playwright-core';
import { launchBrowser, signIn, watchPage } from '../helpers/browser';
import { send } from '../helpers/http';
import { startService, type TestService } from '../helpers/service';
import { testDocs } from './docs/pages';

const account = { email: 'ana@example.org', password: 'A long one, 1 please' };

describe('the panel', () => {
  let service: TestService;
  let browser: Browser;

  beforeAll(async () => {
    service = await startService({
      env: { OMS_ADMIN_EMAIL: account.email, OMS_ADMIN_PASSWORD: account.password },
    });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  test('lets the first administrator in, and shows no page with an error in it', async () => {
    const { page, errors } = await watchPage(browser);
    await signIn(page, service.url, account);
    expect(errors).toEqual([]);
  });

  test('is sent compressed, and kept by the browser', async () => {
    const page = await fetch(`${service.url}/admin/auth/login`);
    expect(page.headers.get('cache-control')).toBe('no-cache');
    const [, script = ''] = /src="(\/admin\/[^"]+\.js)"/.exec(await page.text()) ?? [];
    const sizes: Record<string, number> = {};
    for (const encoding of ['br', 'gzip', 'identity']) {
      const headers = { 'Accept-Encoding': encoding };
      const answer = await send(service.url, { method: 'HEAD', url: script, headers });
      expect(answer.headers).toMatchObject({
        vary: expect.stringMatching(/\bAccept-Encoding\b/) as unknown,
        'content-type': expect.stringMatching(/javascript/) as unknown,
        'cache-control': 'public, max-age=31536000, immutable',
      });
      expect(answer.headers['content-encoding']).toBe(
        encoding === 'identity' ? undefined : encoding,
      );
      sizes[encoding] = Number(answer.headers['content-length']);
    }
    const { br = 0, gzip = 0, identity = 0 } = sizes;
    expect(br).toBeGreaterThan(0);
    expect(br).toBeLessThan(gzip);
    expect(gzip).toBeLessThan(identity / 2);
  });

  testDocs(
    () => service.url,
    () => browser,
    account,
  );

  test('offers nobody to become the first administrator afterwards', async () => {
    const answer = await service.request.post('/admin/register-admin').send({
      email: 'eve@example.org',
      firstname: 'Eve',
      password: 'A long one, 1 please',
    });
    expect(answer.status).toBe(405);
  });
});
