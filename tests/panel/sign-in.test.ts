import type { Browser } from 'playwright-core';
import { launchBrowser, signIn, watchPage } from '../helpers/browser';
import { startService, type TestService } from '../helpers/service';

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

  test('offers nobody to become the first administrator afterwards', async () => {
    const answer = await service.request.post('/admin/register-admin').send({
      email: 'eve@example.org',
      firstname: 'Eve',
      password: 'A long one, 1 please',
    });
    expect(answer.status).toBe(404);
  });
});
