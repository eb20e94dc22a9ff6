import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInstance } from 'i18next';
import { ERRORS, EXPECTED, FIELD_ERRORS, KEY_PREFIX, type ErrorKey } from '#app/core/errors';
import { NOTICES } from '#app/core/notices';
import { PAGE_TEXTS } from '#app/api/authentication/pages/texts';
import { registryOf } from '#app/plugins/objects/server';
import { asObject, at, type Json } from '../helpers/json';
import { flat } from '../helpers/schema-parts';
import { keysOf, LANGUAGES, singular, textsOf } from '../helpers/message-catalog';
import { labelKeys } from '../helpers/labels';
import { refusalKeys, resolve } from '../helpers/openapi';
import { useWorld } from '../helpers/world';
import { describeOrder } from './answers/order-of-checks';

const world = useWorld({});

const ERROR_KEYS = Object.keys(ERRORS).sort();
const FIELD_KEYS = Object.keys(FIELD_ERRORS).sort();
const NOTICE_KEYS = Object.keys(NOTICES).sort();
const MESSAGES = [...new Set([...ERROR_KEYS, ...FIELD_KEYS, ...NOTICE_KEYS])].map(
  (key) => KEY_PREFIX + key,
);

/** What `args.type` may name beside the types of objects. */
const TYPES = new Set(['region', 'session']);
/** The texts of fields and choices. */
const LABEL = /^(?:FIELD|VALUE)_/;
/** What pages of the service's own say, with the arguments. */
const PAGES = new Map<string, readonly string[]>(
  Object.entries(PAGE_TEXTS).map(([key, args]) => [`PAGE_${key}`, args]),
);
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

  test('lists what successes tell, and nothing else', () => {
    expect(named(/\bnotice\(\s*'([A-Z_]+)'/g)).toEqual(NOTICE_KEYS);
  });

  test('is the one place that errors on the path of a request come from', () => {
    const strangers = SOURCES.filter(
      ([path, text]) =>
        /plugins\/(wire|objects)\/server\/|src\/(api|endpoints)\//.test(path) &&
        /ctx\.throw|ctx\.body\s*=|res\.end\(|\.writeHead\(/.test(text),
    ).map(([path]) => path.replace(/^.*\/src\//, ''));
    expect(strangers.sort()).toEqual([
      'plugins/wire/server/health.ts',
      'plugins/wire/server/pages/form-page.ts',
      'plugins/wire/server/pages/kept-page.ts',
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
    expect([...new Set(keys.filter((key) => !LABEL.test(key)).map(singular))].sort()).toEqual(
      [...MESSAGES, ...TOKENS(), ...PAGES.keys()].sort(),
    );
  });

  test('have a label for each field and each choice of each type, and no other', () => {
    const types = [...registryOf(world().service.strapi).model().resources.keys()];
    const labels = types.flatMap((type) => labelKeys(world().document, type));
    expect(labels).toContain('VALUE_encounter_license_CC_BY_NC_4_0');
    expect(labels).toContain('FIELD_individual_names_preferred');
    expect(keys.filter((key) => LABEL.test(key)).sort()).toEqual(labels.sort());
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
      ...Object.entries(FIELD_ERRORS).map(([key, args]) => [key, Object.keys(args)] as const),
      ...Object.entries(NOTICES).map(([key, args]) => [key, Object.keys(args)] as const),
      ...Object.entries(ERRORS).map(([key, { args }]) => [key, Object.keys(args)] as const),
    ]);
    for (const [key, text] of Object.entries(texts)) {
      const used = [...String(text).matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name);
      const known = PAGES.get(key) ?? args.get(singular(key).slice(KEY_PREFIX.length)) ?? [];
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
  const schema = (name: string): Json =>
    asObject(at(world().document, 'components', 'schemas', name));
  const choices = (name: string): Json[] =>
    (flat(world().document, schema(name))['anyOf'] as unknown[]).map(asObject);
  const namesOf = (args: Json, which: 'properties' | 'required'): string[] =>
    which === 'required'
      ? ((args['required'] as string[] | undefined) ?? [])
      : Object.keys(asObject(args['properties']));

  test('has a schema for each key, with its arguments', () => {
    const refusals = choices('AnyError').map((choice) =>
      schema(String(choice['$ref']).replace(/^.*\//, '')),
    );
    const found = refusals.map((refusal) => {
      const args = asObject(at(refusal, 'properties', 'message', 'properties', 'args'));
      return {
        key: at(refusal, 'properties', 'message', 'properties', 'key', 'const'),
        args: namesOf(args, 'properties'),
        required: namesOf(args, 'required'),
      };
    });
    const listed = Object.entries(ERRORS).map(([key, { args, ...entry }]) => ({
      key: KEY_PREFIX + key,
      args: Object.keys({ ...args, ...('optional' in entry ? entry.optional : {}) }),
      required: Object.keys(args),
    }));
    expect(found).toEqual(listed);
  });

  test('has the keys of what is wrong in fields, with their arguments', () => {
    const found = choices('Fault').map((fault) => [
      at(fault, 'properties', 'key', 'const'),
      namesOf(asObject(at(fault, 'properties', 'args')), 'properties'),
      namesOf(asObject(at(fault, 'properties', 'args')), 'required'),
    ]);
    const listed = Object.entries(FIELD_ERRORS).map(([key, args]) => [
      KEY_PREFIX + key,
      Object.keys(args),
      Object.keys(args),
    ]);
    expect(found).toEqual(listed);
  });

  test('has each key at its status alone, and at least one call that it may refuse', () => {
    const statuses = new Map<string, Set<number>>();
    const { document } = world();
    for (const operations of Object.values(asObject(document['paths'])))
      for (const operation of Object.values(asObject(operations)).map(asObject)) {
        // Its `default` is any refusal at all, also of other calls.
        if (operation['operationId'] === 'readOpenApi') continue;
        const general = resolve(document, at(operation, 'responses', 'default'))['description'];
        for (const [status, keys] of refusalKeys(document, operation))
          for (const key of keys) {
            const own = ERRORS[key as ErrorKey].status;
            const isTold = String(general).includes(` ${own}: `);
            const told = status === 'default' && isTold ? own : Number(status);
            statuses.set(key, (statuses.get(key) ?? new Set()).add(told));
          }
      }
    const found = [...statuses].map(([key, found]) => [KEY_PREFIX + key, [...found]]);
    // A path or method that is not there is no call of the document.
    const listed = Object.entries(ERRORS)
      .filter(([, { status }]) => status !== 404 && status !== 405)
      .map(([key, { status }]) => [KEY_PREFIX + key, [status]]);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(listed));
  });
});

describe('of several faults', () => describeOrder(world));
