import type { Browser, Locator, Page } from 'playwright-core';
import { service as itself } from '#app/core/caller';
import { objectsOf } from '#app/plugins/objects/server';
import { newAccount, type TestAccount } from '../helpers/accounts';
import { launchBrowser, newContext, signIn } from '../helpers/browser';
import { until } from '../helpers/until';
import { startService, type TestService } from '../helpers/service';
import { historyOf } from '../helpers/snapshot';
import { testHome } from './home/page';
import { testPages } from './languages/pages';
import { testReviewPage } from './review/page';

const LIST = '/admin/content-manager/collection-types/api::encounter.encounter';

let service: TestService;
let browser: Browser;
let page: Page;
let moderator: TestAccount;
const errors: string[] = [];

beforeAll(async () => {
  service = await startService({
    site: { review_encounters: true, anonymous_encounters: true },
  });
  browser = await launchBrowser();
  const context = await newContext(browser, { viewport: { width: 1400, height: 1000 } });
  context.setDefaultTimeout(30_000);
  page = await context.newPage();
  page.on('pageerror', (error) => errors.push(error.message));
  moderator = await newAccount(service, 'moderator');
  await signIn(page, service.url, moderator);
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
});
afterEach(() => expect(errors).toEqual([]));

const button = (name: string): Locator => page.getByRole('button', { name, exact: true });
const notice = (text: RegExp): Locator =>
  page.locator('[role=status], [role=alert]').filter({ hasText: text });
const row = (text: string): Locator => page.getByRole('row').filter({ hasText: text });
/** Ticks rows, until a button is there for them: a list that is read again loses its selection. */
async function select(names: readonly string[], action: string): Promise<void> {
  await row(names[0] ?? '').waitFor();
  await until('the selection', async () => {
    for (const name of names) {
      const box = row(name).getByRole('checkbox');
      if (!(await box.isChecked())) await box.click();
    }
    return button(action).isVisible();
  });
}
const note = (): Locator => page.getByLabel('Note to the owner');

/** Makes an encounter that waits for its review. */
async function make(time: string): Promise<string> {
  const change = { op: 'create', type: 'encounter', body: { time } } as const;
  return (await objectsOf(service.strapi).write(change, itself)).id;
}

/** Reviews an encounter without the page that shows it. */
async function decide(id: string, state: string): Promise<void> {
  const change = { op: 'act', type: 'encounter', id, action: 'review', body: { state } } as const;
  await objectsOf(service.strapi).write(change, itself);
}

const lastOf = async (id: string) => (await historyOf(service, id)).at(-1);
const openPage = (id: string) => page.goto(`${service.url}${LIST}/${id}`);

describe('the first page', () => testHome(() => ({ browser, page, moderator, service })));

test('approves an encounter on its page with a note, and shows what it is then', async () => {
  const id = await make('2021-01');
  await openPage(id);
  await note().fill('Well seen.');
  expect(await button('Set to pending again').count()).toBe(0);
  await button('Approve').click();
  await notice(/1 record has been reviewed/).waitFor();
  await button('Approve').waitFor({ state: 'detached' });
  expect(await button('Reject').count()).toBe(1);
  expect(await note().inputValue()).toBe('');
  await page.getByText('Well seen.').waitFor();
  expect(await lastOf(id)).toMatchObject({
    action: 'review',
    changes: [
      { path: 'told_from', before: null, after: expect.any(String) as string },
      { path: 'state', before: 'pending', after: 'approved' },
      { path: 'review_note', before: null, after: 'Well seen.' },
    ],
  });
});

test('waits until changes in the form are saved, and takes the version that they made', async () => {
  const id = await make('2021-02');
  await openPage(id);
  await note().waitFor();
  await page.locator('input[name=locality]').fill('Seronera');
  await page.getByText('Save or undo your changes first.').waitFor();
  expect(await button('Reject').isDisabled()).toBe(true);
  await button('Save').click();
  await notice(/Saved document/).waitFor();
  await button('Reject').click();
  await notice(/1 record has been reviewed/).waitFor();
  expect(await lastOf(id)).toMatchObject({ action: 'review', version: 3 });
});

test('tells of a state that has moved, and shows the present one', async () => {
  const id = await make('2021-03');
  await openPage(id);
  await note().waitFor();
  await decide(id, 'approved');
  await button('Approve').click();
  await notice(/changed in the meantime.*2021-03/).waitFor();
  await button('Approve').waitFor({ state: 'detached' });
  expect((await lastOf(id))?.version).toBe(2);
  await button('Reject').click();
  await notice(/1 record has been reviewed/).waitFor();
  expect(await lastOf(id)).toMatchObject({ version: 3, action: 'review' });
});

test('rejects a selection in the list, and tells which of it has moved', async () => {
  const ids = [await make('2022-01'), await make('2022-02'), await make('2022-03')] as const;
  await page.goto(`${service.url}${LIST}?page=1&pageSize=50&sort=time:DESC`);
  await select(['2022-01', '2022-02', '2022-03'], 'Reject');
  const actions = await page.getByRole('button', { name: /^(Approve|Reject|Delete)$/ }).all();
  expect(await Promise.all(actions.map((one) => one.innerText()))).toEqual([
    ...['Approve', 'Reject', 'Delete'],
  ]);
  await decide(ids[2], 'approved');
  await button('Reject').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('3 records are selected.').waitFor();
  await note().fill('Which of the two?');
  await dialog.getByRole('button', { name: 'Reject' }).click();
  await notice(/2 records have been reviewed/).waitFor();
  await notice(/1 record has changed in the meantime.*2022-03/).waitFor();
  await row('2022-01').filter({ hasText: 'rejected' }).waitFor();
  await row('2022-03').filter({ hasText: 'approved' }).waitFor();
  expect(await button('Reject').count()).toBe(0);
  await select(['2022-02', '2022-03'], 'Approve');
  await button('Approve').click();
  await dialog.getByRole('button', { name: 'Approve' }).click();
  await notice(/not possible in the present state of 1 record: 2022-03/).waitFor();
  await row('2022-02').filter({ hasText: 'approved' }).waitFor();
  const versions = [2, 3, 2];
  for (const [at, id] of ids.entries())
    expect(await lastOf(id)).toMatchObject({ action: 'review', version: versions[at] });
});

test('offers nothing for other types', async () => {
  const taxon = { op: 'create', type: 'taxonomy', body: { scientific_name: 'Equus' } } as const;
  const { id } = await objectsOf(service.strapi).write(taxon, itself);
  await page.goto(`${service.url}/admin/content-manager/collection-types/api::taxonomy.taxonomy`);
  await select(['Equus'], 'Delete');
  expect(await button('Approve').count()).toBe(0);
  await page.goto(`${page.url().split('?')[0] ?? ''}/${id}`);
  await button('Save').waitFor();
  await page.waitForLoadState('networkidle');
  expect(await note().count()).toBe(0);
});

describe('the page of reviews', () => testReviewPage(() => ({ page, service })));

describe('the pages of the panel', () => testPages(() => ({ browser, service })));
