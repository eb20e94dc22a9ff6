import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInstance } from 'i18next';
import { ERRORS, EXPECTED, FIELD_ERRORS, KEY_PREFIX } from '#app/core/errors';
import { AWAITED } from '#app/plugins/objects/server/define/awaited';
import { registryOf } from '#app/plugins/objects/server';
import { asObject, at, type Json } from '../helpers/json';
import { keysOf, LANGUAGES, singular, textsOf } from '../helpers/message-catalog';
import { useWorld } from '../helpers/world';

const world = useWorld({});

const ERROR_KEYS = Object.keys(ERRORS).sort();
const FIELD_KEYS = Object.keys(FIELD_ERRORS).sort();
const MESSAGES = [...new Set([...ERROR_KEYS, ...FIELD_KEYS])].map((key) => KEY_PREFIX + key);

/** What `args.type` may name: the types of objects, those to come, and what is none. */
const TYPES = new Set([
  ...AWAITED.filter((name) => name !== 'review' && name !== 'privacy'),
  'region',
  'session',
]);
const TOKENS = (): string[] => [
  ...EXPECTED.map((token) => `EXPECTED_${token}`),
  ...[...new Set([...registryOf(world().service.strapi).model().resources.keys(), ...TYPES])].map(
    (type) => `TYPE_${type}`,
  ),
];

/** The text of every source of the service, by its path. */
function sources(folder: string): [path: string, text: string][] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return name === 'admin' ? [] : sources(path);
    return /(?<!\.test)\.ts$/.test(name) ? [[path, readFileSync(path, 'utf8')]] : [];
  });
}

const SOURCES = sources(join(__dirname, '..', '..', 'src'));

/** What the sources name in calls like `fail('X'` or `issue(path, 'X'`. */
function named(pattern: RegExp): string[] {
  const keys = SOURCES.flatMap(([, text]) =>
    [...text.matchAll(pattern)].map(([, key]) => key ?? ''),
  );
  return [...new Set(keys)].sort();
}

describe('the catalog of errors', () => {
  test('lists what the code refuses requests with, and nothing else', () => {
    const thrown = named(/(?:\bfail\(|new ApiError\(|\brefusal:)\s*'([A-Z_]+)'/g);
    // Written by its own function, with all that is wrong.
    const byFunction = SOURCES.some(
      ([path, text]) => !path.endsWith('errors.ts') && text.includes('malformed('),
    );
    expect([...new Set([...thrown, ...(byFunction ? ['MALFORMED'] : [])])].sort()).toEqual(
      ERROR_KEYS,
    );
  });

  test('lists what the code finds wrong in fields, and nothing else', () => {
    const found = named(/\b(?:issue\((?:[^()']|\([^()]*\)|'')*?,\s*|\bfault\(\s*)'([A-Z_]+)'/g);
    expect(found).toEqual(FIELD_KEYS);
  });

  test('is the one place that errors on the path of a request come from', () => {
    const strangers = SOURCES.filter(
      ([path, text]) =>
        /plugins\/(wire|objects)\/server\/|src\/(api|endpoints)\//.test(path) &&
        /ctx\.throw|ctx\.body\s*=|res\.end\(|\.writeHead\(/.test(text),
    ).map(([path]) => path.replace(/^.*\/src\//, ''));
    expect(strangers.sort()).toEqual([
      'plugins/wire/server/health.ts',
      'plugins/wire/server/public-files.ts',
      'plugins/wire/server/stages/finish.ts',
    ]);
  });
});

test('each token is what some check expects', () => {
  const strangers = EXPECTED.filter(
    (token) =>
      !SOURCES.some(([path, text]) => !path.endsWith('errors.ts') && text.includes(`'${token}'`)),
  );
  expect(strangers).toEqual([]);
});

describe.each(LANGUAGES)('the messages in %s', (language) => {
  const keys = keysOf(language);

  test('are those of the catalog, each one and no other', () => {
    expect([...new Set(keys.map(singular))].sort()).toEqual([...MESSAGES, ...TOKENS()].sort());
  });

  test('have every plural form of the language', () => {
    const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories.sort();
    const plural = new Set(keys.filter((key) => key !== singular(key)).map(singular));
    for (const key of plural) {
      const given = keys.filter((other) => other !== key && singular(other) === key);
      expect(given.sort()).toEqual(forms.map((form) => `${key}_${form}`));
    }
  });

  test('use the arguments that the catalog names, and no others', () => {
    const texts = textsOf(language);
    const args = new Map<string, readonly string[]>([
      ...Object.entries(FIELD_ERRORS),
      ...Object.entries(ERRORS).map(([key, entry]) => [key, entry.args] as const),
    ]);
    for (const [key, text] of Object.entries(texts)) {
      const used = [...String(text).matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name);
      const known = args.get(singular(key).slice(KEY_PREFIX.length)) ?? [];
      expect({ key, unknown: used.filter((name) => !known.includes(name ?? '')) }).toEqual({
        key,
        unknown: [],
      });
      expect(String(text).trim()).not.toBe('');
    }
  });

  test('nest the texts of the tokens, and nothing that a caller has sent', async () => {
    const reader = createInstance();
    const t = await reader.init({
      lng: language,
      resources: { [language]: { translation: textsOf(language) } },
      interpolation: { escapeValue: false },
      showSupportNotice: false,
    });
    for (const expected of EXPECTED) {
      const text = t('API_RESPONSE_FORMAT', { expected });
      expect(text).toContain(t(`EXPECTED_${expected}`));
      expect(text).not.toMatch(/EXPECTED|\$t|\{\{/);
    }
    for (const type of TYPES)
      expect(t('API_RESPONSE_NO_SUCH', { type })).toContain(t(`TYPE_${type}`));
    expect(t('API_RESPONSE_TOO_LARGE', { value: '$t(TYPE_region)', max: 1 })).toContain('$t(');
  });

  test('are what the service gives to a frontend', async () => {
    const url = `${world().service.url}/locales/${language}/translation.json`;
    const response = await fetch(url);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(Object.keys((await response.json()) as object)).toEqual(keys);
  });
});

describe('the OpenAPI document', () => {
  const responses = (): Json => asObject(at(world().document, 'components', 'responses'));
  const enumOf = (schema: unknown, ...path: string[]): string[] =>
    at(schema, ...path, 'enum') as string[];

  test('lists the keys of each status, each one and no other', () => {
    for (const [status, response] of Object.entries(responses())) {
      const keys = enumOf(
        at(response, 'content', 'application/json', 'schema', 'properties', 'message'),
        'properties',
        'key',
      );
      const expected = Object.entries(ERRORS)
        .filter(([, entry]) => String(entry.status) === status)
        .map(([key]) => KEY_PREFIX + key);
      expect({ status, keys: [...keys].sort() }).toEqual({ status, keys: expected.sort() });
    }
    const statuses = new Set(Object.values(ERRORS).map(({ status }) => String(status)));
    expect(Object.keys(responses()).sort()).toEqual([...statuses].sort());
  });

  test('lists the keys of what is wrong in fields', () => {
    const keys = enumOf(world().document, 'components', 'schemas', 'Fault', 'properties', 'key');
    expect([...keys].sort()).toEqual(FIELD_KEYS.map((key) => KEY_PREFIX + key));
  });
});
