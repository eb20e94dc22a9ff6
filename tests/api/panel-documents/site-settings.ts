import { frontendOf } from '#app/plugins/accounts/server/frontends';
import { SITE_ID, SITE_UID } from '#app/plugins/objects/server/site/settings';
import { ensureForms } from '#app/plugins/panel/server/documents/forms';
import { contentTypeConfigurations } from '#app/plugins/panel/server/strapi-internals';
import { newAccount } from '../../helpers/accounts';
import { asObject, at, type Json } from '../../helpers/json';
import { fieldTexts, panelOf, type Panel, type PanelAnswer } from '../../helpers/panel';
import { historyOf } from '../../helpers/snapshot';
import { story } from '../../helpers/story';

/**
 * The form of the site settings.
 *
 * @param FRONTEND what the environment of the service says
 * @param fresh the settings as they were at the start
 */
export function testSiteSettings(started: () => Panel, FRONTEND: string, fresh: () => Json): void {
  let panel: Panel;
  beforeAll(() => {
    panel = started();
  });

  const settings = '/content-manager/single-types/api::site-settings.site-settings';

  async function stored(): Promise<Json> {
    return asObject(at((await panel.ask('GET', settings)).body, 'data'));
  }
  const put = async (changes: Json): Promise<PanelAnswer> =>
    panel.ask('PUT', settings, { ...(await stored()), ...changes });

  story('the form of the site settings', [
    [
      'the form has its row from the first start, and saves what it was opened with',
      async () => {
        expect(fresh()).toMatchObject({ documentId: SITE_ID, version: 1, languages: ['en'] });
        const { version } = await stored();
        expect((await put({})).status).toBe(200);
        expect(await stored()).toMatchObject({ version });
      },
    ],

    [
      'a save counts at once, and is in the history by the name of who made it',
      async () => {
        const { id, ...account } = await newAccount(panel.service, 'administrator');
        const own = await panelOf(panel.service, account);
        const before = await stored();
        const saved = await own.ask('PUT', settings, {
          ...before,
          regions: [
            { id: 'mara', name: { en: 'Mara' }, parent: null, bbox: [null, null, null, null] },
          ],
        });
        expect(saved.status).toBe(200);
        const [entry] = (await historyOf(panel.service, SITE_ID)).slice(-1);
        const version = Number(before['version']) + 1;
        expect(entry).toMatchObject({ version, actor_id: id, changes: [{ path: 'regions' }] });
        const made = await panel.create('encounter', { locationId: 'mara' });
        expect(made['locationId']).toBe('mara');
        const gone = await put({ regions: [] });
        expect(fieldTexts(gone)).toEqual({ 'regions.mara': 'Still in use by: encounter (1).' });
      },
    ],

    [
      'all that is wrong is told at once, each at its part',
      async () => {
        const answer = await put({
          siteName: { en: 'x', '?': 'y' },
          languages: [],
          defaultLanguage: 'xx_',
          allowedOrigins: ['https://a.example/', 'https://b.example'],
          regions: [{ id: null, name: {}, parent: 'nowhere', bbox: [1, 2, 3, null] }],
          customFields: {
            encounter: [{ key: 'a b', type: 'select', label: {}, options: [] }],
            individual: [],
          },
          maxUploadBytes: 100_000.5,
        });
        expect(answer.status).toBe(400);
        expect(fieldTexts(answer)).toEqual({
          'siteName.?': 'This has to be a language tag (BCP 47), such as en or pt-BR.',
          'languages._': 'This is too short: at least 1.',
          defaultLanguage: 'This has to be a language tag (BCP 47), such as en or pt-BR.',
          'allowedOrigins.0':
            'This has to be an origin such as https://map.example.org, without a path.',
          'regions.0.id': 'This is required.',
          'regions.mara': 'Still in use by: encounter (1).',
          'regions.0.parent': 'There is no such region.',
          'regions.0.bbox':
            'This has to be west, south, east and north in degrees, south not above north.',
          'customFields.encounter.0.key':
            'This has to be a key of letters, digits and _ that begins with a letter.',
          'customFields.encounter.0.options': 'This is required.',
          maxUploadBytes: 'This has to be a whole number.',
        });
      },
    ],
  ]);

  test('what the environment says is shown, and cannot be changed', async () => {
    expect(await stored()).toMatchObject({ frontendUrl: FRONTEND });
    const answer = await put({ frontendUrl: 'https://another.example.org' });
    expect(fieldTexts(answer)).toEqual({
      frontendUrl: 'This follows from elsewhere and cannot be written.',
    });
    expect((await put({ tagline: { en: 'x' } })).status).toBe(200);
    expect(frontendOf(panel.service.strapi)).toBe(FRONTEND);
    const { body } = await panel.ask(
      'GET',
      '/content-manager/content-types/api::site-settings.site-settings/configuration',
    );
    const edit = (name: string) => at(body, 'data', 'contentType', 'metadatas', name, 'edit');
    expect(edit('frontendUrl')).toMatchObject({ editable: false });
    expect(edit('mailFrom')).toMatchObject({ editable: true, label: 'Sender of mails' });
    const rows: unknown = await panel.service.strapi.db
      .connection('site_settings')
      .select('frontend_url');
    expect(rows).toEqual([{ frontend_url: null }]);
  });

  test('a form that was opened before another was saved is told so', async () => {
    const { version } = await stored();
    expect((await put({ tagline: { en: 'first' } })).status).toBe(200);
    const late = await put({ tagline: { en: 'second' }, version: version ?? null });
    expect(late.status).toBe(400);
    expect(await stored()).toMatchObject({ tagline: { en: 'first' } });
  });

  test('the order of its inputs is kept at a further start, and one that is missing is added below', async () => {
    const { strapi } = panel.service;
    const configurations = contentTypeConfigurations(strapi);
    const type = { uid: SITE_UID };
    const before = await configurations.findConfiguration(type);
    const [first, ...others] = before.layouts.edit;
    const edit = [...others].reverse();
    await configurations.updateConfiguration(type, {
      ...before,
      layouts: { ...before.layouts, edit },
    });
    await ensureForms(strapi);
    const after = await configurations.findConfiguration(type);
    expect(after.layouts.edit).toEqual([...edit, first]);
    expect(after.metadatas).toEqual(before.metadatas);

    const update = jest.spyOn(configurations, 'updateConfiguration');
    await ensureForms(strapi);
    expect(update).not.toHaveBeenCalled();
    update.mockRestore();
  });

  test('moderators do not see the form', async () => {
    const own = await panelOf(panel.service, await newAccount(panel.service, 'moderator'));
    for (const method of ['GET', 'PUT'])
      expect((await own.ask(method, settings, method === 'PUT' ? {} : undefined)).status).toBe(403);
  });
}
