import { plainField } from '../declare/common';
import type { Field } from '../declare/completed';
import { acceptance } from '../kinds';
import { fitsAsJson } from '../kinds/texts-by-term';
import { faultsAt, valueSchema } from './value';

const UUID = '0b7e6a4c-2f3d-4e5f-8a9b-1c2d3e4f5a6b';

/** Values at the bounds of the fields, beyond them, and of other types. */
const VALUES: readonly unknown[] = [
  ...['', 'a', 'ab', 'abc', 'abcd', '𝔸𝔹', '𝔸𝔹ℂ𝔻', UUID, UUID.toUpperCase(), `${UUID} `, 'fork'],
  ...[null, undefined, 7, true, [], ['a'], {}, { a: 'b' }, { a: '' }, { '': 'b' }, { a: 7 }],
  ...[{ a: null }, { a: { b: 'c' } }, { ['t'.repeat(128)]: 'b' }, { ['t'.repeat(129)]: 'b' }],
  ...[65_000, 70_000].map((length) => ({ a: 'b'.repeat(length) })),
  ...[10_000, 12_000, 70_000].map((length) => ({ a: '"'.repeat(length) })),
  { a: '\u0001'.repeat(11_000) },
  ...[1, 2, 3, 0.5, -0, Infinity, NaN, '2'],
  ...[['a', 'b'], ['a', 'b', 'c'], ['abcd'], ['𝔸𝔹ℂ'], [''], [null], [7], new Array(2)],
  ...['1969', '1969-12-31T23:59Z', '1970-01-01', '1970-01-02', '1970-01-03', '1969-02-30'],
  ...['1969/1970-01-02', '1969/1971', '1970/1969', '1969-12-31T24:00Z'],
  ...[
    { type: 'a', value: 1 },
    { type: 'a', value: 'b', unit: null },
    { type: 'a', value: '' },
  ].map((one) => [one]),
  ...[{ type: '', value: 1 }, { type: 'a' }, { type: 'a', value: NaN }, { type: 7, value: 1 }].map(
    (one) => [one],
  ),
  ...[{ type: 'a', value: 1, unit: 7 }, { type: 'a', value: 1, more: 1 }, null, 'a', []].map(
    (one) => [one],
  ),
  [{ type: 'a', value: 'b'.repeat(256) }],
  [1, 2, 3].map((value) => ({ type: 'a', value })),
];

/** A day later is the end of the second of January. */
const NOW = { now: Date.UTC(1970, 0, 1) };

const text = plainField('text', 'text', '');
const FIELDS: Readonly<Record<string, Field>> = {
  text: { ...text, minLength: 2, maxLength: 3 },
  'a text that rejects one': {
    ...text,
    maxLength: 99,
    rejects: (given) => (given === 'fork' ? 'text' : null),
  },
  uuid: plainField('uuid', 'uuid', ''),
  textsByTerm: plainField('texts', 'textsByTerm', ''),
  number: { ...plainField('number', 'number', ''), min: 1, max: 2 },
  'a number without bounds': plainField('number', 'number', ''),
  texts: { ...plainField('texts', 'texts', ''), maxLength: 3, maxItems: 2 },
  time: plainField('time', 'time', ''),
  measurements: { ...plainField('measurements', 'measurements', ''), maxItems: 2 },
};

test.each(Object.entries(FIELDS))(
  'what is accepted without the check of %s passes that check, and some is',
  (_, field) => {
    const accepts = acceptance(field);
    const accepted = VALUES.filter((value) => accepts?.(value, NOW));
    const schema = valueSchema(field);
    expect(accepted.flatMap((value) => faultsAt(schema, 'field', value, NOW))).toEqual([]);
    expect(accepted.length > 0).toBe(!field.rejects);
  },
);

test.each([0, 1, 5_000, 10_000, 11_000, 12_000, 20_000])(
  'whether texts fit as JSON is told by their bytes: %d of them',
  (length) => {
    for (const character of ['b', '"', '\u0001', '𝔸', '\ud800'])
      for (const texts of [{ a: character.repeat(length) }, { a: 'b', [character]: 'c' }]) {
        const bytes = Buffer.byteLength(JSON.stringify(texts));
        for (const max of [0, bytes - 1, bytes, 65_536])
          expect(fitsAsJson(texts, max)).toBe(bytes <= max);
      }
  },
);
