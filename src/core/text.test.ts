import { inspectJson, isMalformedText, MAX_DEPTH } from './text';

describe('a character that no text may hold', () => {
  const forbidden = [
    ...Array.from({ length: 32 }, (_, code) => code),
    ...Array.from({ length: 33 }, (_, n) => 0x7f + n),
  ].filter((code) => ![9, 10, 13].includes(code));

  test.each(forbidden)('is U+%d', (code) => {
    expect(isMalformedText(`a${String.fromCharCode(code)}b`)).toBe(true);
  });

  test.each(['\ud800', '\udfff', 'a\ud83e', '\udd93\ud83e', '\ud83e\ud83e\udd93'])(
    'is half of a pair (%#)',
    (text) => {
      expect(isMalformedText(text)).toBe(true);
    },
  );

  test.each([
    '',
    'a',
    '\t\r\n',
    '\u00a0',
    '\u200b',
    '\u202e',
    '\ufffd',
    '\uffff',
    '\u{1F993}',
    '\u{10FFFF}',
  ])('is none of "%s"', (text) => {
    expect(isMalformedText(text)).toBe(false);
  });
});

describe('combining marks in a row', () => {
  const run = (mark: string, length: number): string => `a${mark.repeat(length)}b`;

  test.each([
    ['an accent', '\u0301'],
    ['an enclosing mark', '\u20dd'],
    ['a spacing mark', '\u0903'],
    ['a variation selector', '\ufe0f'],
    ['one outside the basic plane', '\u{1d165}'],
    ['a variation selector at the end of Unicode', '\u{e01ef}'],
    ['a halfwidth sound mark, which decomposes into one', '\uff9e'],
  ])('may be thirty, and no more: %s', (_, mark) => {
    expect(isMalformedText(run(mark, 30))).toBe(false);
    expect(isMalformedText(run(mark, 31))).toBe(true);
  });

  test('are counted whichever they are, and from each other character anew', () => {
    const fifteen = '\u0301\u{1d165}\ufe0f'.repeat(5);
    expect(isMalformedText(`a${fifteen}${fifteen}`)).toBe(false);
    expect(isMalformedText(`a${fifteen}${fifteen}\u0301`)).toBe(true);
    for (const between of ['a', ' ', '\u00e9', '\u3042', '\u{1F993}', '\u{e0200}'])
      expect(isMalformedText(`${fifteen}${fifteen}${between}${fifteen}`)).toBe(false);
  });

  test('are no letters, digits or pictographs', () => {
    for (const letter of ['\u0301a', '\u0915', '\u{1F993}', '\u0660'])
      expect(isMalformedText(letter.repeat(100))).toBe(false);
  });
});

describe('JSON', () => {
  const nested = (depth: number): unknown => {
    let value: unknown = 1;
    for (let level = 0; level < depth; level += 1) value = level % 2 ? [value] : { a: value };
    return value;
  };

  test('may be as deep as the limit, and no deeper', () => {
    expect(inspectJson(nested(MAX_DEPTH))).toEqual([]);
    expect(inspectJson(nested(MAX_DEPTH + 1))).toMatchObject([{ key: 'TOO_LARGE' }]);
    expect(inspectJson(nested(100_000))).toMatchObject([{ key: 'TOO_LARGE' }]);
  });

  test('is told of by the path in dots', () => {
    const value: unknown = JSON.parse(
      '{"a":{"b":["ok","\\u0000"]},"c\\u0000":1,"d":{"__proto__":{"e":"\\u0000"}}}',
    );
    expect(inspectJson(value)).toEqual([
      { path: 'a.b.1', key: 'FORMAT', args: { expected: 'text' } },
      { path: '', key: 'FORMAT', args: { expected: 'text' } },
      { path: 'd.__proto__', key: 'UNKNOWN', args: {} },
    ]);
  });

  test.each<[unknown]>([[null], [1], [true], ['x'], [[]], [{}], [{ constructor: 1 }]])(
    '%j has nothing wrong in it',
    (value) => {
      expect(inspectJson(value)).toEqual([]);
    },
  );
});
