import { accessSync } from 'node:fs';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core';

const EXECUTABLE = process.env.OMS_TEST_CHROMIUM || '/usr/bin/chromium';

/** A page, and what went wrong in it. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors that no code of the panel has caught; a healthy one has none. */
  readonly errors: readonly string[];
}

/** The browser of the machine; a missing one is an error, never a reason to skip. */
export async function launchBrowser(): Promise<Browser> {
  accessSync(EXECUTABLE);
  return chromium.launch({
    executablePath: EXECUTABLE,
    // Containers run as root and with little shared memory, which Chromium refuses and runs out of.
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
}

/**
 * Opens a context with no cookies of others. Like Safari it has no `requestIdleCallback`, for which
 * the panel then takes a timer: on a slow machine a page that is watched may never be idle, and
 * Strapi draws its actions when it is.
 */
export async function newContext(
  browser: Browser,
  options?: BrowserContextOptions,
): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  await context.addInitScript(() => {
    for (const name of ['requestIdleCallback', 'cancelIdleCallback'])
      Reflect.deleteProperty(globalThis, name);
  });
  return context;
}

/** Opens a page with no cookies of others. */
export async function watchPage(browser: Browser): Promise<WatchedPage> {
  const page = await (await newContext(browser)).newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  return { page, errors };
}

/** Signs in to the panel through its form, and waits for its home. */
export async function signIn(
  page: Page,
  url: string,
  account: { readonly email: string; readonly password: string },
): Promise<void> {
  await page.goto(`${url}/admin/auth/login`);
  await page.locator('input[name=email]').fill(account.email);
  await page.locator('input[name=password]').fill(account.password);
  await page.locator('button[type=submit]').click();
  await page.getByRole('link', { name: 'Content Manager' }).waitFor();
}
