import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS, FIELD_ERRORS, KEY_PREFIX } from '#app/plugins/wire/server/errors';
import { asObject, at, type Json } from '../helpers/json';
import { keysOf, LANGUAGES, singular } from '../helpers/message-catalog';
import { useWorld } from '../helpers/world';

const world = useWorld({});

const ERROR_KEYS = Object.keys(ERRORS).sort();
const FIELD_KEYS = Object.keys(FIELD_ERRORS).sort();
const ALL = [...new Set([...ERROR_KEYS, ...FIELD_KEYS])].map((key) => KEY_PREFIX + key).sort();

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
    const thrown = named(
      /(?:\bfail\(|new WireError\(|\bmalformed\(\w*\)\s*\|\|\s*)\s*'([A-Z_]+)'/g,
    );
    // Written by its own function, with all that is wrong.
    const byFunction = SOURCES.some(
      ([path, text]) => !path.endsWith('errors.ts') && text.includes('malformed('),
    );
    expect([...new Set([...thrown, ...(byFunction ? ['MALFORMED'] : [])])].sort()).toEqual(
      ERROR_KEYS,
    );
  });

  test('lists what the code finds wrong in fields, and nothing else', () => {
    const found = named(/\b(?:issue\((?:[^()']|\([^()]*\)|'')*?,\s*|complain\(\s*)'([A-Z_]+)'/g);
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

describe.each(LANGUAGES)('the messages in %s', (language) => {
  const keys = keysOf(language);

  test('are those of the catalog, each one and no other', () => {
    expect([...new Set(keys.map(singular))].sort()).toEqual(ALL);
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
    const texts = asObject(
      JSON.parse(
        readFileSync(join(__dirname, `../../public/locales/${language}/translation.json`), 'utf8'),
      ),
    );
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
