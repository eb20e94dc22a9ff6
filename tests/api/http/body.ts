import { gzipSync } from 'node:zlib';
import { idsOf } from '../../helpers/ids';
import { runScenarios, type Fault, type Scenario } from '../../helpers/scenario';
import type { World } from '../../helpers/world';

const uuid = idsOf(2);

/** The bodies of requests, on a shared service. */
export function testBodies(world: () => World): void {
  const url = '/api/v0/encounter';
  const JSON_TYPE = { 'Content-Type': 'application/json' };
  const MEBIBYTE = 1024 * 1024;

  const post = (
    name: string,
    raw: string | Buffer,
    expected: Scenario['expect'],
    headers: Scenario['headers'] = JSON_TYPE,
  ): Scenario => ({ name, method: 'POST', url, raw, headers, expect: expected });

  const malformed = (...invalid: Fault[]): Scenario['expect'] => ({
    status: 400,
    key: 'MALFORMED',
    invalid,
  });
  const notJson = malformed(['', 'FORMAT', { expected: 'json' }]);
  const good = { status: 200 };

  describe('a body of another media type', () => {
    const refused = {
      status: 415,
      key: 'MEDIA_TYPE_NOT_ACCEPTED',
      args: { expected: 'application/json' },
    };
    const typed = (type: string, expected: Scenario['expect']): Scenario =>
      post(`"${type}" is ${expected.status}`, '{}', expected, { 'Content-Type': type });
    runScenarios(world, [
      ...[
        '',
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'application/jsonp',
        'application/merge-patch+json',
        'application/vnd.api+json',
        'text/json',
        '*/*',
        'application/json; charset=iso-8859-1',
        'application/json; charset=utf-16',
        'application/json, text/plain',
      ].map((type) => typed(type, refused)),
      ...[
        'application/json',
        'APPLICATION/JSON',
        'application/json;charset=utf-8',
        'application/json; charset="UTF-8"',
        'application/json ; charset=utf8',
        'application/json; profile=x',
      ].map((type) => typed(type, good)),
      post('without a media type is 415', '{}', refused, {}),
      post('that is compressed is 415', gzipSync('{}'), refused, {
        ...JSON_TYPE,
        'Content-Encoding': 'gzip',
      }),
      post('that says that it is not compressed is taken', '{}', good, {
        ...JSON_TYPE,
        'Content-Encoding': 'identity',
      }),
      {
        name: 'is 415 on an update',
        method: 'PUT',
        url: `${url}/${uuid(1)}`,
        raw: '{}',
        headers: { 'Content-Type': 'text/plain' },
        expect: refused,
      },
      {
        name: 'is 415 on a deletion',
        method: 'DELETE',
        url: `${url}/${uuid(1)}`,
        raw: '{}',
        headers: { 'Content-Type': 'text/plain' },
        expect: refused,
      },
      {
        name: 'is nothing to a read, which has none',
        method: 'GET',
        url: '/api/v0/openapi.json',
        raw: 'x',
        headers: { 'Content-Type': 'text/plain' },
        expect: good,
      },
    ]);
  });

  describe('a body that is too large', () => {
    const tooLarge = { status: 413, key: 'BODY_TOO_LARGE', args: { max: MEBIBYTE } };
    const of = (size: number): string => `{}${' '.repeat(size - 2)}`;
    const chunked = { ...JSON_TYPE, 'Transfer-Encoding': 'chunked' };
    runScenarios(world, [
      post('may have a mebibyte', of(MEBIBYTE), good),
      post('is 413 with one byte more', of(MEBIBYTE + 1), tooLarge),
      post('is 413 before its media type', of(MEBIBYTE + 1), tooLarge, {}),
      post('may have a mebibyte in chunks', of(MEBIBYTE), good, chunked),
      post('is 413 in chunks, too', of(MEBIBYTE + 1), tooLarge, chunked),
      post('is 413 when it has several', of(5 * MEBIBYTE), tooLarge, chunked),
      {
        name: 'is 413 on an update',
        method: 'PUT',
        url: `${url}/${uuid(1)}`,
        raw: of(MEBIBYTE + 1),
        headers: JSON_TYPE,
        expect: tooLarge,
      },
    ]);
  });

  describe('a body that is no JSON', () => {
    runScenarios(
      world,
      [
        '{',
        '}',
        '{"a":1,}',
        "{'a':1}",
        '{a:1}',
        '{}{}',
        '{"a":01}',
        '{"a":NaN}',
        '\ufeff\ufeff{}',
        ' ',
        'undefined',
        '{"a":"\n"}',
        '// {}',
        '{"latitude":+1}',
        '"\\x41"',
      ].map((raw) => post(`${JSON.stringify(raw)} is 400`, raw, notJson)),
    );

    runScenarios(world, [
      post('is not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), notJson),
      post('is UTF-16', Buffer.from('{}', 'utf16le'), notJson),
      post('has a surrogate in UTF-8', Buffer.from('7b2261223a22eda080227d', 'hex'), notJson),
      post('has an overlong character', Buffer.from('7b2261223a22c080227d', 'hex'), notJson),
      post('may begin with a byte order mark', '\ufeff{}', good),
      post('may have blanks around it', ' \r\n\t{} ', good),
    ]);
  });

  describe('JSON that is no good', () => {
    const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    runScenarios(world, [
      post(
        'has a prototype',
        '{"__proto__":{"admin":true}}',
        malformed(['__proto__', 'UNKNOWN', {}]),
      ),
      post(
        'has a prototype inside',
        '{"custom_fields":{"a":{"__proto__":1}}}',
        malformed(['custom_fields.a.__proto__', 'UNKNOWN', {}]),
      ),
      post(
        'has the constructor of one',
        '{"constructor":{"prototype":{"a":1}}}',
        malformed(['constructor', 'UNKNOWN']),
      ),
      post(
        'is nested as deep as it may be',
        `{"nope":${nested(31)}}`,
        malformed(['nope', 'UNKNOWN']),
      ),
      ...[32, 33, 5000].map((depth) =>
        post(`is nested ${depth} deep inside an object`, `{"nope":${nested(depth)}}`, {
          status: 400,
          key: 'MALFORMED',
          invalid: [[`nope${'.0'.repeat(31)}`, 'TOO_LARGE', { value: 33, max: 32 }]],
        }),
      ),
      ...[
        ['is nested without end', `{"nope":${nested(400_000)}}`],
        ['has a list without end', `{"tags":[${'1,'.repeat(400_000)}1]}`],
        ['has measurements without end', `{"measurements":[${'{},'.repeat(300_000)}{}]}`],
        ['has names without end', `{${'"a":1,'.repeat(10_000)}"a":1}`],
      ].map(([name = '', raw = '']) =>
        post(name, raw, malformed(['', 'TOO_LONG', { max: 10_000 }])),
      ),
      post('may have many commas in a text', `{"remarks":"${'\\",['.repeat(2000)}"}`, good),
      post(
        'has a longer list than its field may have, whose items nobody looks at',
        `{"measurements":[${'{"type":"a","value":1},'.repeat(150)}{}]}`,
        malformed(['measurements', 'TOO_LONG', { max: 100 }]),
      ),
      post(
        'has a longer list than its field may have, of one text',
        JSON.stringify({ tags: Array(101).fill('a') }),
        malformed(['tags', 'TOO_LONG', { max: 100 }]),
      ),
      post(
        'has a name as long as it may be',
        `{"${'n'.repeat(256)}":1}`,
        malformed(['n'.repeat(256), 'UNKNOWN']),
      ),
      post(
        'has a name that is longer',
        `{"${'n'.repeat(257)}":1}`,
        malformed(['', 'TOO_LONG', { max: 256 }]),
      ),
      post(
        'has a long name before all that is wrong in it',
        `{"${'n'.repeat(500_000)}":[${'"\\u0000",'.repeat(5000)}1]}`,
        malformed(['', 'TOO_LONG', { max: 256 }]),
      ),
      post(
        'has more faults than anybody wants to be told',
        `{"tags":[${'"\\u0000",'.repeat(5000)}1]}`,
        malformed(
          ...Array.from({ length: 100 }, (_, n): Fault => [
            `tags.${n}`,
            'FORMAT',
            { expected: 'text' },
          ]),
        ),
      ),
      post(
        'has a control character in a name',
        '{"a\\u0000b":1}',
        malformed(['', 'FORMAT', { expected: 'text' }]),
      ),
      post(
        'has a lone surrogate in a name',
        '{"custom_fields":{"\\udc00":1}}',
        malformed(['custom_fields', 'FORMAT', { expected: 'text' }]),
      ),
      post(
        'has control characters in texts, all of which are told',
        '{"locality":"\\u0007","tags":["ok","\\u009f"],"nope":"\\u001b"}',
        malformed(
          ['locality', 'FORMAT', { expected: 'text' }],
          ['tags.1', 'FORMAT', { expected: 'text' }],
          ['nope', 'FORMAT', { expected: 'text' }],
        ),
      ),
      post(
        'has half of an emoji',
        '{"locality":"\\ud83e"}',
        malformed(['locality', 'FORMAT', { expected: 'text' }]),
      ),
      post(
        'has the halves of an emoji the wrong way round',
        '{"locality":"\\udd93\\ud83e"}',
        malformed(['locality', 'FORMAT']),
      ),
      post('may have an emoji in halves', '{"locality":"\\ud83e\\udd93"}', good),
      post('may have tabs and line ends', '{"remarks":"a\\tb\\r\\nc\\nd\\re"}', good),
      post(
        'takes the last of two values of one name, as every reader of JSON does',
        '{"locality":"a","locality":"b"}',
        good,
      ),
    ]);
  });

  test('an emoji that comes in halves is one', async () => {
    const answer = await world().send({
      method: 'POST',
      url,
      raw: '{"locality":"\\ud83e\\udd93"}',
      headers: JSON_TYPE,
    });
    const { response } = JSON.parse(answer.text) as { response: { id: string } };
    expect(await world().read('encounter', response.id)).toMatchObject({ locality: '\u{1F993}' });
  });
}
