/**
 * `npm run bench:review`: how long a moderator waits at the panel's page of reviews, in a browser, with 20,000 records waiting.
 * From the key of a decision to the frame in which the next record has its large photograph, decoded; and whether the
 * database holds the decisions, and no others, although the tab is closed at the last key.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium, type Page } from 'playwright-core';
import { errorText } from '../src/core/start-error';
import { noisyPhotograph } from './assets';
import { createCleanup, folderOfRun, type Cleanup } from './cleanup';
import { startContender, type Contender } from './contenders/contender';
import { newSession, post, type Session } from './data/sessions';
import type { Place } from './places/place';
import { emptyPlace } from './stage';
import { percentile } from './statistics';

const WAITING = 20_000;
const DECISIONS = 100;
/** Every so many is a rejection with a canned note; the others are approvals. */
const REJECTED = 10;
/** Records with a photograph, the oldest ones: some more than are decided. */
const PICTURED = DECISIONS + 20;
/** What one call of `POST /api/v0/batch` takes. */
const BATCH = 500;
/** Milliseconds within which the last decisions have to be in the database. */
const PATIENCE = 20_000;

const MODERATOR = { email: 'moderator@example.org', password: 'correct horse battery' };

void main();

async function main(): Promise<void> {
  const cleanup = createCleanup();
  const folder = folderOfRun('review', cleanup);
  try {
    const place = await emptyPlace({ database: 'sqlite', folder, cleanup });
    const contender = await startContender('ours', place.env);
    cleanup.add(() => contender.stop());
    const encounters = await makeQueue(contender);
    const { waits, decided } = await decide(contender, cleanup);
    const sorted = Float64Array.from(waits).sort();
    const told = [0.5, 0.95, 1].map((part) => percentile(sorted, part).toFixed(0)).join(', ');
    process.stdout.write(
      `From a decision to the next photograph, milliseconds (median, 95th percentile, longest): ${told}\n`,
    );
    await compare(place, { encounters, decided });
  } catch (error) {
    process.stderr.write(`${errorText(error)}\n`);
    process.exitCode = 1;
  } finally {
    await cleanup.run();
  }
}

/** @returns the encounters with photographs, by the IDs of these */
async function makeQueue(contender: Contender): Promise<ReadonlyMap<string, string>> {
  process.stdout.write(`${PICTURED} photographs and ${WAITING} records are made ...\n`);
  const session = await newSession(contender, 'moderator');
  await call(contender, {}, 'PUT', 'site_settings', { review_encounters: true });
  const photograph = await noisyPhotograph();
  const assets: string[] = [];
  for (let made = 0; made < PICTURED; made += 1)
    assets.push(String((await post(contender, 'asset', uploadForm(photograph)))['id']));
  const encounters = new Map<string, string>();
  for (let made = 0; made < WAITING;) {
    const many = Math.min(made === 0 ? PICTURED : BATCH, WAITING - made);
    const operations = Array.from({ length: many }, (_, at) => ({
      op: 'create',
      type: 'encounter',
      body: { time: '2026-03-09', assets: assets.slice(made + at, made + at + 1) },
    }));
    const { results } = (await call(contender, session, 'POST', 'batch', { operations })) as {
      readonly results: readonly { readonly response: { readonly id: string } }[];
    };
    for (const [at, { response }] of results.entries()) {
      const asset = assets[made + at];
      if (asset !== undefined) encounters.set(asset, response.id);
    }
    made += many;
  }
  return encounters;
}

/** The same photograph, each time with other bytes behind it: the same bytes of one owner are refused. */
function uploadForm(photograph: Buffer): FormData {
  const form = new FormData();
  form.append('file', new Blob([photograph, randomBytes(16)], { type: 'image/jpeg' }), 'photo.jpg');
  return form;
}

/** @param session nobody is an administrator here, who has no batches */
async function call(
  { url }: Contender,
  session: Partial<Session>,
  method: string,
  path: string,
  body: object,
): Promise<unknown> {
  const headers = { ...session, 'Content-Type': 'application/json' };
  const answer = await fetch(`${url}/api/v0/${path}`, {
    method,
    headers,
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text.slice(0, 500)}`);
  return (JSON.parse(text) as { readonly response: unknown }).response;
}

/** What of the page is waited for, in the page: it has no types here. */
const IN_PAGE = `
  window.shown = () => {
    const image = document.querySelector('[data-large] img');
    return image?.complete && image.naturalWidth > 0
      ? image.closest('[data-large]').getAttribute('data-large') : null;
  };
  window.pressed = 0;
  addEventListener('keydown', () => { window.pressed = performance.now(); }, true);
  window.next = (before) => new Promise((found) => {
    const look = () => {
      const now = window.shown();
      if (now === null || now === before) return requestAnimationFrame(look);
      // Decoded, and in a frame of its own.
      document.querySelector('[data-large] img').decode().then(() => requestAnimationFrame(() =>
        requestAnimationFrame(() => found([now, performance.now() - window.pressed]))), look);
    };
    look();
  });`;

interface Decided {
  /** Milliseconds. */
  readonly waits: readonly number[];
  /** The states by the photographs that were shown. */
  readonly decided: ReadonlyMap<string, string>;
}

async function decide({ url }: Contender, cleanup: Cleanup): Promise<Decided> {
  const browser = await chromium.launch({
    executablePath: process.env.OMS_TEST_CHROMIUM || '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  cleanup.add(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  await page.goto(`${url}/admin/auth/login`);
  await page.locator('input[name=email]').fill(MODERATOR.email);
  await page.locator('input[name=password]').fill(MODERATOR.password);
  await page.locator('button[type=submit]').click();
  await page.getByRole('link', { name: 'Content Manager' }).waitFor();
  await page.goto(`${url}/admin/review`);
  await page.evaluate(IN_PAGE);
  let [shown] = await nextOf(page, null);
  const waits: number[] = [];
  const decided = new Map<string, string>();
  for (let made = 1; made <= DECISIONS; made += 1) {
    const isRejected = made % REJECTED === 0;
    decided.set(shown, isRejected ? 'rejected' : 'approved');
    const keys = isRejected ? ['r', '1', 'Control+Enter'] : ['a'];
    for (const key of keys) await page.keyboard.press(key);
    if (made === DECISIONS) break;
    const [next, wait] = await nextOf(page, shown);
    waits.push(wait);
    shown = next;
  }
  await page.close();
  return { waits, decided };
}

const nextOf = (page: Page, before: string | null): Promise<readonly [string, number]> =>
  page.evaluate(`window.next(${JSON.stringify(before)})`);

/** @throws Error where the database holds other decisions */
async function compare(
  place: Place,
  {
    encounters,
    decided,
  }: Pick<Decided, 'decided'> & { readonly encounters: ReadonlyMap<string, string> },
): Promise<void> {
  const expected = [...decided].map(([asset, state]) => `${encounters.get(asset) ?? ''} ${state}`);
  const until = Date.now() + PATIENCE;
  let stored: string[] = [];
  do {
    await sleep(500);
    const found = await place.rows(
      "select document_id, state from encounters where state <> 'pending'",
    );
    stored = found.map(([id, state]) => `${String(id)} ${String(state)}`);
  } while (stored.length < expected.length && Date.now() < until);
  const isSame = JSON.stringify(stored.sort()) === JSON.stringify(expected.sort());
  if (!isSame) throw new Error(`${stored.length} decisions are stored, of ${expected.length}`);
  process.stdout.write(`The database holds these ${stored.length} decisions, and no others.\n`);
}
