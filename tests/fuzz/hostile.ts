/** Any JSON, and texts that mean something to some program or other. */
import * as fc from 'fast-check';
import { known } from './values';

/** An object of any type. */
export const someId = known('any');

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

export const wildName = fc.oneof(
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

/** Now and then something else. */
export const mostly = (right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 9, arbitrary: right }, { weight: 1, arbitrary: wild });
