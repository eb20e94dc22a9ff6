/** Requests with hostile parts, which both doors are sent. */
import * as fc from 'fast-check';
import { wild, wildText } from './hostile';
import { PANEL_CALLERS, type Shot } from './shot';
import type { Door } from './people';

/** The shares of invalid parts: most of a request is valid, so that it passes many checks. */
export const seldom = <T>(usual: fc.Arbitrary<T>, unusual: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 11, arbitrary: usual }, { weight: 1, arbitrary: unusual });

/** A half of a surrogate pair has no bytes. */
const wellFormed = (text: string): string => Buffer.from(text).toString();

/** What a URL can hold of a text: encoded well, badly, or not at all. */
export const inUrl: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: wildText.map((text) => encodeURIComponent(wellFormed(text))) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('%', '%zz', '%ff', '%c0%ae', '%u0041', '%2e%2e', '%2F', '%00', '+'),
  },
  { weight: 1, arbitrary: fc.string({ unit: fc.constantFrom(...'ab/.;:@&=+$,[]~!*()\'|^"<>{}') }) },
);

/** A header as Node's client sends it: bytes above ASCII may stand in it. */
const header = wildText.map((text) =>
  Buffer.from(wellFormed(text).slice(0, 2000), 'utf8')
    .toString('latin1')
    .replace(/[\0-\x08\x0a-\x1f\x7f]/g, '?'),
);

const HEADERS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'If-Match': fc.oneof(fc.constantFrom('*', '"1"', '"2"', 'W/"1"', '"1", "2"', '1'), header),
  'If-None-Match': fc.oneof(fc.constantFrom('*', '"1"', 'W/"x"'), header),
  Origin: fc.oneof(fc.constantFrom('null', 'http://localhost:1337', 'https://x.example'), header),
  'Sec-Fetch-Site': fc.constantFrom('same-origin', 'cross-site', 'none', 'x'),
  Authorization: fc.oneof(
    fc.constantFrom('Bearer', 'Bearer x', 'Basic eDp5', 'Bearer x y'),
    header,
  ),
  Cookie: fc.oneof(
    fc.constantFrom(
      'oms_session=x',
      'oms_session=',
      '; ;=;',
      'jwtToken=x',
      'strapi_admin_refresh=x',
    ),
    header,
  ),
  'X-Transaction-Id': header,
  'X-Forwarded-For': fc.oneof(fc.constantFrom('1.2.3.4, 5.6.7.8', '::1', 'unknown', ',,,'), header),
  'Accept-Language': fc.oneof(fc.constantFrom('fr', 'xx;q=2', '*'), header),
  'Content-Type': fc.oneof(
    fc.constantFrom(
      'application/json; charset=utf-16',
      'text/plain',
      'multipart/form-data; boundary=x',
      'application/x-www-form-urlencoded',
      'application/vnd.api+json',
    ),
    header,
  ),
  'Content-Encoding': fc.constantFrom('gzip', 'br', 'identity', 'x'),
  Range: fc.constantFrom('bytes=0-', 'bytes=-1', 'x'),
  Expect: fc.constantFrom('100-continue', 'x'),
  'X-HTTP-Method-Override': fc.constantFrom('DELETE', 'PUT'),
  'User-Agent': header,
};

const headers: fc.Arbitrary<Record<string, string>> = fc
  .array(
    fc.oneof(...Object.entries(HEADERS).map(([name, value]) => fc.tuple(fc.constant(name), value))),
    { minLength: 1, maxLength: 2 },
  )
  .map((entries) => Object.fromEntries(entries));

/** JSON text, including forms that no library writes. */
const brokenJson: fc.Arbitrary<string> = fc.oneof(
  wild.map((value) => JSON.stringify(value).slice(0, -1)),
  fc.constantFrom(
    '{',
    '[',
    '"',
    'nul',
    '{"a":1,}',
    '{"a":1}{"b":2}',
    '\ufeff{}',
    '{"__proto__":{"role":"administrator"}}',
    '{"id":"x","id":"y"}',
    '{"a":"\\ud800"}',
    '{"a":"\\u0000"}',
    '{"a":1e999}',
    '{"a":-0}',
    '-',
    "{'a':1}",
    `${'['.repeat(20_000)}`,
    `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
    '\x00',
  ),
  wildText,
);

/** The body of a request as bytes. */
export const bodyOf = (right: fc.Arbitrary<unknown>): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 12, arbitrary: right.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: wild.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: brokenJson },
  );

/** A parameter of a name. */
export const named = (name: string, value: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  value.map((text) => `${name}=${text}`);

const stranger = fc.tuple(inUrl, inUrl).map(([name, value]) => `${name}=${value}`);

/** The query of a request: some of these parameters, and now and then others. */
export function queryOf(known: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> {
  const part = fc.oneof(...known.map((arbitrary) => ({ weight: 4, arbitrary })), {
    weight: 1,
    arbitrary: stranger,
  });
  return fc
    .array(part, { maxLength: 4 })
    .map((parts) => (parts.length === 0 ? '' : `?${parts.join('&')}`));
}

/** A text in a URL, mostly one that is meant there. */
export const parameter = (right: fc.Arbitrary<unknown>): fc.Arbitrary<string> =>
  fc.oneof(
    {
      weight: 3,
      arbitrary: right.map((value) =>
        encode(typeof value === 'string' ? value : (JSON.stringify(value) ?? '')),
      ),
    },
    { weight: 1, arbitrary: inUrl },
  );

/** What stands for an ID stays as it is. */
export const encode = (text: string): string =>
  /^\{\{\w+:\w+\}\}$/.test(text) ? text : encodeURIComponent(wellFormed(text));

const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND'];

export interface Parts {
  readonly door: Door;
  readonly method: string;
  readonly path: fc.Arbitrary<string>;
  readonly query: fc.Arbitrary<string>;
  readonly body: fc.Arbitrary<string> | null;
}

/** A request of these parts, by anybody, now and then with another method and other headers. */
export function shot({ door, method, path, query, body }: Parts): fc.Arbitrary<Shot> {
  const bodies =
    body ?? seldom(fc.constant<string | undefined>(undefined), fc.constantFrom('{}', '{', 'x'));
  return fc
    .record({
      who: fc.constantFrom(...PANEL_CALLERS),
      method: seldom(fc.constant(method), fc.constantFrom(...METHODS)),
      path: seldom(
        path,
        fc.tuple(path, inUrl).map(([right, more]) => `${right}/${more}`),
      ),
      query: body ? seldom(fc.constant(''), query) : query,
      raw: bodies,
      headers: fc.oneof(
        { weight: 5, arbitrary: fc.constant({}) },
        { weight: 1, arbitrary: headers },
      ),
    })
    .map(({ who, method: verb, path: target, query: search, raw, headers: given }) => ({
      door,
      who,
      request: {
        method: verb,
        url: `${target}${search}`,
        headers: { ...(raw === undefined ? {} : { 'Content-Type': 'application/json' }), ...given },
        ...(raw === undefined ? {} : { raw }),
      },
      kind: 'hostile',
      isTidy: false,
    }));
}
