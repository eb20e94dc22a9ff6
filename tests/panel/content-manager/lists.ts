import type { Locator, Page } from 'playwright-core';
import { service as itself } from '#app/core/caller';
import { objectsOf } from '#app/plugins/objects/server';
import { asObject, type Json } from '../../helpers/json';
import type { TestService } from '../../helpers/service';
import { historyOf } from '../../helpers/snapshot';

interface Stage {
  readonly page: Page;
  readonly service: TestService;
}

/** The inputs of lists of records: what is typed, refused and saved in them. @param stage those of the present test */
export function testLists(stage: () => Stage): void {
  const { make, read, changesOf } = records(() => stage().service);
  const open = (type: string, id: string) => {
    const { page, service } = stage();
    return page.goto(
      `${service.url}/admin/content-manager/collection-types/api::${type}.${type}/${id}`,
    );
  };
  const whole = (attribute: string): Locator =>
    stage().page.locator(`[data-attribute=${attribute}]`);
  const button = (within: Locator, name: string): Locator =>
    within.getByRole('button', { name, exact: true });
  const part = (name: string): Locator => stage().page.locator(`input[name="${name}"]`);
  /** A toggle's input lies under its two words. */
  const toggle = (name: string) => part(name).click({ force: true });
  const faults = (attribute: string): Locator =>
    whole(attribute).locator('[data-strapi-field-error]');

  /** Presses Save, which is refused with these texts at the parts of an attribute. */
  async function refused(attribute: string, texts: readonly string[]): Promise<void> {
    expect(await save()).toBe(400);
    await whole(attribute)
      .getByText(texts[0] ?? '', { exact: true })
      .first()
      .waitFor();
    expect(await faults(attribute).allInnerTexts()).toEqual(texts);
  }

  /** Presses Save. @returns the status of the answer */
  async function save(): Promise<number> {
    const { page } = stage();
    const [answer] = await Promise.all([
      page.waitForResponse(
        (one) =>
          ['POST', 'PUT'].includes(one.request().method()) &&
          one.url().includes('/content-manager/collection-types/'),
      ),
      page.getByRole('button', { name: 'Save', exact: true }).click(),
    ]);
    return answer.status();
  }

  async function choose(select: Locator, option: string | RegExp): Promise<void> {
    await select.click();
    await stage().page.getByRole('option', { name: option }).click();
  }

  const picker = (at: number): Locator => part(`relationships.${at}.individual`);

  async function relate(at: number, type: string, name: string): Promise<void> {
    await button(whole('relationships'), 'Add a relationship').click();
    await choose(
      whole('relationships').getByRole('combobox', { name: 'What it is' }).nth(at),
      type,
    );
    await picker(at).pressSequentially(name.slice(0, 5));
    await stage()
      .page.getByRole('option', { name: new RegExp(`^${name}`) })
      .click();
  }

  /** The ID of the document that has been made. */
  async function made(): Promise<string> {
    const { page } = stage();
    await page.waitForURL(/[0-9a-f-]{36}/);
    return /[0-9a-f-]{36}/.exec(page.url())?.[0] ?? '';
  }

  test('names are typed, told at their fields when they are refused, changed and removed', async () => {
    await make('individual', { names: [{ context: 'catalog', value: 'K1', preferred: true }] });
    await open('individual', 'create');
    const add = button(whole('names'), 'Add a name');
    await add.click();
    await part('names.0.context').fill('catalog');
    await part('names.0.value').fill('k1');
    await add.click();
    await part('names.1.value').fill('Kibo');
    await toggle('names.1.preferred');
    await refused('names', ['This is required.']);
    await part('names.1.context').fill('nickname');
    const both = ['This is taken.', 'This does not go together with: names.0.preferred.'];
    await refused('names', both);
    expect(await part('names.1.value').inputValue()).toBe('Kibo');
    expect(await part('names.0.value').inputValue()).toBe('k1');
    await part('names.0.value').fill('K2');
    await toggle('names.0.preferred');
    expect(await save()).toBe(201);
    const id = await made();
    const names = [
      { context: 'catalog', value: 'K2', preferred: false },
      { context: 'nickname', value: 'Kibo', preferred: true },
    ];
    expect(await read(id)).toMatchObject({ name: 'Kibo', names });

    await part('names.1.value').fill('Kibo the Elder');
    await button(whole('names'), 'Remove').first().click();
    expect(await save()).toBe(200);
    const left = [{ context: 'nickname', value: 'Kibo the Elder', preferred: true }];
    expect(await read(id)).toMatchObject({ name: 'Kibo the Elder', names: left, version: 2 });
    expect(await changesOf(id)).toEqual([
      { path: 'names', before: names, after: left },
      { path: 'name', before: 'Kibo', after: 'Kibo the Elder' },
    ]);
  });

  test('relatives are picked by their names, and show it on their side', async () => {
    const named = (value: string) => ({ names: [{ context: 'nickname', value, preferred: true }] });
    const mother = await make('individual', { ...named('Malaika'), sex: 'female' });
    const young = await make('individual', named('Simba'));
    const id = await make('individual', named('Nala'));
    await open('individual', id);
    await relate(0, 'Mother', 'Malaika');
    await relate(1, 'Offspring', 'Simba');
    expect(await picker(1).inputValue()).toBe('Simba');
    await button(whole('relationships'), 'Add a relationship').click();
    await stage().page.locator('input[name=timeOfBirth]').fill('2019');
    await refused('relationships', ['This is required.', 'This is required.']);
    await button(whole('relationships'), 'Remove').nth(2).click();
    // Whether it is the mother or the father of its young.
    await refused('relationships', ['This does not go together with: sex.']);
    expect(await picker(0).inputValue()).toBe('Malaika');
    expect(await stage().page.locator('input[name=timeOfBirth]').inputValue()).toBe('2019');
    await choose(stage().page.getByRole('combobox', { name: 'Sex', exact: true }), 'female');
    expect(await save()).toBe(200);
    const relationships = [
      { individual: mother, type: 'mother' },
      { individual: young, type: 'offspring' },
    ];
    expect(await read(id)).toMatchObject({ relationships, time_of_birth: '2019', version: 2 });
    expect(await read(young)).toMatchObject({
      relationships: [{ individual: id, type: 'mother' }],
      version: 2,
    });
    expect(await changesOf(young)).toEqual([
      { path: 'relationships', before: [], after: [{ individual: id, type: 'mother' }] },
    ]);

    // The same page again: with their names, and one taken away.
    await open('individual', id);
    await picker(1).waitFor();
    expect([await picker(0).inputValue(), await picker(1).inputValue()]).toEqual([
      'Malaika',
      'Simba',
    ]);
    await button(whole('relationships'), 'Remove').nth(1).click();
    await choose(whole('relationships').getByRole('combobox', { name: 'What it is' }), 'Mate');
    expect(await save()).toBe(200);
    const left = [{ individual: mother, type: 'mate' }];
    expect(await read(id)).toMatchObject({ relationships: left, version: 3 });
    expect(await read(young)).toMatchObject({ relationships: [], version: 3 });
    expect(await changesOf(id)).toEqual([
      { path: 'relationships', before: relationships, after: left },
    ]);
  });

  test('measurements, observers and tags of an encounter are typed', async () => {
    await open('encounter', 'create');
    await button(whole('measurements'), 'Add a measurement').click();
    await part('measurements.0.type').fill('length');
    await part('measurements.0.value').pressSequentially('2,10');
    expect(await part('measurements.0.value').inputValue()).toBe('2,10');
    await button(whole('measurements'), 'Add a measurement').click();
    await part('measurements.1.value').fill('large');
    for (const [attribute, texts] of [
      ['observers', ['Ana', 'Ben']],
      ['tags', ['Night']],
    ] as const) {
      for (const [at, text] of texts.entries()) {
        await button(whole(attribute), 'Add an entry').click();
        await part(`${attribute}.${at}`).fill(text);
      }
    }
    expect(await save()).toBe(400);
    await whole('measurements').getByText('This is required.').waitFor();
    expect(await part('measurements.0.value').inputValue()).toBe('2.1');
    await part('measurements.1.type').fill('size');
    await part('measurements.0.unit').fill('m');
    expect(await save()).toBe(201);
    const id = await made();
    expect(await read(id, 'encounter')).toMatchObject({
      measurements: [
        { type: 'length', value: 2.1, unit: 'm' },
        { type: 'size', value: 'large', unit: null },
      ],
      observers: ['Ana', 'Ben'],
      tags: ['night'],
    });
    await button(whole('measurements'), 'Remove').first().click();
    await button(whole('observers'), 'Move down').first().click();
    expect(await save()).toBe(200);
    expect((await changesOf(id)).map(({ path, after }) => [path, after])).toEqual([
      ['observers', ['Ben', 'Ana']],
      ['measurements', [{ type: 'size', value: 'large', unit: null }]],
    ]);
  });
}

/** Objects without the panel. */
function records(service: () => TestService) {
  return {
    make: async (type: string, body: Json): Promise<string> => {
      const objects = objectsOf(service().strapi);
      return (await objects.write({ op: 'create', type, body }, itself)).id;
    },
    read: async (id: string, type = 'individual'): Promise<Json> => {
      const { text } = await objectsOf(service().strapi).read(type, id, itself);
      return asObject(JSON.parse(text));
    },
    /** What the last change has changed. */
    changesOf: async (id: string) => (await historyOf(service(), id)).at(-1)?.changes ?? [],
  };
}
