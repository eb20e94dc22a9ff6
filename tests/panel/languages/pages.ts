import type { Browser, Page } from 'playwright-core';
import { service as itself } from '#app/core/caller';
import { objectsOf } from '#app/plugins/objects/server';
import { seriousViolations } from '../../helpers/axe';
import { newAccount } from '../../helpers/accounts';
import { newContext, signIn } from '../../helpers/browser';
import type { Json } from '../../helpers/json';
import type { TestService } from '../../helpers/service';
import { until } from '../../helpers/until';

interface Stage {
  readonly browser: Browser;
  readonly service: TestService;
}

const LIST = '/admin/content-manager/collection-types/';
const SETTINGS = '/admin/content-manager/single-types/api::site-settings.site-settings';

/** Types whose forms are opened, with the least that a document of them needs. */
const FORMS: Readonly<Record<string, Json>> = {
  encounter: { time: '2021', location_privacy: 'obscured' },
  individual: { remarks: 'x' },
  taxonomy: { scientific_name: 'Loxodonta' },
  org: { name: 'Lobo' },
};
const LISTS = ['api::asset.asset', 'api::collaboration.collaboration'];
const USERS = 'plugin::users-permissions.user';

/** What lists and forms show of records. */
const TABLES = [
  'encounters',
  'individuals',
  'oms_individual_names',
  'orgs',
  'taxonomies',
  'up_users',
];

/** Of libraries, which have them in no other language: a region of notices, and the editor of JSON. */
const OF_LIBRARIES: ReadonlySet<string> = new Set(['Notifications alt+T', 'Unfold line']);

/** All texts of a page that are more than a word: those of elements, and those that are read out or shown beside them. */
const TEXTS = `(() => {
  const found = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode()); )
    if (!['SCRIPT', 'STYLE', 'NOSCRIPT'].includes(node.parentElement.tagName)) found.add(node.textContent.trim());
  for (const name of ['placeholder', 'aria-label', 'title', 'alt'])
    for (const element of document.querySelectorAll('[' + name + ']')) found.add(element.getAttribute(name).trim());
  return [...found];
})()`;
/** Pixels by which a page is wider than its window. */
const TOO_WIDE = 'document.documentElement.scrollWidth - innerWidth';
const PHRASE = /\p{L}{2,} \p{L}{2,}/u;

/** The state of a record in a list, by languages. */
const APPROVED: Readonly<Record<string, string>> = {
  en: 'Approved',
  fr: 'Approuvée',
  es: 'Aprobado',
};

/** Goes to another page of the panel without loading it anew. */
const visit = async (page: Page, path: string): Promise<void> => {
  const textNow = async (): Promise<unknown> => page.evaluate('document.body.innerText');
  const isThere = new URL(page.url()).pathname === path;
  const left = isThere ? null : await textNow();
  await page.evaluate(`history.pushState({}, '', ${JSON.stringify(path)});
    dispatchEvent(new PopStateEvent('popstate'))`);
  await page.locator('main h1, main h2').first().waitFor();
  // In place of what is still being loaded; Strapi has no texts of other languages for it.
  for (const text of ['Unsupported field type', 'Loading content'])
    await page.getByText(text).first().waitFor({ state: 'detached' });
  let before: unknown = null;
  await until(`${path}, which stands still`, async () => {
    const [now, last] = [await textNow(), before];
    before = now;
    return now === last && now !== left;
  });
};

/** Every page of the menu, for each role and language, within one session each. */
export function testPages(stage: () => Stage): void {
  let documents: readonly string[];
  beforeAll(async () => {
    const made: string[] = [];
    for (const [type, body] of Object.entries(FORMS)) {
      const change = { op: 'create', type, body } as const;
      const { id } = await objectsOf(stage().service.strapi).write(change, itself);
      made.push(`${LIST}api::${type}.${type}`, `${LIST}api::${type}.${type}/${id}`);
    }
    documents = made;
  });
  /** Whether a text is of a record, or the name of an account: those of other tests are there, too. */
  const dataOf = async (): Promise<(text: string) => boolean> => {
    const { connection } = stage().service.strapi.db;
    const rows = await Promise.all(TABLES.map((table) => connection(table).select('*')));
    const stored = JSON.stringify(rows);
    return (text) => stored.includes(text);
  };

  test.each(['moderator', 'administrator'] as const)(
    'as %s each page opens without an error or a foreign request, and in no other language',
    async (role) => {
      const { browser, service } = stage();
      const context = await newContext(browser, { viewport: { width: 1280, height: 900 } });
      const page = await context.newPage();
      const wrong: string[] = [];
      page.on('pageerror', ({ message }) => wrong.push(message));
      page.on('console', (line) => line.type() === 'error' && wrong.push(line.text()));
      page.on('response', (answer) => {
        if (answer.status() >= 400) wrong.push(`${answer.status()} ${answer.url()}`);
      });
      page.on('request', (request) => {
        const { origin, protocol } = new URL(request.url());
        if (origin !== service.url && !/^(data|blob):$/.test(protocol)) wrong.push(request.url());
      });
      await signIn(page, service.url, await newAccount(service, role));
      const all = ['/admin', '/admin/me', '/admin/review', ...documents];
      const paths = [
        ...all,
        ...[...LISTS, USERS].map((uid) => LIST + uid),
        ...(role === 'administrator' ? [`${LIST}${USERS}/create`, SETTINGS] : []),
      ];
      const [encounters = '', encounter = ''] = documents;
      const narrow = ['/admin', '/admin/review', encounters, encounter, SETTINGS];
      /** Tells of what keeps people out. */
      const look = async (how: string, path: string): Promise<void> => {
        for (const [rule, places] of await seriousViolations(page))
          wrong.push(`${how} ${path} ${rule} ${places.join(' ')}`);
      };
      const isData = await dataOf();
      const english = new Map<string, ReadonlySet<string>>();
      for (const language of ['en', 'fr', 'es']) {
        await page.evaluate(`localStorage.setItem('strapi-admin-language', '${language}')`);
        await page.goto(`${service.url}/admin`);
        for (const path of paths) {
          await visit(page, path);
          const approved = page.getByText(APPROVED[language] ?? '', { exact: true }).first();
          if (path === encounters) await approved.waitFor();
          const texts = await page.evaluate<readonly string[]>(TEXTS);
          if (path === encounters) expect(texts).toContain(APPROVED[language]);
          const phrases = texts.filter((text) => PHRASE.test(text) && !OF_LIBRARIES.has(text));
          expect([path, phrases.length > 0]).toEqual([path, true]);
          if (language === 'en') {
            english.set(path, new Set(phrases));
            await look('1280', path);
          } else {
            const same = phrases.filter((text) => english.get(path)?.has(text));
            expect([language, path, same.filter((text) => !isData(text))]).toEqual([
              ...[language, path, []],
            ]);
          }
        }
      }
      await page.setViewportSize({ width: 768, height: 900 });
      await page.evaluate("localStorage.setItem('STRAPI_THEME', 'dark')");
      await page.goto(`${service.url}/admin`);
      for (const path of role === 'administrator' ? narrow : []) {
        await visit(page, path);
        if (Number(await page.evaluate(TOO_WIDE)) > 0) wrong.push(`${path} is too wide`);
        await look('768 px, dark', path);
      }
      expect(wrong).toEqual([]);
      await context.close();
    },
  );
}
