import { canonicalLanguage, COUNTRY_CODES, isCountryCode, isEmail, isWebUrl } from './formats';

describe('a country', () => {
  test('is one of ISO 3166-1, or Kosovo, in upper case', () => {
    expect(COUNTRY_CODES.length).toBeGreaterThan(240);
    const codes = ['KE', 'US', 'FR', 'SS', 'XK'];
    for (const code of [...codes, 'XX', 'ke', 'K', 'KEN', ''])
      expect([code, isCountryCode(code)]).toEqual([code, codes.includes(code)]);
  });
});

describe('a language', () => {
  test.each([
    ['en', 'en'],
    ['EN', 'en'],
    ['eng', 'en'],
    ['pt-br', 'pt-BR'],
    ['zh-hant-tw', 'zh-Hant-TW'],
    ['sw', 'sw'],
    ['', null],
    ['e', null],
    ['english language', null],
    ['en_US', null],
    ['*', null],
  ])('"%s" is %s', (tag, canonical) => {
    expect(canonicalLanguage(tag)).toBe(canonical);
  });
});

describe('an e-mail address', () => {
  test.each([
    'a@b.co',
    'A.B+c@sub.example.org',
    "o'brien@example.org",
    'a@b-c.de',
    'b@bücher.example',
  ])('is "%s"', (text) => {
    expect(isEmail(text)).toBe(true);
  });
  test.each([
    '',
    'a',
    'a@',
    '@b.co',
    'a@b',
    'a@b.',
    'a@.co',
    'a@-b.co',
    'a b@c.co',
    'a@b.co\n',
    '<a@b.co>',
    'ä@b.co',
    'a@bü\ncher.example',
    'a@bü\u200bcher.example',
    'a@bücher',
    'a@bü/cher.example',
  ])('is not "%s"', (text) => {
    expect(isEmail(text)).toBe(false);
  });
});

describe('a web address', () => {
  test.each(['https://a.example', 'http://localhost:3000/x?y#z'])('is "%s"', (text) => {
    expect(isWebUrl(text)).toBe(true);
  });
  test.each([
    '',
    '/x',
    '//a.example',
    'ftp://a.example',
    'javascript:alert(1)',
    'https://u@a.example',
    'http://u:p@a.example',
    'http://a\n.example',
    'http://a.example/\tx',
    'http://a.example/\r',
  ])('is not "%s"', (text) => {
    expect(isWebUrl(text)).toBe(false);
  });
});
