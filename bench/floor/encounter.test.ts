import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toWire, type Row } from './encounter';

interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, unknown>>;
}

interface Document {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

test('the floor answers the fields of an encounter that an administrator sees without asking for more', () => {
  const file = join(__dirname, '..', '..', 'docs', 'openapi.json');
  const { schemas } = (JSON.parse(readFileSync(file, 'utf8')) as Document).components;
  const fieldsOf = ({ $ref, allOf = [], properties = {} }: Schema): string[] => [
    ...($ref === undefined ? [] : fieldsOf(schemas[$ref.split('/').at(-1) ?? ''] ?? {})),
    ...allOf.flatMap(fieldsOf),
    ...Object.keys(properties),
  ];
  const fields = new Set(fieldsOf(schemas['Encounter'] ?? {}));
  // Only where a request asks for it.
  expect(fields.delete('included')).toBe(true);
  const row = { created_at: 0, updated_at: 0, custom_fields: null } as Row;
  expect(Object.keys(toWire(row)).sort()).toEqual([...fields].sort());
});
