import { conditionOf, etagOf, isKnown } from './etag';

describe('a tag', () => {
  test('is the same for the same text, with the version for who may update', () => {
    expect(etagOf('{}', 3)).toMatch(/^"3-[\w-]{27}"$/);
    expect(etagOf('{}', null)).toBe(`"${etagOf('{}', 3).slice(3)}`);
    expect(etagOf('{} ', 3)).not.toBe(etagOf('{}', 3));
  });

  test.each([
    [undefined, false],
    ['', false],
    ['*', true],
    [' * ', true],
    ['"a"', true],
    ['W/"a"', true],
    ['"b", "a"', true],
    ['"b","c"', false],
    ['a', false],
    ['"A"', false],
    ['w/"a"', false],
    ['"a', false],
  ])('is known by If-None-Match %j: %s', (header, known) => {
    expect(isKnown(header, '"a"')).toBe(known);
  });
});

describe('If-Match', () => {
  test.each<[string, '*' | number[]]>([
    ['*', '*'],
    [' *', '*'],
    ['"1"', [1]],
    ['"1-abc_-Z"', [1]],
    ['W/"12"', [12]],
    ['"1", W/"2-x" ,"3"', [1, 2, 3]],
  ])('%j allows %j', (header, ifMatch) => {
    expect(conditionOf(header)).toEqual({ ifMatch, invalid: [] });
  });

  test('that is not there allows everything', () => {
    expect(conditionOf(undefined)).toEqual({ invalid: [] });
  });

  test.each([
    '',
    '1',
    '"',
    '""',
    '"a"',
    '"a-1"',
    '"1-"',
    '"1',
    '"-1"',
    '"1.0"',
    '"1" "2"',
    '*, "1"',
    '"12345678901"',
  ])('%j is malformed', (header) => {
    expect(conditionOf(header)).toEqual({
      invalid: [{ path: 'if-match', key: 'FORMAT', args: { expected: 'etag' } }],
    });
  });
});
