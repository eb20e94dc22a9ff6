import { expect, test } from '@jest/globals';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { labelsIn, valueKey, valuesIn } from './labels';

const ROOT = join(__dirname, '..', '..', '..', '..', '..');
const SRC = join(ROOT, 'src');

interface Schema {
  readonly attributes: Readonly<Record<string, { readonly enum?: readonly string[] }>>;
  readonly config: {
    readonly layouts: {
      readonly list: readonly string[];
      readonly edit: readonly (readonly { readonly name: string }[])[];
    };
    readonly metadatas: Readonly<
      Record<string, { readonly edit: { readonly description?: string } }>
    >;
  };
}

const json = (...path: readonly string[]): unknown =>
  JSON.parse(readFileSync(join(ROOT, ...path), 'utf8'));
const texts = (...path: readonly string[]) => json(...path) as Readonly<Record<string, string>>;

/** The schemas of all types, by what Strapi calls them. */
const schemas = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('schema.json'))
  .map((path): readonly [uid: string, schema: Schema] => {
    const name = path.split('/').at(-2) ?? '';
    const uid = name === 'user' ? 'plugin::users-permissions.user' : `api::${name}.${name}`;
    return [uid, json('src', path) as Schema];
  });

test('there are types', () => expect(schemas).toHaveLength(8));

test.each(['es', 'fr'])('each input and each column has its label in %s', (language) => {
  const labels = labelsIn(texts('public', 'locales', language, 'translation.json'));
  for (const [uid, { config }] of schemas) {
    const shown = [
      ...config.layouts.list,
      ...config.layouts.edit.flatMap((row) => row.map(({ name }) => name)),
    ];
    const without = shown.filter((name) => !labels[`content-manager.content-types.${uid}.${name}`]);
    expect([uid, without]).toEqual([uid, []]);
  }
});

test.each(['es', 'fr'])('each hint has its text in %s, and no other is there', (language) => {
  const hints = texts(`src/plugins/panel/admin/translations/hints.${language}.json`);
  const told = schemas.flatMap(([, { config }]) =>
    Object.values(config.metadatas).flatMap(({ edit: { description = '' } }) => description || []),
  );
  expect(Object.keys(hints).sort()).toEqual([...new Set(told)].sort());
  expect(Object.values(hints)).not.toContain('');
});

test.each(['en', 'es', 'fr'])('each value of an enumeration has its text in %s', (language) => {
  const known = valuesIn(texts('public', 'locales', language, 'translation.json'));
  const keys = schemas.flatMap(([uid, { attributes }]) =>
    Object.entries(attributes).flatMap(([attribute, { enum: values = [] }]) =>
      values.map((value) => valueKey(uid, attribute, value)),
    ),
  );
  expect(keys.length).toBeGreaterThan(30);
  expect(keys.filter((key) => !known[key])).toEqual([]);
});
