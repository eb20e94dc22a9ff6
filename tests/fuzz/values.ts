/** Random values by their schemas: valid, nearly valid, and arbitrary. */
import * as fc from 'fast-check';
import { asObject, type Json } from '../helpers/json';

/** A placeholder for the ID of an existing object, which is replaced when the request is sent. */
const KNOWN = 8;
export const someId = fc.integer({ min: 0, max: KNOWN - 1 }).map((n) => `{{${n}}}`);

/** Replaces the placeholders by IDs, as long as there are any. */
export const withIds = (text: string, ids: readonly string[]): string =>
  text.replace(/\{\{(\d)\}\}/g, (_, n: string) => ids.at(-1 - Number(n)) ?? NOTHING);

const NOTHING = '00000000-0000-4000-8000-00000000dead';

/** Texts with a meaning: to databases, to JavaScript, to Unicode, to spreadsheets. */
const MEANT = [
  '',
  ' ',
  'null',
  'undefined',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udfff\ud800',
  '\ufeff',
  '\u202e',
  '\uffff',
  '\u{10ffff}',
  'e\u0301',
  '\u212b',
  '\u0130',
  "' or 1=1 --",
  '"; drop table x; --',
  '$1',
  '?',
  ':id',
  '??',
  '\\',
  '%',
  '%00',
  '_',
  '../../etc/passwd',
  '{"$ne":null}',
  '[object Object]',
  '${7*7}',
  '<script>alert(1)</script>',
  '=1+1',
  'NaN',
  'Infinity',
  '-0',
  '1e999',
  '0x10',
  '9007199254740993',
  '2147483648',
  '99999999999999999999',
  '0000-00-00',
  '2021-02-30',
  '2021-13',
  '9999-12-31T23:59:60Z',
  '../2021',
  'x-x-x-x-x-x-x',
  'i-default',
  'en-u-ca-gregory',
  '127.0.0.1',
  'http://user:pass@host/',
  'javascript:alert(1)',
  'http://[::1]:99999/',
  'a@b',
  'a@b.c',
  '"a b"@example.org',
] as const;

export const wildText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...MEANT) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 300 }) },
  { weight: 2, arbitrary: someId },
  { weight: 1, arbitrary: fc.uuid() },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('a', '\u0301', '\u{1f600}', ' ', '"'), fc.integer({ max: 20_000 }))
      .map(([unit, times]) => unit.repeat(Math.max(0, times))),
  },
);

const wildNumber = fc.oneof(
  fc.constantFrom(0, -0, 1, -1, 0.5, 1e21, -1e308, 5e-324, 2 ** 31, 2 ** 53, 2 ** 63, 180.5),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
);

/** A value that is nested so deep. */
const nested = (depth: number, isList: boolean): unknown => {
  let value: unknown = 'x';
  for (let n = 0; n < depth; n += 1) value = isList ? [value] : { a: value };
  return value;
};

const wildName = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'id', 'connect', 'set', '$ne', 'length', '0', ''),
  wildText,
);

/** Any JSON. */
export const wild: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: wildText },
  { weight: 2, arbitrary: wildNumber },
  { weight: 2, arbitrary: fc.constantFrom(null, true, false, [], {}, [[]], [null], { a: null }) },
  {
    weight: 1,
    arbitrary: fc.array(fc.oneof(wildText, wildNumber, fc.constant(null)), { maxLength: 5 }),
  },
  { weight: 1, arbitrary: fc.dictionary(wildName, fc.oneof(wildText, wildNumber), { maxKeys: 4 }) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(5, 31, 32, 33, 1000), fc.boolean())
      .map(([n, l]) => nested(n, l)),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(101, 1_001, 10_001).map((n) => Array<string>(n).fill('x')),
  },
);

const typesOf = ({ type }: Json): readonly unknown[] =>
  (Array.isArray(type) ? type : [type]).filter((one) => one !== 'null');

const numberOf = (value: unknown, otherwise: number): number =>
  typeof value === 'number' ? value : otherwise;

const FORMATS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  uuid: fc.oneof(someId, fc.uuid()),
  email: fc.uuid().map((text) => `${text}@people.example.org`),
  uri: fc.webUrl(),
};

function textOf(schema: Json): fc.Arbitrary<string> {
  const format = FORMATS[String(schema['format'])];
  if (format) return format;
  const examples = schema['examples'];
  if (Array.isArray(examples)) return fc.constantFrom(...(examples as string[]));
  if (schema['pattern'] !== undefined) return fc.constantFrom('CH', 'ke', 'ZZ');
  const max = numberOf(schema['maxLength'], 100);
  return fc.oneof(
    { weight: 4, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(max - 1, max, max + 1).map((n) => 'x'.repeat(Math.max(n, 0))),
    },
  );
}

function numbersOf(schema: Json): fc.Arbitrary<number> {
  const min = numberOf(schema['minimum'], -1000);
  const max = numberOf(schema['maximum'], 1000);
  const inside = typesOf(schema).includes('integer')
    ? fc.integer({ min: Math.ceil(min), max: Math.min(Math.floor(max), 2 ** 31 - 1) })
    : fc.double({ min, max, noNaN: true });
  return fc.oneof({ weight: 4, arbitrary: inside }, fc.constantFrom(min, max, min - 1, max + 1));
}

/** A value that fits the schema, or misses it by a little. */
export function fitting(schema: Json): fc.Arbitrary<unknown> {
  const { enum: allowed, anyOf } = schema;
  if (Array.isArray(allowed)) return fc.constantFrom(...(allowed as unknown[]));
  if (Array.isArray(anyOf)) return fc.oneof(...(anyOf as Json[]).map(fitting));
  const [type] = typesOf(schema);
  if (type === 'string') return textOf(schema);
  if (type === 'number' || type === 'integer') return numbersOf(schema);
  if (type === 'boolean') return fc.boolean();
  if (type === 'array')
    return fc.array(mostly(fitting(asObject(schema['items']))), { maxLength: 3 });
  if (schema['properties'] !== undefined) return objectOf(schema);
  const names = fc.constantFrom('en', 'fr', 'pt-BR', 'xx', 'key', 'EN');
  return fc.dictionary(names, mostly(fc.string({ maxLength: 20 })), { maxKeys: 3 });
}

/** Now and then something else. */
export const mostly = (right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 9, arbitrary: right }, { weight: 1, arbitrary: wild });

/** An object with some of its fields; what it has to have, it mostly has. */
export function objectOf(schema: Json): fc.Arbitrary<Json> {
  const required = new Set(schema['required'] as readonly string[] | undefined);
  const fields = Object.entries(asObject(schema['properties'])).map(([name, property]) =>
    fc
      .tuple(fc.integer({ min: 0, max: 99 }), mostly(fitting(asObject(property))))
      .map(([chance, value]) => (chance < (required.has(name) ? 95 : 20) ? [[name, value]] : [])),
  );
  const further = fc.oneof(
    { weight: 12, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.tuple(wildName, wild).map((entry) => [entry]) },
  );
  return fc
    .tuple(...fields, further)
    .map((entries) => Object.fromEntries(entries.flat() as [string, unknown][]));
}
