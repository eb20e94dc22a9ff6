import { Sum } from './load';

const sumOf = (...rows: readonly (readonly (string | null)[])[]): Sum => {
  const sum = new Sum();
  for (const row of rows) sum.add(row);
  return sum;
};

test('the same rows have the same sum, in any order', () => {
  expect(sumOf(['1', 'a'], ['2', null]).equals(sumOf(['2', null], ['1', 'a']))).toBe(true);
  expect(sumOf().equals(sumOf())).toBe(true);
});

test.each([
  [
    'another value',
    [
      ['1', 'b'],
      ['2', null],
    ],
  ],
  [
    'an empty text in place of none',
    [
      ['1', 'a'],
      ['2', ''],
    ],
  ],
  ['a row less', [['1', 'a']]],
  [
    'a row twice',
    [
      ['1', 'a'],
      ['1', 'a'],
    ],
  ],
  [
    'values in one another’s place',
    [
      ['1', null],
      ['2', 'a'],
    ],
  ],
  ['one value where there were two', [['1a'], ['2', null]]],
] as const)('%s is noticed', (_, rows) => {
  expect(sumOf(['1', 'a'], ['2', null]).equals(sumOf(...rows))).toBe(false);
});
