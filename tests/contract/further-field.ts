import type { AppCopy } from '../helpers/app-copy';
import { documentsOf } from '../helpers/documents';
import { at } from '../helpers/json';
import { flat } from '../helpers/schema-parts';
import { play } from '../helpers/scenario';
import { historyOf } from '../helpers/snapshot';
import type { World } from '../helpers/world';

/**
 * Adding a field is one attribute in schema.json and one line in resource.ts, which says what strangers are given of it;
 * this adds one.
 */
export const ATTRIBUTE = { type: 'integer', min: 0, max: 8 };
const VIEWS = "views: { obscured: 'shown', private: 'hidden' }, links: 'class'";
export const TEXT = "description: 'Eighths of the sky that are covered.'";
const LINE = `cloud_cover: { ${VIEWS}, ${TEXT} },`;

/** Adds a field to a copy of the app. */
export function addCloudCover(copy: AppCopy): void {
  copy.addAttribute('encounter', 'cloudCover', ATTRIBUTE);
  copy.addLine('encounter', LINE);
}

/** The field, in a world where everybody who asks is an administrator. */
export function describeFurtherField(world: () => World): void {
  test('is in the OpenAPI document', () => {
    const schemas = at(world().document, 'components', 'schemas');
    const bounds = { minimum: 0, maximum: 8 };
    expect(at(schemas, 'Encounter', 'description')).toMatch(
      /Hidden or generalized in the views private: `cloud_cover`\./,
    );
    for (const name of ['EncounterPart', 'EncounterCreate', 'EncounterUpdate']) {
      const { properties } = flat(world().document, at(schemas, name));
      expect([name, at(properties, 'cloud_cover')]).toEqual([
        name,
        expect.objectContaining({
          type: ['integer', 'null'],
          description: 'Eighths of the sky that are covered.',
          ...bounds,
        }),
      ]);
    }
  });

  test('is stored, read, and recorded in the history', async () => {
    const id = await world().create('encounter', { cloud_cover: 5 });
    expect(await world().read('encounter', id, '?fields=cloud_cover')).toEqual({ cloud_cover: 5 });
    await world().update('encounter', id, { cloud_cover: 6 });
    const [row] = await world()
      .service.strapi.db.connection<{ document_id: string; cloud_cover: number }>('encounters')
      .where({ document_id: id });
    expect(row?.cloud_cover).toBe(6);
    const [made, changed] = await historyOf(world().service, id);
    const change = (before: unknown, after: unknown) => ({ path: 'cloud_cover', before, after });
    expect(made?.changes).toContainEqual(change(null, 5));
    expect(changed?.changes).toEqual([change(5, 6)]);
  });

  test('is absent where nothing is said', async () => {
    const id = await world().create('encounter');
    expect(await world().read('encounter', id)).toMatchObject({ cloud_cover: null });
  });

  test.each<[unknown, string, object]>([
    [9, 'TOO_LARGE', { value: 9, max: 8 }],
    [-1, 'TOO_SMALL', { value: -1, min: 0 }],
    [1.5, 'TYPE', { expected: 'integer' }],
    ['5', 'TYPE', { expected: 'integer' }],
  ])('is refused when it is %j', async (cloud_cover, key, args) => {
    await play(world(), {
      name: key,
      method: 'POST',
      url: '/api/v0/encounter',
      body: { cloud_cover },
      expect: {
        status: 400,
        key: 'MALFORMED',
        invalid: [['cloud_cover', key, args as Record<string, unknown>]],
      },
    });
  });

  test('is checked in the panel, too', async () => {
    const documents = documentsOf(world().service, 'api::encounter.encounter');
    const made = await documents.create({ data: { cloudCover: 3 } });
    expect(await world().read('encounter', made.documentId)).toMatchObject({ cloud_cover: 3 });
    await expect(documents.create({ data: { cloudCover: 9 } })).rejects.toThrow(/9.*8/);
  });
}
