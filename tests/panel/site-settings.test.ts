import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { hiddenChange } from '#app/api/encounter/hidden-change';
import { hiddenNow } from '#app/api/encounter/hidden-now';
import { importer } from '#app/core/caller';
import { objectsOf, registryOf } from '#app/plugins/objects/server';
import { launchBrowser, newContext, signIn } from '../helpers/browser';
import { send } from '../helpers/http';
import { asObject, at, parsed, type Json } from '../helpers/json';
import { administrator } from '../helpers/panel';
import { login, responseOf } from '../helpers/people';
import { photograph, uploadRequest } from '../helpers/upload';
import { startService, type TestService } from '../helpers/service';
import { createSender } from '../helpers/world';

const DOCS = join(__dirname, '..', '..', 'docs');
const PICTURES = join(DOCS, 'images', 'site-settings');
/** Whether the pictures of the documentation are taken anew: `OMS_PICTURES=1 npm run test:panel`. */
const takesPictures = process.env.OMS_PICTURES === '1';

const FORM = '/admin/content-manager/single-types/api::site-settings.site-settings';

let service: TestService;
let browser: Browser;
let page: Page;
let secret: string;
/** An asset of the administrator's. */
let asset: string;
const errors: string[] = [];

/** A server of map tiles, at an origin of its own. */
const tiles = createServer((request, response) => {
  tilesAsked.push(request.url ?? '');
  void photograph().then((bytes) =>
    response.writeHead(200, { 'Content-Type': 'image/jpeg' }).end(bytes),
  );
});
const tilesAsked: string[] = [];

beforeAll(async () => {
  await new Promise<void>((listening) => tiles.listen(0, '127.0.0.1', listening));
  const { port } = tiles.address() as AddressInfo;
  service = await startService({
    env: {
      OMS_ADMIN_EMAIL: administrator.email,
      OMS_ADMIN_PASSWORD: administrator.password,
      MAP_TILES_URL: `http://127.0.0.1:${port}/{z}/{x}/{y}.png`,
      MAP_TILES_ATTRIBUTION: 'Tiles & <b>somebody</b>',
    },
  });
  // Before there are fields that it would need.
  await objectsOf(service.strapi).write(
    { op: 'create', type: 'encounter', body: { location_privacy: 'obscured' } },
    importer('a package'),
  );
  const sender = await createSender(service.url);
  secret = await login(sender, administrator);
  const bearer = { Authorization: `Bearer ${secret}` };
  const upload = uploadRequest({ bytes: await photograph(), filename: 'logo.jpg' }, bearer);
  asset = String(responseOf(await sender.send(upload))['path']);
  browser = await launchBrowser();
  // All of the form at once, for pictures of the longest inputs.
  const height = takesPictures ? 6000 : 1000;
  const context = await newContext(browser, { viewport: { width: 1400, height } });
  context.setDefaultTimeout(30_000);
  page = await context.newPage();
  page.on('pageerror', (error) => errors.push(error.message));
  await signIn(page, service.url, administrator);
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
  tiles.close();
});
afterEach(() => expect(errors).toEqual([]));

async function open(): Promise<void> {
  await page.goto(service.url + FORM);
  await page.getByText('Settings of the frontend').waitFor();
}

async function read(): Promise<Json> {
  const headers = { Authorization: `Bearer ${secret}` };
  const { text } = await send(service.url, {
    method: 'GET',
    url: '/api/v0/site_settings',
    headers,
  });
  return asObject(at(parsed(text), 'response'));
}

/** Presses Save. @returns the status of the answer */
async function save(): Promise<number> {
  const [response] = await Promise.all([
    page.waitForResponse(
      (answer) =>
        answer.request().method() === 'PUT' &&
        answer.url().includes('/content-manager/single-types/'),
    ),
    page.getByRole('button', { name: 'Save', exact: true }).click(),
  ]);
  return response.status();
}

const whole = (attribute: string): Locator => page.locator(`[data-attribute=${attribute}]`);
const button = (within: Locator, name: string | RegExp): Locator =>
  within.getByRole('button', { name, exact: typeof name === 'string' });
const fill = (attribute: string) => (text: string) =>
  page.locator(`input[name=${attribute}]`).fill(text);

/** Types a localized text, a row for each language. */
async function localize(within: Locator, name: string, texts: Record<string, string>) {
  for (const [at, [language, text]] of Object.entries(texts).entries()) {
    await button(within, 'Add a language').last().click();
    await within.locator(`[name="${name}.${at}.key"]`).fill(language);
    await within.locator(`[name="${name}.${at}.text"]`).fill(text);
  }
}

async function list(attribute: string, ...texts: string[]): Promise<void> {
  const within = whole(attribute);
  for (const text of texts) {
    await button(within, 'Add an entry').click();
    await within.locator('input').last().fill(text);
  }
}

/** Chooses an entry of a list that opens below an input. */
async function choose(select: Locator, option: string): Promise<void> {
  await select.click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

/** A toggle's input lies under its two words. */
const toggle = (name: string) => page.locator(`input[name="${name}"]`).click({ force: true });

/** How each setting is typed, and what it is on the wire then. */
const TYPED: Readonly<Record<string, { type: () => Promise<unknown>; wire: unknown }>> = {
  site_name: {
    type: () => localize(whole('siteName'), 'siteName', { en: 'Otters', fr: 'Loutres' }),
    wire: { en: 'Otters', fr: 'Loutres' },
  },
  tagline: {
    type: () => localize(whole('tagline'), 'tagline', { en: 'Seen again' }),
    wire: { en: 'Seen again' },
  },
  description: {
    type: () => localize(whole('description'), 'description', { en: 'All about otters.' }),
    wire: { en: 'All about otters.' },
  },
  announcement: {
    type: () => localize(whole('announcement'), 'announcement', { en: 'Closed on Monday.' }),
    wire: { en: 'Closed on Monday.' },
  },
  logo_id: {
    type: () => choose(page.getByRole('combobox', { name: /^Logo/ }), 'logo.jpg'),
    get wire() {
      return asset;
    },
  },
  media: {
    async type() {
      await button(whole('media'), 'Add an image').click();
      await whole('media').locator('[name="media.0.key"]').fill('banner');
      await whole('media').locator('[name="media.0.text"]').fill(asset);
    },
    get wire() {
      return { banner: asset };
    },
  },
  languages: { type: () => list('languages', 'fr', 'PT-br'), wire: ['en', 'fr', 'pt-BR'] },
  default_language: { type: () => fill('defaultLanguage')('fr'), wire: 'fr' },
  contact_email: { type: () => fill('contactEmail')('a@example.org'), wire: 'a@example.org' },
  terms_url: {
    type: () => fill('termsUrl')('https://example.org/terms'),
    wire: 'https://example.org/terms',
  },
  privacy_url: {
    type: () => fill('privacyUrl')('https://example.org/privacy'),
    wire: 'https://example.org/privacy',
  },
  readers: {
    type: () => choose(page.getByRole('combobox', { name: /^Readers/ }), 'Users with an account'),
    wire: 'users',
  },
  registration_open: { type: () => toggle('registrationOpen'), wire: false },
  require_verified_email: { type: () => toggle('requireVerifiedEmail'), wire: true },
  anonymous_encounters: { type: () => toggle('anonymousEncounters'), wire: true },
  review_encounters: { type: () => toggle('reviewEncounters'), wire: true },
  protect_unidentified: { type: () => toggle('protectUnidentified'), wire: false },
  tell_hidden: {
    type: () =>
      choose(
        page.getByRole('combobox', { name: /^When hidden records are told/ }),
        'On the first day of a month',
      ),
    wire: 'monthly',
  },
  hidden_tells: {
    type: () => choose(page.getByRole('combobox', { name: /^What hidden records tell/ }), 'Both'),
    wire: 'both',
  },
  show_owner_when_hidden: { type: () => toggle('showOwnerWhenHidden'), wire: true },
  default_location_privacy: {
    type: () => choose(page.getByRole('combobox', { name: /^Location privacy/ }), 'Obscured'),
    wire: 'obscured',
  },
  max_upload_bytes: { type: () => fill('maxUploadBytes')('1048576'), wire: 1_048_576 },
  regions: {
    type: typeRegions,
    wire: [
      { id: 'kenya', name: { en: 'Kenya' }, parent: null, bbox: [33.9, -4.7, 41.9, 5.5] },
      { id: 'mara', name: {}, parent: 'kenya', bbox: null },
    ],
  },
  behaviors: {
    type: () => list('behaviors', 'foraging', 'resting'),
    wire: ['foraging', 'resting'],
  },
  custom_fields: {
    type: typeCustomFields,
    wire: {
      encounter: [
        {
          key: 'mood',
          type: 'select',
          label: { en: 'Mood' },
          description: null,
          category: 'Behavior',
          options: [{ value: 'calm', label: { en: 'Calm' } }],
          required: true,
          public_when_obscured: false,
          retired: false,
        },
      ],
      individual: [],
    },
  },
  review_notes: {
    type: typeNotes,
    wire: [{ title: { en: 'Place' }, text: { en: 'Where was it?' } }],
  },
  frontend_url: {
    type: () => fill('frontendUrl')('https://otters.example.org'),
    wire: 'https://otters.example.org',
  },
  mail_from: { type: () => fill('mailFrom')('otters@example.org'), wire: 'otters@example.org' },
  allowed_origins: {
    type: () => list('allowedOrigins', 'https://map.example.org'),
    wire: ['https://map.example.org'],
  },
  frontend: {
    type: async () => {
      await page.locator('.cm-content').click();
      await page.keyboard.press('Control+A');
      await page.keyboard.type('{"theme": "dark"}');
    },
    wire: { theme: 'dark' },
  },
};

async function typeRegions(): Promise<void> {
  const regions = whole('regions');
  await button(regions, 'Add a region').click();
  await regions.locator('[name="regions.0.id"]').fill('kenya');
  await localize(regions, 'regions.0.name', { en: 'Kenya' });
  for (const [at, text] of ['33.9', '-4,7', '41.9', '5.5'].entries())
    await regions.locator(`[name="regions.0.bbox.${at}"]`).fill(text);
  await button(regions, /^Kenya/).click();
  await button(regions, 'Add a region').click();
  await regions.locator('[name="regions.1.id"]').fill('mara');
  await choose(regions.getByRole('combobox', { name: 'Parent region' }), 'Kenya · kenya');
}

async function typeNotes(): Promise<void> {
  const notes = whole('reviewNotes');
  await button(notes, 'Add a note').click();
  await button(notes, 'Add a language').first().click();
  await notes.locator('[name="reviewNotes.0.title.0.key"]').fill('en');
  await notes.locator('[name="reviewNotes.0.title.0.text"]').fill('Place');
  await localize(notes, 'reviewNotes.0.text', { en: 'Where was it?' });
}

async function typeCustomFields(): Promise<void> {
  const fields = whole('customFields');
  const name = 'customFields.encounter.0';
  await button(fields, 'Add a field to encounters').click();
  await fields.locator(`[name="${name}.key"]`).fill('mood');
  await choose(fields.getByRole('combobox', { name: 'Type' }), 'One of a list');
  await fields.locator(`[name="${name}.category"]`).fill('Behavior');
  await button(fields, 'Add a language').first().click();
  await fields.locator(`[name="${name}.label.0.key"]`).fill('en');
  await fields.locator(`[name="${name}.label.0.text"]`).fill('Mood');
  await button(fields, 'Add an option').click();
  await fields.locator(`[name="${name}.options.0.value"]`).fill('calm');
  await localize(fields, `${name}.options.0.label`, { en: 'Calm' });
  await toggle(`${name}.required`);
}

/** Of the form, what belongs to one setting: label, input and help. */
async function picture(name: string, label: string): Promise<void> {
  mkdirSync(PICTURES, { recursive: true });
  const attribute = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const own = whole(attribute);
  const field =
    (await own.count()) > 0
      ? own
      : page.locator('label', { hasText: label }).first().locator('xpath=../..');
  await field.scrollIntoViewIfNeeded();
  await field.screenshot({ path: join(PICTURES, `${name}.png`) });
}

test('the documentation tells all settings, with a picture of each, and no others', () => {
  const text = readFileSync(join(DOCS, 'site-settings.md'), 'utf8');
  const told = [...text.matchAll(/^### .*\(`(\w+)`\)$/gm)].map(([, name]) => name ?? '');
  const { fields } = registryOf(service.strapi).model().type('site_settings').resource;
  const written = [...fields.values()].filter(
    ({ derived, attribute }) => !derived && attribute !== null,
  );
  expect(told.sort()).toEqual(written.map(({ name }) => name).sort());
  expect(Object.keys(TYPED).sort()).toEqual(told);
  for (const name of told) {
    expect(text).toContain(`(images/site-settings/${name}.png)`);
    expect([name, takesPictures || existsSync(join(PICTURES, `${name}.png`))]).toEqual([
      name,
      true,
    ]);
  }
});

test('every setting is typed in its input, saved together, and read by the interface', async () => {
  await open();
  const text = readFileSync(join(DOCS, 'site-settings.md'), 'utf8');
  for (const [name, { type }] of Object.entries(TYPED)) {
    await type();
    const [, label = ''] = new RegExp(`^### (.*) \\(\`${name}\`\\)$`, 'm').exec(text) ?? [];
    if (takesPictures) await picture(name, label);
  }
  expect(await save()).toBe(200);
  const settings = await read();
  for (const [name, { wire }] of Object.entries(TYPED))
    expect({ [name]: settings[name] }).toEqual({ [name]: wire });
});

test('what is refused is told at each part, and nothing that was typed is lost', async () => {
  await open();
  const before = await read();
  await button(whole('siteName'), 'Add a language').click();
  await whole('siteName').locator('[name="siteName.2.key"]').fill('no language');
  await whole('siteName').locator('[name="siteName.2.text"]').fill('kept');
  await list('allowedOrigins', 'https://a.example/path');
  await button(whole('regions'), /^Kenya/).click();
  await whole('regions').locator('[name="regions.0.bbox.1"]').fill('91');
  await fill('contactEmail')('b@example.org');
  expect(await save()).toBe(400);
  await whole('siteName').getByText('This has to be a language tag').waitFor();
  await whole('allowedOrigins').getByText('This has to be an origin').waitFor();
  expect(await whole('siteName').locator('[name="siteName.2.text"]').inputValue()).toBe('kept');
  expect(await page.locator('input[name=contactEmail]').inputValue()).toBe('b@example.org');
  expect(await read()).toEqual(before);

  // All of it can be put right, and the same form is saved.
  await whole('siteName').locator('[name="siteName.2.key"]').fill('es');
  await whole('allowedOrigins').locator('input').last().fill('https://a.example');
  await whole('regions').locator('[name="regions.0.bbox.1"]').fill('-4.7');
  expect(await save()).toBe(200);
  expect(await read()).toMatchObject({
    site_name: { en: 'Otters', fr: 'Loutres', es: 'kept' },
    contact_email: 'b@example.org',
  });
});

test('entries are moved and removed', async () => {
  await open();
  const behaviors = whole('behaviors');
  await button(behaviors, 'Move down').first().click();
  await list('behaviors', 'grooming');
  await button(behaviors, 'Remove').nth(1).click();
  expect(await save()).toBe(200);
  expect((await read())['behaviors']).toEqual(['resting', 'grooming']);
});

test('sections lead to their inputs, and end with what a visitor and a form see', async () => {
  await open();
  const sections = page.getByRole('navigation', { name: 'Sections' });
  expect(await sections.getByRole('button').allTextContents()).toEqual([
    ...['Site', 'Languages', 'Regions', 'Fields and behaviors', 'Privacy'],
    ...['Reports and accounts', 'Mail', 'Notes for rejections', 'Advanced'],
  ]);
  await button(sections, 'Privacy').click();
  const heading = page.locator('#section-privacy');
  await page.locator('#section-privacy:focus').waitFor();
  expect((await heading.boundingBox())?.y).toBeLessThan(400);
  // Strapi lets what stands beside the form scroll away.
  expect((await sections.boundingBox())?.y).toBeGreaterThan(0);

  const visitor = page.getByRole('region', { name: 'What a visitor sees' });
  await visitor.getByText('Loutres', { exact: true }).waitFor();
  await choose(visitor.getByRole('combobox', { name: 'Language of the preview' }), 'English');
  await whole('siteName').locator('[name="siteName.0.text"]').fill('Sea otters');
  await visitor.getByText('Sea otters', { exact: true }).waitFor();

  const form = page.getByRole('region', { name: 'What a form asks' });
  await choose(form.getByRole('combobox', { name: 'Mood' }), 'Calm');
  const offered = page.getByRole('region', { name: 'What a form offers' });
  await offered.getByText('Kenya', { exact: true }).waitFor();
  await offered.locator('path.leaflet-interactive').waitFor();
  await offered.locator('img.leaflet-tile-loaded').first().waitFor();
  expect(tilesAsked[0]).toMatch(/^\/\d+\/\d+\/\d+\.png$/);
  await offered.getByText('Tiles & <b>somebody</b>', { exact: true }).waitFor();
});

test('tables are sorted for reading, and keep their order', async () => {
  await open();
  const regions = whole('regions');
  const shown = async () => regions.locator('tbody tr td:nth-child(2)').allTextContents();
  expect(await shown()).toEqual(['kenya', 'mara']);
  await button(regions, 'Key').click();
  expect(await shown()).toEqual(['kenya', 'mara']);
  await button(regions, 'Key').click();
  expect(await shown()).toEqual(['mara', 'kenya']);
  expect(await button(regions, 'Move down').first().isDisabled()).toBe(true);
  // What is written in a row that stands elsewhere is its own.
  await button(regions, /^mara/).click();
  await regions.locator('[name="regions.1.id"]').fill('a-mara');
  await button(regions, 'Key').click();
  expect(await shown()).toEqual(['kenya', '', 'a-mara'].filter(Boolean));
  await page.reload();
});

test('what two administrators change stands side by side, and nothing is overwritten', async () => {
  const before = await read();
  await open();
  await fill('contactEmail')('mine@example.org');
  await fill('termsUrl')('https://mine.example.org');
  const headers = { Authorization: `Bearer ${secret}` };
  const body = { contact_email: 'theirs@example.org', privacy_url: 'https://theirs.example.org' };
  const put = { method: 'PUT', url: '/api/v0/site_settings', headers, body };
  expect((await send(service.url, put)).status).toBe(200);

  expect(await save()).toBe(400);
  const dialog = page.getByRole('dialog');
  await dialog.getByText('theirs@example.org').waitFor();
  const cells = async (attribute: string): Promise<string[]> =>
    dialog.locator(`tr[data-field=${attribute}] > *`).allInnerTexts();
  const [label, opened, now, typed] = await cells('contactEmail');
  expect([label, opened, now]).toEqual(['Contact', before['contact_email'], 'theirs@example.org']);
  expect(typed).toContain('mine@example.org');
  expect((await cells('privacyUrl')).slice(1)).toEqual([
    ...[before['privacy_url'], 'https://theirs.example.org', '–'],
  ]);
  // What both have changed is left as it is stored, unless it is chosen.
  await button(dialog, 'Put into the form').click();
  await dialog.waitFor({ state: 'detached' });
  expect(await page.locator('input[name=contactEmail]').inputValue()).toBe('theirs@example.org');
  expect(await page.locator('input[name=termsUrl]').inputValue()).toBe('https://mine.example.org');
  expect(await save()).toBe(200);
  expect(await read()).toMatchObject({ ...body, terms_url: 'https://mine.example.org' });
});

test('beside the form is how much is hidden from visitors', async () => {
  const { hidden, encounters } = await hiddenNow(service.strapi, new AbortController().signal);
  expect(hidden).toBeGreaterThan(0);
  await open();
  await page.getByText('Hidden from visitors').waitFor();
  const text = `${hidden} of ${encounters} encounters are not shown to visitors as they are stored.`;
  await page.getByText(text, { exact: true }).waitFor();
});

test('before a change of privacy is saved, it says what that would hide or show', async () => {
  const body = { readers: 'anyone', default_location_privacy: 'open', protect_unidentified: false };
  const headers = { Authorization: `Bearer ${secret}` };
  const put = { method: 'PUT', url: '/api/v0/site_settings', headers, body };
  expect((await send(service.url, put)).status).toBe(200);
  const custom_fields = { mood: 'calm' };
  const encounter = { op: 'create', type: 'encounter', body: { custom_fields } } as const;
  await objectsOf(service.strapi).write(encounter, importer('another package'));
  await service.strapi.db.connection('encounters').update({ state: 'approved' });
  await open();
  const signal = new AbortController().signal;
  const { hides } = await hiddenChange(service.strapi, { readers: 'users' }, signal);
  expect(hides).toBeGreaterThan(0);
  const told = page.getByRole('status').filter({ hasText: 'If you save this:' });
  expect(await told.count()).toBe(0);
  await choose(page.getByRole('combobox', { name: 'Readers' }), 'Users with an account');
  await told.getByText(`${hides} record`).waitFor();
  await choose(page.getByRole('combobox', { name: 'Readers' }), 'Anyone');
  await told.waitFor({ state: 'detached' });
});
