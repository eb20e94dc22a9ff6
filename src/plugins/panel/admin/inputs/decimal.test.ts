import { describe, expect, test } from '@jest/globals';
import { formatDecimal, isBeginning, parseDecimal, parsePair, thousandsOf } from './decimal';

describe('a number', () => {
  test.each([
    ['4.1', 4.1],
    ['4,1', 4.1],
    [' -2,3333333 ', -2.3333333],
    ['+7', 7],
    ['\u22125.5', -5.5],
    [',5', 0.5],
    ['4.', 4],
    ['1,234', 1.234],
    ['12345', 12345],
  ])('%p is one', (text, value) => {
    expect(parseDecimal(text, null)).toEqual({ value });
  });

  test.each(['', ' ', '\u00a0'])('%p is none', (text) => {
    expect(parseDecimal(text, null)).toEqual({ value: null });
  });

  test.each(['1,234.5', '1.234,5', '4..1', '4,1,2', '1 234,5', '1 234 567', "1'234.5", '.,'])(
    '%p might be several',
    (text) => {
      expect(parseDecimal(text, null)).toEqual({ fault: 'twoSigns' });
    },
  );

  test.each(['abc', '4.1 N', '4°', '0x10', '1e5', '--4', '-', '4-1', 'Infinity', '9'.repeat(400)])(
    '%p is not taken',
    (text) => {
      expect(parseDecimal(text, null)).toEqual({ fault: 'notNumber' });
    },
  );

  test.each([
    ['en', '1,234'],
    ['es', '1.234'],
    ['en', '-999,999'],
  ])('in %s, %p might be thousands', (language, text) => {
    expect(parseDecimal(text, thousandsOf(language))).toEqual({ fault: 'twoSigns' });
  });

  test.each([
    ['en', '1.234', 1.234],
    ['es', '1,234', 1.234],
    ['fr', '1,234', 1.234],
    ['en', '0,234', 0.234],
    ['en', '1234,567', 1234.567],
    ['en', '4,12', 4.12],
  ])('in %s, %p is a decimal', (language, text, value) => {
    expect(parseDecimal(text, thousandsOf(language))).toEqual({ value });
  });

  test('may begin with what is none yet', () => {
    expect(['', '-', '+', '-,', '.'].every(isBeginning)).toBe(true);
    expect(['-a', '--', '4'].some(isBeginning)).toBe(false);
  });
});

describe('a position', () => {
  test.each([
    ['50.699, 4.013', [50.699, 4.013]],
    ['50.699,4.013', [50.699, 4.013]],
    ['50,699; 4,013', [50.699, 4.013]],
    ['50,699, 4,013', [50.699, 4.013]],
    ['50.699 -4.013', [50.699, -4.013]],
    ['50.699\t\u22124', [50.699, -4]],
    [' -2, 34 ', [-2, 34]],
  ])('%p is one', (text, pair) => {
    expect(parsePair(text)).toEqual(pair);
  });

  test.each(['50.699', '50,699', '1,234.5', '1.234,5', '1, 2, 3', '50.699° N, 4° E', 'a, b', ''])(
    '%p is none',
    (text) => {
      expect(parsePair(text)).toBeNull();
    },
  );
});

test.each([
  ['en', -2.3333333, '-2.3333333'],
  ['es', 34.8333, '34,8333'],
  ['fr', 20037509, '20037509'],
  ['en', 0.1, '0.1'],
  ['es', 0.0000001, '0,0000001'],
])('in %s %d is written so that it reads as the same', (language, value, text) => {
  expect(formatDecimal(value, language)).toBe(text);
  expect(parseDecimal(text, null)).toEqual({ value });
});
