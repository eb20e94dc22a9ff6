import { hashOf, usableBy, type DeclaredProjection } from './declared';

const column = (name: string, type: string, view = 'shown') => ({
  columns: [[name, type]],
  views: [['obscured', view]],
});

const declared = (rest: Partial<DeclaredProjection> = {}): DeclaredProjection => ({
  rows: { version: 1 },
  fields: { sex: column('sex', 'text'), size: column('size', 'integer') },
  words: { remarks: 'hidden' },
  privacy: { version: 1 },
  indexes: [],
  ...rest,
});

const now = declared();
const all = { fields: ['sex', 'size'], hasWords: true, isExactOnly: false };

test.each<[string, Partial<DeclaredProjection>, ReturnType<typeof usableBy>]>([
  ['the same', {}, all],
  ['without a field', { fields: { sex: column('sex', 'text') } }, { ...all, fields: ['sex'] }],
  [
    'with a field of another kind',
    { fields: { ...now.fields, size: column('size', 'text') } },
    { ...all, fields: ['sex'] },
  ],
  ['with a further field', { fields: { ...now.fields, age: column('age', 'text') } }, all],
  [
    'with another view of a field',
    { fields: { ...now.fields, sex: column('sex', 'text', 'hidden') } },
    { ...all, isExactOnly: true },
  ],
  ['with another rule', { privacy: { version: 0 } }, { ...all, isExactOnly: true }],
  ['with other words', { words: {} }, { ...all, hasWords: false }],
  ['with other indexes', { indexes: [] }, all],
  ['of other rows', { rows: { version: 0 } }, null],
])('a table %s is read as far as it answers the same', (_, rest, usable) => {
  const earlier = JSON.parse(JSON.stringify(declared(rest))) as DeclaredProjection;
  expect(usableBy(now, earlier)).toEqual(usable);
});

test('a version is named by all that is declared of it', () => {
  expect(hashOf(declared())).toBe(hashOf(now));
  const others = [
    { rows: 1 },
    { fields: {} },
    { words: {} },
    { privacy: {} },
    { indexes: [{ name: 'one', columns: ['sex'], beside: [], where: null }] },
  ];
  const hashes = others.map((rest) => hashOf(declared(rest)));
  expect(new Set([...hashes, hashOf(now)]).size).toBe(others.length + 1);
  expect(hashOf(now)).toMatch(/^[0-9a-f]{8}$/);
});
