import { isVisibleName, normalizeName } from './names';

describe('a name that shows all that stands in it', () => {
  test.each([
    'Zoë',
    'Mary-Jane O’Neill',
    'Nguyễn Thị Ánh',
    'विक्रम',
    'क्‍ष', // a joiner after a mark of Devanagari
    'می‌خواهم', // a non-joiner between letters of Arabic
    '李小龍',
    '🦓',
    '👩‍🔬', // pictographs that a joiner makes one
    '❤️',
    '#️⃣'.slice(0, 2),
    'x'.repeat(1000),
  ])('is "%s"', (name) => {
    expect(isVisibleName(name)).toBe(true);
  });
});

describe('a name that looks like another one', () => {
  test.each([
    ['a zero-width space', 'A\u200bda'],
    ['a byte order mark', '\ufeffAda'],
    ['a soft hyphen', 'A\u00adda'],
    ['a word joiner', 'A\u2060da'],
    ['the right-to-left override', 'A\u202eda'],
    ['an isolate', 'A\u2066da\u2069'],
    ['a blank of Braille', 'Ada\u2800'],
    ['a filler of Hangul', 'Ada\u3164'],
    ['a line separator', 'Ada\u2028'],
    ['a tab', 'Ada\tL'],
    ['a new line', 'Ada\nL'],
    ['a joiner between letters of Latin', 'A\u200dda'],
    ['a non-joiner between letters of Latin', 'A\u200cda'],
    ['a joiner at the beginning', '\u200dAda'],
    ['a variation selector after a letter', 'A\ufe0fda'],
    ['a tag', 'Ada\u{e0041}'],
  ])('has %s', (_, name) => {
    expect(isVisibleName(name)).toBe(false);
  });
});

test.each([
  ['Ada\u00a0Lovelace', 'Ada Lovelace'],
  ['Ada\u3000\u2003 Lovelace', 'Ada Lovelace'],
  ['Ada  Lovelace', 'Ada Lovelace'],
  ['Ada Lovelace', 'Ada Lovelace'],
])('spaces of any kind are one plain space: %j', (given, kept) => {
  expect(normalizeName(given)).toBe(kept);
});
