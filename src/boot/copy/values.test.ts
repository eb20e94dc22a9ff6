import { columnType, type Converted, type Given } from './values';

const convert = (type: string, given: Exclude<Given, null>): Converted | undefined =>
  columnType(type)?.convert(given);

/** What a value becomes, and what PostgreSQL says of it when it is read back. */
const CONVERTED: readonly (readonly [string, Exclude<Given, null>, Converted['value'], string])[] =
  [
    ['integer', 5n, '5', '5'],
    ['bigint', -9_223_372_036_854_775_808n, '-9223372036854775808', '-9223372036854775808'],
    ['double precision', 0.1, '0.1', '0.1'],
    ['double precision', 3n, '3', '3'],
    ['double precision', 1e21, '1e+21', '1e+21'],
    ['numeric(10,2)', 1.5, '1.5', '1.50'],
    ['boolean', 1n, true, 'true'],
    ['boolean', 0n, false, 'false'],
    ['character varying(3)', '🐘🐘🐘', '🐘🐘🐘', '🐘🐘🐘'],
    ['text', 'é', 'é', 'é'],
    ['jsonb', '{"b": 1, "a": [2]}', '{"b": 1, "a": [2]}', '{"a": [2], "b": 1}'],
    ['jsonb', 5n, '5', '5'],
    ['json', 'null', 'null', 'null'],
    [
      'timestamp(6) without time zone',
      1_700_000_000_123n,
      '2023-11-14T22:13:20.123Z',
      '2023-11-14 22:13:20.123',
    ],
    [
      'timestamp without time zone',
      '2023-11-14 22:13:20',
      '2023-11-14T22:13:20.000Z',
      '2023-11-14 22:13:20',
    ],
    ['timestamp with time zone', -1n, '1969-12-31T23:59:59.999Z', '1969-12-31 23:59:59.999+00'],
    ['date', '2024-02-29', '2024-02-29', '2024-02-29'],
    ['bytea', Buffer.from('a'), Buffer.from('a'), '\\x61'],
  ];

test.each(CONVERTED)(
  '%s takes %p, and is compared with what comes back',
  (type, given, value, back) => {
    const converted = convert(type, given);
    expect(converted?.value).toEqual(value);
    expect(columnType(type)?.comparable(back)).toBe(converted?.text);
  },
);

const REFUSED: readonly (readonly [string, Exclude<Given, null>, string])[] = [
  ['integer', 2_147_483_648n, 'is not a whole number of 32 bits'],
  ['integer', 1.5, 'is not a whole number'],
  ['integer', '5', 'is not a whole number'],
  ['smallint', -32_769n, 'is not a whole number of 16 bits'],
  ['double precision', '0.1', 'is not a number'],
  ['numeric(10,2)', 1.234, 'is not a number with 2 decimals'],
  ['numeric(10,2)', 'many', 'is not a decimal number'],
  ['boolean', 2n, 'is not 0 or 1'],
  ['boolean', 'true', 'is not 0 or 1'],
  ['character varying(2)', 'abc', 'is not a text of at most 2 characters'],
  ['text', 'a\0b', 'is not a text without U+0000'],
  ['text', 5n, 'is not a text'],
  ['text', Buffer.from('a'), 'is not a text'],
  ['jsonb', '{', 'is not JSON'],
  ['jsonb', '"a\\u0000"', 'is not JSON without U+0000'],
  ['timestamp(6) without time zone', 'yesterday', 'is not a time in milliseconds since 1970'],
  ['timestamp(6) without time zone', 1.5, 'is not a time in milliseconds since 1970'],
  ['timestamp(6) without time zone', 10n ** 17n, 'is not a time in milliseconds since 1970'],
  ['date', 'soon', 'is not a date'],
  ['bytea', 'a', 'is not bytes'],
];

test.each(REFUSED)('%s does not take %p', (type, given, why) => {
  expect(() => convert(type, given)).toThrow(new Error(why));
});

test('nothing is guessed of a type that is not known', () => {
  expect(columnType('tsvector')).toBeUndefined();
  expect(columnType('constructor')).toBeUndefined();
});
