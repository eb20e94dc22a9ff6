import type { Browser, BrowserContext, Locator, Page, Request } from 'playwright-core';
import { service as itself } from '#app/core/caller';
import { objectsOf } from '#app/plugins/objects/server';
import { launchBrowser, newContext, signIn } from '../helpers/browser';
import { send } from '../helpers/http';
import { asObject, at, parsed, type Json } from '../helpers/json';
import { administrator } from '../helpers/panel';
import { startService, type TestService } from '../helpers/service';
import { historyOf } from '../helpers/snapshot';
import { testLists } from './content-manager/lists';

const list = (type: string): string =>
  `/admin/content-manager/collection-types/api::${type}.${type}`;

let service: TestService;
let browser: Browser;
let context: BrowserContext;
let page: Page;
/** What went wrong in the pages of one test. */
let errors: string[] = [];
/** What one test has deleted from its form: the panel asks for it once more before it leaves. */
let gone: string | null = null;

beforeAll(async () => {
  service = await startService({
    env: { OMS_ADMIN_EMAIL: administrator.email, OMS_ADMIN_PASSWORD: administrator.password },
  });
  browser = await launchBrowser();
  context = await newContext(browser, { viewport: { width: 1400, height: 1000 } });
  context.setDefaultTimeout(60_000);
  context.on('page', watch);
  await signIn(await context.newPage(), service.url, administrator);
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
});
beforeEach(async () => {
  errors = [];
  gone = null;
  page = await context.newPage();
});
afterEach(async () => {
  for (const open of context.pages()) await open.close();
  expect(errors).toEqual([]);
});

/** An error that no code has caught, one that the panel tells of, and an answer that nobody provoked. */
function watch(opened: Page): void {
  opened.on('pageerror', (error) => errors.push(error.message));
  opened.on('console', (message) => {
    const text = message.text();
    if (message.type() === 'error' && !text.startsWith('Failed to load resource'))
      errors.push(text);
  });
  opened.on('response', (response) => {
    const { pathname } = new URL(response.url());
    const isRefusal = response.status() === 400 && pathname.startsWith('/content-manager/');
    const isExpected = isRefusal || (gone !== null && pathname.endsWith(gone));
    if (response.status() >= 400 && !isExpected) errors.push(`${response.status()} ${pathname}`);
  });
}

/** Makes an object without the panel. */
async function make(type: string, body: Json): Promise<string> {
  return (await objectsOf(service.strapi).write({ op: 'create', type, body }, itself)).id;
}

async function open(path: string): Promise<void> {
  await page.goto(service.url + path);
}

const input = (name: string): Locator => page.locator(`input[name=${name}]`);
const row = (text: string): Locator => page.getByRole('row').filter({ hasText: text });
const button = (name: string): Locator => page.getByRole('button', { name, exact: true });
const notice = (text: string | RegExp): Locator =>
  page.locator('[role=status], [role=alert]').filter({ hasText: text });

/** The text at an input, once it is there. */
const textAt = (name: string): Promise<string> =>
  page.locator(`:has(> div > input[name=${name}]) > [data-strapi-field-error]`).innerText();

/** Presses Save, and gives what was sent. */
async function save(method: 'POST' | 'PUT'): Promise<Json> {
  const isSave = (request: Request): boolean =>
    request.method() === method && request.url().includes('/content-manager/collection-types/');
  const [request] = await Promise.all([page.waitForRequest(isSave), button('Save').click()]);
  return asObject(request.postDataJSON());
}

async function headersOf(type: string): Promise<string[]> {
  await open(list(type));
  const headers = page.locator('thead th');
  await headers.nth(1).waitFor();
  const texts = await headers.allInnerTexts();
  return texts.map((text) => text.trim().toLowerCase()).filter((text) => text !== '');
}

test('shows both types with readable columns, and advertises nothing', async () => {
  await make('taxonomy', { scientific_name: 'Equidae', rank: 'family' });
  await make('encounter', { time: '2021-06-03T14:05+02:00', locality: 'Seronera' });
  expect(await headersOf('taxonomy')).toEqual([
    'scientific name',
    'rank',
    'status',
    'parent',
    'location privacy',
    'offered',
  ]);
  expect(await row('Equidae').innerText()).toMatch(/family\s+accepted/);
  expect(await headersOf('encounter')).toEqual([
    'time',
    'taxon',
    'group size',
    'locality',
    'country',
    'state',
  ]);
  expect(await row('2021-06-03T14:05+02:00').innerText()).toMatch(/Seronera[\s-]+Approved/);
  await open('/admin');
  await page.getByRole('region', { name: 'Waiting for a review' }).waitFor();
  for (const noise of [/new Media Library/, /published/i, /tour/i, /trial/i, /upgrade/i])
    expect([noise, await page.getByText(noise).count()]).toEqual([noise, 0]);
});

test('finds ducks in the list by any of their names', async () => {
  const duck = await make('taxonomy', {
    scientific_name: 'Anas platyrhynchos',
    rank: 'species',
    vernacular_names: { en: 'mallard', nl: 'wilde eend' },
  });
  await make('encounter', { taxonomy: duck, time: '2019', locality: 'Kromme Rijn' });
  for (const name of ['wilde eend', 'mallard', 'platyrhynchos']) {
    await open(list('encounter'));
    await row('Seronera').waitFor();
    await button('Search').click();
    await input('search').fill(name);
    await page.keyboard.press('Enter');
    await row('Seronera').waitFor({ state: 'detached' });
    expect(await row('Kromme Rijn').innerText()).toContain('Anas platyrhynchos');
    await page.getByText('1 entry found').waitFor();
  }
});

test('makes a taxon as its form begins, and shows it', async () => {
  await open(`${list('taxonomy')}/create`);
  await input('scientificName').fill('Loxodonta africana');
  await input('rank').fill('Species');
  await button('Add a language').click();
  await page.locator('[name="vernacularNames.0.text"]').fill('African bush elephant');
  expect(await save('POST')).toEqual({
    scientificName: 'Loxodonta africana',
    rank: 'Species',
    vernacularNames: { en: 'African bush elephant' },
    taxonomicStatus: 'accepted',
    enabled: true,
    version: 1,
  });
  await notice('Saved document').waitFor();
  await page.waitForURL(/[0-9a-f-]{36}/);
  const [entry] = await historyOf(service, /[0-9a-f-]{36}/.exec(page.url())?.[0] ?? '');
  expect(entry).toMatchObject({ action: 'create', actor_name: 'Administrator' });
  await open(list('taxonomy'));
  expect(await row('Loxodonta africana').innerText()).toContain('species');
});

test('makes an encounter, once what is wrong in it has been put right at its fields', async () => {
  await make('taxonomy', { scientific_name: 'Giraffa tippelskirchi' });
  await open(`${list('encounter')}/create`);
  await input('time').fill('yesterday');
  await input('latitude').fill('-2.3333333');
  await page.getByRole('combobox', { name: 'Taxon' }).click();
  await page.getByRole('option', { name: 'Giraffa tippelskirchi' }).click();
  await save('POST');
  await notice('Something in the request is not right.').waitFor();
  expect(await textAt('time')).toContain('EDTF level 0');
  expect(await textAt('longitude')).toBe('This is required.');
  await input('time').fill('2021-06');
  await input('longitude').fill('34.8333');
  expect(await save('POST')).toMatchObject({ latitude: -2.3333333, version: 1 });
  await notice('Saved document').waitFor();
  await page.getByRole('heading', { name: '2021-06' }).waitFor();
  expect(await input('latitude').inputValue()).toBe('-2.3333333');
});

test('takes away a name that chooses nobody, and says nothing of an error', async () => {
  await open(`${list('encounter')}/create`);
  const box = page.getByRole('combobox', { name: 'Individual' });
  for (const leave of ['Enter', 'Tab']) {
    await box.click();
    await box.pressSequentially('Tusker');
    await page.getByText('No relations available').waitFor();
    await page.keyboard.press(leave);
    await expectValue(box, '');
  }
  expect(await notice(/error/i).count()).toBe(0);
});

test('keeps what was typed when a change is refused, and saves it when it is right', async () => {
  const id = await make('encounter', { time: '2022-01', locality: 'Lobo', group_size: 3 });
  await open(`${list('encounter')}/${id}`);
  await input('locality').fill('Lobo waterhole');
  await input('groupSize').fill('');
  await input('countryCode').fill('XX');
  expect(await save('PUT')).toMatchObject({
    version: 1,
    groupSize: null,
    timeStart: expect.anything() as unknown,
  });
  await notice(
    'country code: This has to be a country code of two letters (ISO 3166-1), such as KE.',
  ).waitFor();
  expect(await textAt('countryCode')).toBe(
    'This has to be a country code of two letters (ISO 3166-1), such as KE.',
  );
  // The panel reads the document again after a refusal: that must not bring the old values back.
  await page.waitForLoadState('networkidle');
  expect(await input('locality').inputValue()).toBe('Lobo waterhole');
  await input('countryCode').fill('tz');
  await save('PUT');
  await notice('Saved document').waitFor();
  await expectValue(input('countryCode'), 'TZ');
  await expectValue(input('version'), '2');
  expect((await historyOf(service, id)).at(-1)?.changes.map(({ path }) => path)).toEqual([
    'locality',
    'country_code',
    'group_size',
  ]);
  // The form holds the new version: the next change is not taken for one of an old state.
  await input('locality').fill('Lobo');
  expect(await save('PUT')).toMatchObject({ version: 2 });
  await expectValue(input('version'), '3');
});

/** Opens the form of a new encounter in a language of the panel. */
async function openNew(language: string): Promise<void> {
  await page.addInitScript(`localStorage.setItem('strapi-admin-language', '${language}')`);
  await open(`${list('encounter')}/create`);
  await input('time').fill('2023-01');
}

/** Presses the button that saves, and gives where the new encounter is, as the API answers it. */
async function savedPosition(name: string): Promise<unknown[]> {
  await button(name).click();
  await page.waitForURL(/[0-9a-f-]{36}/);
  const id = /[0-9a-f-]{36}/.exec(page.url())?.[0] ?? '';
  const { text } = await send(service.url, { method: 'GET', url: `/api/v0/encounter/${id}` });
  return ['latitude', 'longitude'].map((field) => at(parsed(text), 'response', field));
}

describe('a number', () => {
  afterEach(async () => {
    await page.evaluate("localStorage.removeItem('strapi-admin-language')");
  });

  test.each([
    ['en', 'Save', '-2.5', '4.1'],
    ['es', 'Guardar', '-2,5', '4,1'],
  ])('has either decimal sign, in the panel in %s', async (language, name, latitude, longitude) => {
    for (const [first, second] of [
      ['-2,5', '4.1'],
      ['-2.5', '4,1'],
    ] as const) {
      await openNew(language);
      await input('latitude').pressSequentially(first);
      await input('longitude').pressSequentially(second);
      expect(await input('longitude').inputValue()).toBe(second);
      expect(await savedPosition(name)).toEqual([-2.5, 4.1]);
      await expectValue(input('latitude'), latitude);
      await expectValue(input('longitude'), longitude);
    }
  });

  test('is one of two in a position that is pasted', async () => {
    await openNew('en');
    await input('locality').fill('50.699, 4.013');
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Control+X');
    await input('latitude').focus();
    await page.keyboard.press('Control+V');
    await expectValue(input('longitude'), '4.013');
    await expectValue(input('latitude'), '50.699');
    // What has been typed is no paste, and is taken when its field is left.
    await input('elevation').fill('50.699, 4.013');
    await input('longitude').fill('-50,5; -4,25');
    await input('elevation').fill('12');
    expect(await savedPosition('Save')).toEqual([-50.5, -4.25]);
  });

  test('that has to be whole is not made so', async () => {
    await openNew('es');
    await input('groupSize').pressSequentially('1.5');
    const refused = page.waitForResponse((answer) => answer.request().method() === 'POST');
    await button('Guardar').click();
    expect((await refused).status()).toBe(400);
    await page.locator('[data-strapi-field-error]').waitFor();
    expect(await textAt('groupSize')).toMatch(/whole number/);
  });

  test.each([
    ['en', 'Save', /^It is not clear which sign/, /^This is not a number/],
    ['es', 'Guardar', /^No está claro/, /^Esto no es un número/],
    ['fr', 'Enregistrer', /^On ne sait pas/, /^Ceci n’est pas un nombre/],
  ])('is not guessed, in %s', async (language, name, twoSigns, notNumber) => {
    await openNew(language);
    const before = await service.strapi.db.query('api::encounter.encounter').count();
    await input('latitude').fill('1,234.5');
    await input('longitude').fill('4.1 E');
    await input('elevation').fill('1.234,5');
    await button(name).click();
    expect(await textAt('latitude')).toMatch(twoSigns);
    expect(await textAt('longitude')).toMatch(notNumber);
    expect(await textAt('elevation')).toMatch(twoSigns);
    expect(await input('latitude').inputValue()).toBe('1,234.5');
    expect(await service.strapi.db.query('api::encounter.encounter').count()).toBe(before);
    await input('latitude').fill('1');
    await input('longitude').fill('4.1');
    await input('elevation').fill('');
    expect(await savedPosition(name)).toEqual([1, 4.1]);
  });
});

async function expectValue(field: Locator, value: string): Promise<void> {
  const deadline = Date.now() + 5000;
  while ((await field.inputValue()) !== value && Date.now() < deadline)
    await page.waitForTimeout(50);
  expect(await field.inputValue()).toBe(value);
}

test('refuses the second of two who change the same, in words', async () => {
  const id = await make('encounter', { time: '2022-02', locality: 'Naabi' });
  const [first, second] = [page, await context.newPage()];
  for (const opened of [first, second]) {
    page = opened;
    await open(`${list('encounter')}/${id}`);
    await input('locality').waitFor();
  }
  page = first;
  await page.bringToFront();
  await input('locality').fill('Naabi Hill');
  await save('PUT');
  await notice('Saved document').waitFor();
  page = second;
  await page.bringToFront();
  await input('locality').fill('Naabi Gate');
  await save('PUT');
  await notice(/changed in the meantime.*Your changes were not saved/).waitFor();
  await expectValue(input('locality'), 'Naabi Hill');
  expect((await historyOf(service, id)).length).toBe(2);
});

test('deletes one entry, and refuses a taxon that is in use, in words', async () => {
  const taxonomy = await make('taxonomy', { scientific_name: 'Panthera leo' });
  const id = await make('encounter', { time: '2022-03', taxonomy });
  await open(list('taxonomy'));
  await row('Panthera leo').getByRole('button', { name: 'Row actions' }).click();
  expect(await page.getByRole('menuitem').allInnerTexts()).toEqual([
    'Edit',
    'Open in new tab',
    'Delete entry',
  ]);
  await page.getByRole('menuitem', { name: 'Delete entry' }).click();
  await button('Confirm').click();
  await notice(/^Panthera leo: .*encounter.*Nothing was deleted/).waitFor();
  await open(`${list('encounter')}/${id}`);
  await button('More actions').click();
  expect(await page.getByRole('menuitem', { name: /Duplicate|Edit the model/ }).count()).toBe(0);
  await page.getByRole('menuitem', { name: 'Delete entry' }).click();
  gone = id;
  await button('Confirm').click();
  await notice('Deleted document').waitFor();
  expect((await historyOf(service, id)).at(-1)).toMatchObject({
    action: 'delete',
    actor_name: 'Administrator',
  });
});

test('tells beside a protected taxon without a parent what it does not cover', async () => {
  const [above, rhino] = [
    await make('taxonomy', { scientific_name: 'Rhinocerotidae' }),
    await make('taxonomy', { scientific_name: 'Diceros bicornis', location_privacy: 'obscured' }),
  ];
  const covered = await make('taxonomy', {
    ...{ scientific_name: 'Ceratotherium simum', location_privacy: 'obscured', parent: above },
  });
  const told = page.getByText('Give this taxon a parent');
  const form = (id: string): Promise<void> => open(`${list('taxonomy')}/${id}`);
  await form(rhino);
  await told.waitFor();
  await form(covered);
  await page.getByRole('heading', { name: 'Ceratotherium simum' }).waitFor();
  expect(await told.count()).toBe(0);
});

test('deletes a selection, whole or not at all', async () => {
  for (const name of ['Bulk one', 'Bulk two', 'Bulk three'])
    await make('taxonomy', { scientific_name: name });
  const used = await make('taxonomy', { scientific_name: 'Bulk used' });
  await make('encounter', { taxonomy: used });
  const removeSelected = async (): Promise<void> => {
    await button('Delete').click();
    await button('Confirm').click();
  };
  await open(`${list('taxonomy')}?page=1&pageSize=50&sort=scientificName:ASC&_q=Bulk`);
  for (const name of ['Bulk one', 'Bulk two', 'Bulk three', 'Bulk used'])
    await row(name).getByRole('checkbox').click();
  await removeSelected();
  await notice(/^Bulk used: .*Nothing was deleted/).waitFor();
  // The list is read again after the answer: its rows are there once more.
  await row('Bulk').nth(3).waitFor();
  expect(await row('Bulk').count()).toBe(4);
  await row('Bulk used').getByRole('checkbox').click();
  await removeSelected();
  await notice('Successfully deleted').waitFor();
  await row('Bulk one').waitFor({ state: 'detached' });
  await row('Bulk used').waitFor();
  expect(await row('Bulk').count()).toBe(1);
});

describe('a list of records', () => testLists(() => ({ page, service })));
