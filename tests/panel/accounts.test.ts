import type { Browser, Page } from 'playwright-core';
import { changeAccount, logIn, newAccount, type TestAccount } from '../helpers/accounts';
import { launchBrowser, newContext, signIn, watchPage } from '../helpers/browser';
import { readMail, writtenMails } from '../helpers/mail-server';
import type { Credentials } from '../helpers/panel';
import { until } from '../helpers/until';
import { startService, type TestService } from '../helpers/service';

const ANA = { email: 'ana@example.org', password: 'correct horse battery' };

let service: TestService;
let browser: Browser;
let link = '';
/** What went wrong in the pages of one test. */
let watched: (readonly string[])[] = [];

beforeAll(async () => {
  service = await startService({
    announce: (text) => {
      link = /\S+\/first-administrator\?token=\S+/.exec(text)?.[0] ?? '';
    },
  });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
});
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
  const errors = watched;
  watched = [];
  expect(errors.flat()).toEqual([]);
});

/** A page without cookies, in a browser that runs no script where that is said. */
async function fresh(javaScriptEnabled = true): Promise<Page> {
  if (!javaScriptEnabled)
    return (await newContext(browser, { javaScriptEnabled, locale: 'en-US' })).newPage();
  const { page, errors } = await watchPage(browser);
  watched.push(errors);
  page.setDefaultTimeout(60_000);
  return page;
}

async function signedIn(account: Credentials): Promise<Page> {
  const page = await fresh();
  await signIn(page, service.url, account);
  return page;
}

/** The link of the only mail to an address, which is a file. */
async function linkTo(email: string): Promise<string> {
  let links: string[] = [];
  await until('a mail', async () => {
    links = (await writtenMails(service.dataDir))
      .map(readMail)
      .filter(({ headers }) => headers['to'] === email)
      .flatMap(({ text }) => /^https?:.*$/m.exec(text) ?? []);
    return links.length > 0;
  });
  expect(links).toHaveLength(1);
  return links[0] ?? '';
}

const input = (page: Page, name: string) => page.locator(`input[name=${name}]`);

const textAt = (page: Page, name: string): Promise<string> =>
  page.locator(`:has(> div > input[name=${name}]) > [data-strapi-field-error]`).innerText();

const notice = (page: Page, text: string | RegExp) =>
  page.locator('[role=status], [role=alert]').filter({ hasText: text });

test('the first administrator is made by the link, without a script, and signs in', async () => {
  const page = await fresh(false);
  await page.goto(link);
  await input(page, 'name').fill('Ana Ruiz');
  await input(page, 'email').fill(ANA.email);
  await input(page, 'password').fill(ANA.password);
  await input(page, 'password_again').fill('another one, please');
  await page.locator('button').click();
  await page.getByText('The two passwords differ.').waitFor();
  expect(await input(page, 'name').inputValue()).toBe('Ana Ruiz');
  expect(await input(page, 'password').inputValue()).toBe('');
  // The policy lets the page's own style through.
  const size = "getComputedStyle(document.querySelector('h1')).fontSize";
  expect(await page.evaluate(size)).toBe('22.4px');
  for (const name of ['password', 'password_again']) await input(page, name).fill(ANA.password);
  await page.locator('button').click();
  await page.getByRole('heading', { name: 'The account is made' }).waitFor();
  expect(page.url()).not.toContain('token');
  expect((await page.goto(link))?.status()).toBe(404);
  await (await signedIn(ANA)).getByRole('link', { name: 'Content Manager' }).waitFor();
});

test('the panel offers a sign-in, and nobody the place of the first', async () => {
  const page = await fresh();
  await page.goto(`${service.url}/admin`);
  await page.waitForURL('**/admin/auth/login');
  await input(page, 'password').waitFor();
});

test('who has forgotten the password chooses another by the link of the mail, without a script', async () => {
  const account = await newAccount(service, 'moderator');
  await changeAccount(service, account.id, { language: 'es' });
  const panel = await fresh();
  await panel.goto(`${service.url}/admin/auth/forgot-password`);
  await input(panel, 'email').fill(account.email);
  await panel.locator('button[type=submit]').click();
  await panel.waitForURL('**/forgot-password-success');
  const page = await fresh(false);
  await page.goto(await linkTo(account.email));
  await page.getByRole('heading', { name: 'Elija una contraseña nueva' }).waitFor();
  const password = 'Otra para todos, 3';
  for (const [first, again] of [
    [password, 'otra cosa por aquí'],
    [password, password],
  ] as const) {
    await input(page, 'password').fill(first);
    await input(page, 'password_again').fill(again);
    await page.locator('button').click();
    if (again !== first) await page.getByText('Las dos contraseñas no coinciden.').waitFor();
  }
  await page.getByRole('heading', { name: 'La contraseña está guardada' }).waitFor();
  expect(page.url()).not.toContain('token');
  await signedIn({ ...account, password });
});

/** The menu opens on the first. */
const TYPES = ['Encounters', 'Assets', 'Collaborations', 'Individuals', 'Orgs', 'Taxa', 'Users'];

test.each([
  ['moderator', TYPES],
  ['administrator', [...TYPES, 'Site settings']],
] as const)('as %s one finds what one may work with', async (role, types) => {
  const page = await signedIn(await newAccount(service, role));
  await page.getByRole('link', { name: 'Content Manager' }).click();
  const menu = page.getByRole('navigation').filter({ hasText: 'Collection Types' });
  await menu.getByRole('link', { name: 'Encounters', exact: true }).waitFor();
  await page.getByRole('heading', { name: 'Encounters' }).waitFor();
  const links = await menu.getByRole('link').allInnerTexts();
  expect(links.map((text) => text.trim()).filter((text) => text !== '')).toEqual([...types]);
  await menu.getByRole('link', { name: 'Users', exact: true }).click();
  await page.getByRole('row').filter({ hasText: ANA.email }).waitFor();
  // What is Strapi's alone is not for accounts of the service.
  await page.goto(`${service.url}/admin/settings/application-infos`);
  await page.waitForURL(`${service.url}/admin`);
  await page.getByRole('link', { name: 'Content Manager' }).waitFor();
  expect(await page.getByRole('link', { name: 'Settings', exact: true }).count()).toBe(0);
  expect(await page.getByText(/Strapi|pricing/).count()).toBe(0);
});

test('the menu has the names of lists in the language of its reader, and finds them', async () => {
  const page = await signedIn(await newAccount(service, 'moderator'));
  await page.evaluate("localStorage.setItem('strapi-admin-language', 'fr')");
  await page.goto(`${service.url}/admin/content-manager`);
  await page.getByRole('heading', { name: 'Rencontres' }).waitFor();
  const menu = page.getByRole('navigation').filter({ has: input(page, 'search_contentType') });
  await input(page, 'search_contentType').fill('photo');
  await menu.getByRole('link', { name: 'Individus' }).waitFor({ state: 'detached' });
  expect((await menu.getByRole('link').allInnerTexts()).map((text) => text.trim())).toEqual([
    'Photographies',
  ]);
});

test('a moderator sees nothing of the fields that moderators do not see', async () => {
  const { id } = await newAccount(service, 'user');
  const page = await signedIn(await newAccount(service, 'moderator'));
  const list = `${service.url}/admin/content-manager/collection-types/plugin::users-permissions.user`;
  await page.goto(list);
  const headers = page.locator('thead th');
  await headers.filter({ hasText: 'Role' }).waitFor();
  const columns = (await headers.allInnerTexts()).map((text) => text.trim().toLowerCase());
  expect(columns.filter((text) => text !== '')).toEqual(['name', 'e-mail', 'role', 'created']);
  // Nor is there one to be added.
  await page.getByRole('button', { name: 'View Settings' }).click();
  await page.getByRole('checkbox', { name: 'Affiliation' }).waitFor();
  const hidden = ['Blocked', 'E-mail verified', 'User name', 'Password', 'Language'];
  for (const name of hidden)
    expect([name, await page.getByRole('checkbox', { name }).count()]).toEqual([name, 0]);
  await page.goto(`${list}/${id}`);
  await input(page, 'affiliation').waitFor();
  for (const name of [...hidden, /No permissions/])
    expect([name, await page.getByText(name).count()]).toEqual([name, 0]);
  expect(await input(page, 'email').count()).toBe(1);
});

test('a refused sign-in shows a message, the same for a plain user', async () => {
  const user = await newAccount(service, 'user');
  const page = await fresh();
  await page.goto(`${service.url}/admin/auth/login`);
  const texts: string[] = [];
  for (const [email, password] of [
    [user.email, user.password],
    [ANA.email, 'not the password'],
  ] as const) {
    await input(page, 'email').fill(email);
    await input(page, 'password').fill(password);
    const answered = page.waitForResponse('**/admin/login');
    await page.locator('button[type=submit]').click();
    await answered;
    const alert = page.locator('#global-form-error');
    await alert.waitFor();
    texts.push(await alert.innerText());
  }
  expect(texts).toEqual(['Invalid credentials', 'Invalid credentials']);
});

describe('the profile page', () => {
  let account: TestAccount;
  let page: Page;
  beforeEach(async () => {
    account = await newAccount(service, 'moderator', { password: `Correct horse 1` });
    page = await signedIn(account);
    await page.goto(`${service.url}/admin/me`);
    await input(page, 'firstname').waitFor();
  });

  const save = () => page.getByRole('button', { name: 'Save', exact: true }).click();

  test('changes the name of the account', async () => {
    expect(await input(page, 'firstname').inputValue()).toBe(account.name);
    await input(page, 'firstname').fill(`${account.name} Ruiz`);
    await page.getByRole('combobox', { name: 'Appearance' }).click();
    await page.getByRole('option', { name: 'Dark' }).click();
    await save();
    await notice(page, 'Saved').waitFor();
    expect(await page.evaluate("localStorage.getItem('STRAPI_THEME')")).toBe('dark');
    await page.reload();
    await input(page, 'firstname').waitFor();
    expect(await input(page, 'firstname').inputValue()).toBe(`${account.name} Ruiz`);
  });

  test('asks for the current password before it changes the address', async () => {
    const email = `moved-${account.email}`;
    await input(page, 'email').fill(email);
    await save();
    await page.getByText('Type your current password.').waitFor();
    expect(await textAt(page, 'currentPassword')).toBe('Type your current password.');
    await input(page, 'currentPassword').fill(account.password);
    await save();
    await notice(page, 'Saved').waitFor();
    expect(await logIn(service, { ...account, email })).not.toBeNull();
  });

  test('changes the password of the API and the panel, and stays signed in', async () => {
    // By the rules of the service: neither capitals nor digits are asked for.
    const password = 'another one for all';
    await input(page, 'password').fill('too short');
    await input(page, 'confirmPassword').fill('too long');
    await save();
    expect(await textAt(page, 'confirmPassword')).toBe('The two passwords differ.');
    await input(page, 'confirmPassword').fill('too short');
    await save();
    await page.getByText(/at least 10/).waitFor();
    expect(await textAt(page, 'password')).toMatch(/at least 10/);
    await input(page, 'currentPassword').fill('Not this one, 1');
    for (const name of ['password', 'confirmPassword']) await input(page, name).fill(password);
    await save();
    await page.getByText('The current password is wrong.').waitFor();
    expect(await textAt(page, 'currentPassword')).toBe('The current password is wrong.');
    await input(page, 'currentPassword').fill(account.password);
    await save();
    await notice(page, 'Saved').waitFor();
    await page.goto(`${service.url}/admin`);
    await page.getByRole('link', { name: 'Content Manager' }).waitFor();
    expect(await logIn(service, account)).toBeNull();
    await signedIn({ ...account, password });
  });
});

test('an administrator changes an account by its form, and the password stays', async () => {
  const account = await newAccount(service, 'user');
  const page = await signedIn(ANA);
  const list = `${service.url}/admin/content-manager/collection-types/plugin::users-permissions.user`;
  await page.goto(`${list}/${account.id}`);
  await input(page, 'affiliation').fill('Zoo of Basel');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await notice(page, 'Saved document').waitFor();
  expect(await logIn(service, account)).not.toBeNull();
  await input(page, 'password').fill('Set by another, 1');
  const saved = page.waitForResponse((answer) => answer.request().method() === 'PUT');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  expect((await saved).status()).toBe(200);
  expect(await logIn(service, { ...account, password: 'Set by another, 1' })).not.toBeNull();
  await page.goto(`${list}/create`);
  await input(page, 'name').fill('Made in the panel');
  await input(page, 'email').fill('made@example.org');
  await page.getByText(/^Without a password, an invitation is mailed/).waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await notice(page, 'An invitation has been mailed to made@example.org.').waitFor();
  await page.goto(list);
  await page.getByRole('row').filter({ hasText: 'made@example.org' }).waitFor();
});
