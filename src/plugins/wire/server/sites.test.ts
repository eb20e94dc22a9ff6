import { isSameSite, siteWarning } from './sites';

test.each([
  ['http://localhost:1337', 'http://localhost:5173', true],
  ['http://localhost:1337', 'http://127.0.0.1:1337', false],
  ['http://127.0.0.1:1337', 'http://127.0.0.1:5173', true],
  ['http://[::1]:1337', 'http://[::1]:80', true],
  ['http://10.0.0.1', 'http://10.0.0.2', false],
  ['https://api.example.org', 'https://map.example.org/app', true],
  ['https://example.org', 'https://map.example.org', true],
  ['https://example.org', 'http://example.org', false],
  ['https://a.example.co.uk', 'https://b.example.co.uk', true],
  ['https://one.co.uk', 'https://two.co.uk', false],
  ['https://one.github.io', 'https://two.github.io', false],
])('%s and %s are one site: %s', (one, other, isOne) => {
  expect([isSameSite(one, other), isSameSite(other, one)]).toEqual([isOne, isOne]);
  expect(siteWarning(one, other) === null).toBe(isOne);
});
