import { languageOf, LANGUAGES, loadMessages, type Language, type Messages } from '@oms/client';
import { createInstance, type i18n } from 'i18next';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientService } from '../../helpers/client/service';

const FOLDER = join(__dirname, '..', '..', '..', 'public', 'locales');

const catalogueOf = (language: string): Record<string, string> =>
  JSON.parse(readFileSync(join(FOLDER, language, 'translation.json'), 'utf8')) as Record<
    string,
    string
  >;

export function testMessages(service: () => ClientService): void {
  const messages = {} as Record<Language, Messages>;
  const reference: i18n = createInstance();
  beforeAll(async () => {
    for (const language of LANGUAGES)
      messages[language] = await loadMessages(service().connect(), [language]);
    await reference.init({
      fallbackLng: false,
      resources: Object.fromEntries(
        LANGUAGES.map((language) => [language, { translation: catalogueOf(language) }]),
      ),
      interpolation: { escapeValue: false },
      showSupportNotice: false,
    });
  });

  test('there are those of the service’s catalogue', () => {
    expect(readdirSync(FOLDER).sort()).toEqual([...LANGUAGES]);
  });

  test('every text reads as i18next reads it, with what is nested in it', () => {
    const args = { type: 'encounter', path: 'names.0', expected: 'edtf', max: 7, value: 'x' };
    const all = { ...args, allowed: ['a', 'b'], count: 3, with: 'sex', field: 'id', name: 'n' };
    for (const language of LANGUAGES) {
      const keys = Object.keys(catalogueOf(language)).filter((key) => !key.startsWith('PAGE_'));
      expect(keys.length).toBeGreaterThan(300);
      const read = (key: string): string => messages[language].text({ key, args: all });
      const expected = (key: string): string =>
        // i18next leaves out an argument that is not there.
        reference.t(key, { ...all, lng: language });
      expect(Object.fromEntries(keys.map((key) => [key, read(key)]))).toEqual(
        Object.fromEntries(keys.map((key) => [key, expected(key)])),
      );
    }
  });

  test('an argument is never taken for a key or a name', () => {
    const key = 'API_RESPONSE_ENTITY_EXISTS';
    const path = '$t(API_RESPONSE_LOGIN_REQUIRED) {{type}} $&';
    expect(messages.en.text({ key, args: { type: 'org', path } })).toBe(
      `There is one already: ${messages.en.text({ key: 'TYPE_org', args: {} })}, ${path}.`,
    );
  });

  test('fields and values have labels', () => {
    expect([
      messages.fr.label('encounter', 'sex'),
      messages.en.label('individual', 'names.value'),
      messages.en.value('asset', 'license', 'CC-BY-4.0'),
      messages.en.label('encounter', 'unheard_of'),
      messages.en.value('encounter', 'sex', 'unheard of'),
      messages.en.text({ key: 'API_RESPONSE_UNHEARD_OF', args: {} }),
    ]).toEqual([
      catalogueOf('fr')['FIELD_encounter_sex'],
      catalogueOf('en')['FIELD_individual_names_value'],
      catalogueOf('en')['VALUE_asset_license_CC_BY_4_0'],
      'unheard_of',
      'unheard of',
      'API_RESPONSE_UNHEARD_OF',
    ]);
  });

  test.each([
    [['es-MX', 'fr'], 'es'],
    [['de', 'FR-ca'], 'fr'],
    [['de'], 'en'],
    [[], 'en'],
  ] as const)('%j gives %s', (wanted, language) => {
    expect(languageOf(wanted)).toBe(language);
  });
}
