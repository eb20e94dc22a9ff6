import { foldText, hasWord, tokensOf, wordsOf } from './words';

test.each([
  ['Straße', 'strasse'],
  ['STRASSE', 'strasse'],
  ['Ζέβρα ΟΔΟΣ', 'ζεβρα οδοσ'],
  ['İstanbul', 'istanbul'],
  ['ﬁn', 'fin'],
  ['한국', '한국'],
  ['が', 'か'],
])('%s is folded to %s', (text, form) => {
  expect(foldText(text)).toBe(form);
});

test.each([
  ['Zèbre des plaines, Z-042', ['zebre', 'des', 'plaines', 'z', '042']],
  ['斑马 in 한국', ['斑', '马', 'in', '한', '국']],
  ['зебра حمار وحشي', ['зебра', 'حمار', 'وحشي']],
  ['🦒🦒 100% "sure" _*_', ['🦒', '🦒', '100', 'sure']],
  ['Łódź Bjørn Đuro Ærø Œuvre Þór', ['lodz', 'bjorn', 'duro', 'aero', 'oeuvre', 'thor']],
  ['Hawaiʻi Hawai’i', ['hawai', 'i', 'hawai', 'i']],
  ['Ovis aries × musimon, ×Mahoberberis', ['ovis', 'aries', 'x', 'musimon', 'x', 'mahoberberis']],
  ['', []],
])('the tokens of %s', (text, tokens) => {
  expect(tokensOf(text)).toEqual(tokens);
});

test('what stands together in a query is a phrase', () => {
  expect(wordsOf('black 斑马, "Z*"')).toEqual([['black'], ['斑', '马'], ['z']]);
  expect(wordsOf('%_*"')).toEqual([]);
});

test('a word is found by its beginning, a phrase in its order', () => {
  const tokens = tokensOf('A black 斑马 walks');
  expect(hasWord(tokens, ['bla'])).toBe(true);
  expect(hasWord(tokens, ['lack'])).toBe(false);
  expect(hasWord(tokens, ['斑', '马'])).toBe(true);
  expect(hasWord(tokens, ['马', '斑'])).toBe(false);
});

test('a token is cut in texts and queries alike', () => {
  const long = 'a'.repeat(300);
  expect(hasWord(tokensOf(long), wordsOf(long)[0] ?? [])).toBe(true);
});
