import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { service as itself } from '#app/core/caller';
import { objectsOf } from '#app/plugins/objects/server';
import { SITE_ID, SITE_TYPE } from '#app/plugins/objects/server/site/settings';
import { seriousViolations } from '../../helpers/axe';
import { send } from '../../helpers/http';
import { asObject, at, parsed, type Json } from '../../helpers/json';
import type { TestService } from '../../helpers/service';
import { historyOf } from '../../helpers/snapshot';
import { photograph, uploadRequest } from '../../helpers/upload';
import { until } from '../../helpers/until';

interface Stage {
  readonly page: Page;
  readonly service: TestService;
}

/** A photograph with time and place, as a camera writes them: 1.5° south, 35.25° east. */
const placedPhotograph = (): Promise<Buffer> =>
  sharp({ create: { width: 640, height: 480, channels: 3, background: '#886644' } })
    .jpeg()
    .withExif({
      IFD2: { DateTimeOriginal: '2026:03:09 08:15:00', OffsetTimeOriginal: '+03:00' },
      IFD3: {
        ...{ GPSLatitudeRef: 'S', GPSLatitude: '1/1 30/1 0/1' },
        ...{ GPSLongitudeRef: 'E', GPSLongitude: '35/1 15/1 0/1' },
      },
    })
    .toBuffer();

/** `/admin/review`, on a service that asks for reviews and takes reports without an account. */
export function testReviewPage(stage: () => Stage): void {
  const make = async (type: string, body: Json): Promise<string> =>
    (await objectsOf(stage().service.strapi).write({ op: 'create', type, body }, itself)).id;
  const change = (id: string, body: Json) =>
    objectsOf(stage().service.strapi).write({ op: 'update', type: 'encounter', id, body }, itself);
  const read = async (type: string, id: string): Promise<Json> =>
    asObject(JSON.parse((await objectsOf(stage().service.strapi).read(type, id, itself)).text));
  const named = async (name: string): Promise<readonly unknown[]> => {
    const url = `/api/v0/search/individual?names.value=${name}`;
    const { text } = await send(stage().service.url, { method: 'GET', url });
    return at(parsed(text), 'matches') as unknown[];
  };
  const open = (query: string): Promise<unknown> =>
    stage().page.goto(`${stage().service.url}/admin/review?${query}`);
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await stage().page.keyboard.press(key);
  };
  const large = (): Locator => stage().page.locator('[data-large]');
  const stateOf = async (id: string): Promise<unknown> => (await read('encounter', id))['state'];
  const becomes = (id: string, state: string): Promise<void> =>
    until(`${state}`, async () => (await stateOf(id)) === state);
  const field = (name: string): Locator => stage().page.getByLabel(name, { exact: true });

  /** A report without an account, with three photographs, one of which says when and where it was. */
  async function report(remarks: string): Promise<string> {
    const { url } = stage().service;
    const claims: string[] = [];
    const assets: string[] = [];
    for (const bytes of [
      await photograph(640, 480),
      await placedPhotograph(),
      await photograph(640, 480),
    ]) {
      const answer = parsed((await send(url, uploadRequest({ bytes }))).text);
      assets.push(String(at(answer, 'response', 'id')));
      claims.push(String(at(answer, 'response', 'claim')));
    }
    const body = { remarks, assets, claims };
    const answer = await send(url, { method: 'POST', url: '/api/v0/encounter', body });
    return String(at(parsed(answer.text), 'response', 'id'));
  }

  test('a morning: an anonymous report is seen, completed, approved, taken back and approved again', async () => {
    const { page, service } = stage();
    const names = { en: 'plains zebra', fr: 'zèbre des plaines', es: 'cebra común' };
    const taxonomy = await make('taxonomy', {
      ...{ scientific_name: 'Equus quagga', rank: 'species', vernacular_names: names },
    });
    const id = await report('morningreport');
    await open('q=morningreport');
    await large().waitFor();
    const shown = large().locator('img');
    await until('a decoded photograph', () =>
      shown.evaluate(
        (image) => (image as unknown as { naturalWidth: number }).naturalWidth === 640,
      ),
    );
    const first = await large().getAttribute('data-large');
    await press('Space');
    await until(
      'the next photograph',
      async () => (await large().getAttribute('data-large')) !== first,
    );
    await page.getByRole('button', { name: /^Use the photograph’s time and place/ }).waitFor();
    await press('e');
    await until(
      'the time',
      async () =>
        (await field('Time, as it was written down').inputValue()) === '2026-03-09T08:15:00+03:00',
    );
    expect(await field('Latitude').inputValue()).toBe('-1.5');
    await page.locator('.leaflet-overlay-pane path').first().waitFor();
    await page.getByText(/^Strangers are told .* As soon as it is approved/).waitFor();
    await press('t');
    await page.keyboard.type('plains zeb');
    await page.getByRole('option', { name: /Equus quagga/ }).waitFor();
    await press('Enter', 'i');
    await page.keyboard.type('Tusker');
    await page.getByRole('option', { name: 'Make a new one: Tusker' }).waitFor();
    await press('Enter');
    await page.getByText('It is made with the decision.').waitFor();
    const edits = { time: '2026-03-09T08:15:00+03:00', latitude: -1.5, longitude: 35.25, taxonomy };

    await press('a');
    await becomes(id, 'approved');
    const [individual] = await named('Tusker');
    expect(await read('encounter', id)).toMatchObject({ ...edits, individual, version: 3 });
    await page.getByText('Nothing waits for a review.').waitFor();

    await press('z');
    await becomes(id, 'pending');
    const nothing = { time: null, latitude: null, taxonomy: null, individual: null, version: 5 };
    expect(await read('encounter', id)).toMatchObject(nothing);
    expect(await named('Tusker')).toEqual([]);
    await large().waitFor();
    // What was typed is there for the next try.
    await until('the draft', async () => (await field('Latitude').inputValue()) === '-1.5');

    await press('a');
    await becomes(id, 'approved');
    expect((await historyOf(service, id)).map(({ action }) => action)).toEqual([
      ...['create', 'update', 'review', 'review', 'update', 'update', 'review'],
    ]);
    const answer = await send(service.url, { method: 'GET', url: `/api/v0/encounter/${id}` });
    const told = asObject(at(parsed(answer.text), 'response'));
    expect(told).toMatchObject({ ...edits, state: 'approved' });
    expect(told).not.toHaveProperty('submitter_email');
  });

  test('what somebody else has changed is told field by field, and what was typed stays', async () => {
    const { page } = stage();
    const id = await make('encounter', { remarks: 'conflictreport', locality: 'Lobo' });
    await open('q=conflictreport');
    await field('Place in words').fill('Lobo waterhole');
    await change(id, { locality: 'Lobo hill', group_size: 4 });
    await field('Place in words').press('Escape');
    await press('a');
    const box = page.getByRole('alert').filter({ hasText: 'This record has changed' });
    await box.waitFor();
    expect(await box.getByRole('row').allInnerTexts()).toEqual([
      expect.stringMatching(/Field/) as string,
      expect.stringMatching(/Place in words\s+Lobo\s+Lobo hill\s+Lobo waterhole/) as string,
      expect.stringMatching(/Group size\s+–\s+4\s+–/) as string,
    ]);
    expect(await stateOf(id)).toBe('pending');
    // Nothing is lost with the page either.
    await page.reload();
    await box.waitFor();
    expect(await field('Place in words').inputValue()).toBe('Lobo waterhole');
    await box.getByRole('button', { name: 'Go on from here' }).click();
    await box.waitFor({ state: 'detached' });
    await press('a');
    await becomes(id, 'approved');
    expect(await read('encounter', id)).toMatchObject({
      locality: 'Lobo waterhole',
      group_size: 4,
    });
  });

  test('a rejection has a note that is chosen by its number, and a selection is decided together', async () => {
    const { page } = stage();
    const ids = [
      await make('encounter', { remarks: 'severalreport one' }),
      await make('encounter', { remarks: 'severalreport two' }),
    ];
    const other = await make('encounter', { remarks: 'severalreport three' });
    await open('q=severalreport');
    await page.getByText('3 records wait').waitFor();
    await press('x', 'j', 'x', 'j', 's');
    await until('the mark', async () => {
      const marks = await stage().service.strapi.db.connection('oms_second_looks').select('*');
      return JSON.stringify(marks) === JSON.stringify([{ encounter: other }]);
    });
    await press('r');
    await page.getByRole('dialog').getByText('Reject 2 records').waitFor();
    await press('2');
    expect(await field('Note to the author').inputValue()).toMatch(/^Please tell us where/);
    await press('Control+Enter');
    for (const id of ids) {
      await becomes(id, 'rejected');
      expect((await read('encounter', id))['review_note']).toMatch(/^Please tell us where/);
    }
    expect(await stateOf(other)).toBe('pending');
    await page.getByRole('checkbox', { name: /Second looks only/ }).click();
    await page.waitForURL(/second=1/);
    await page.getByText('1 record waits').waitFor();
  });

  test('the notes of the site are offered in place of the service’s own', async () => {
    const { page, service } = stage();
    const setNotes = (review_notes: Json[]) =>
      objectsOf(service.strapi).write(
        { op: 'update', type: SITE_TYPE, id: SITE_ID, body: { review_notes } },
        itself,
      );
    const text = { en: 'Where in the park was it?', fr: 'Où dans le parc ?' };
    await setNotes([{ title: { en: 'Where' }, text }]);
    const id = await make('encounter', { remarks: 'notesreport' });
    await open('q=notesreport');
    await page.getByText('1 record waits').waitFor();
    await press('r');
    await page.getByRole('dialog').getByRole('button', { name: '1 · Where' }).waitFor();
    await press('1');
    expect(await field('Note to the author').inputValue()).toBe(text.en);
    await press('Control+Enter');
    await becomes(id, 'rejected');
    expect((await read('encounter', id))['review_note']).toBe(text.en);
    await setNotes([]);
  });

  test.each([
    ['fr', 'Révision', 'Approuver', 'Lieu', 'Le lieu en mots.'],
    ['es', 'Revisión', 'Aprobar', 'Localidad', 'El lugar en palabras.'],
  ])('the pages in %s', async (language, title, approve, locality, hint) => {
    const { page } = stage();
    const id = await make('encounter', { remarks: `languagereport ${language}` });
    await page.evaluate(`localStorage.setItem('strapi-admin-language', '${language}')`);
    await open('q=languagereport');
    await page.getByRole('heading', { name: title }).waitFor();
    await page.getByRole('button', { name: approve, exact: true }).waitFor();
    const text = await page.locator('main').innerText();
    expect(text).not.toMatch(/panel\.reviews|Approve|Loading|Taxa\b|Undo/);
    // The form of the same record, with its labels and hints.
    const list = `${stage().service.url}/admin/content-manager/collection-types/api::encounter.encounter`;
    await page.goto(`${list}/${id}`);
    await page.getByText(locality, { exact: true }).waitFor();
    await page.getByText(hint).waitFor();
    const form = await page.locator('main').innerText();
    expect(form).not.toMatch(/The place in words|Locality|Degrees|Remarks|As precise/);
    await page.goto(list);
    await page.locator('thead').getByText(locality).waitFor();
    expect(await page.locator('thead').innerText()).not.toMatch(/Locality|Group size|Country/);
    await page.evaluate("localStorage.removeItem('strapi-admin-language')");
  });

  test('has nothing that keeps people out, by axe-core', async () => {
    const { page } = stage();
    await report('accessiblereport');
    await open('q=accessiblereport');
    await large().waitFor();
    await page.getByRole('button', { name: /^Use the photograph’s time and place/ }).click();
    await page.locator('.leaflet-overlay-pane path').first().waitFor();
    expect(await seriousViolations(page)).toEqual([]);
  });
}
