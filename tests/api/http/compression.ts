import { send, type Answer, type Request } from '../../helpers/http';
import { uuid } from '../../helpers/ids';
import { asObject, at, parsed, type Json } from '../../helpers/json';
import { makePerson } from '../../helpers/people';
import type { World } from '../../helpers/world';

const ENCODINGS = ['br', 'gzip'];

/** Answers of 2 KiB and more, for clients that accept an encoding. */
export function testCompression(world: () => World): void {
  const LARGE = uuid(0xc0ffee);
  const url = `/api/v0/encounter/${LARGE}`;
  const remarks = 'grazes by the river, then drinks. '.repeat(200);
  const search = '/api/v0/search/encounter?expand=true&limit=1000';

  beforeAll(async () => {
    await world().create('encounter', { id: LARGE, remarks });
  });

  const get = (path: string, accepted?: string, headers: Request['headers'] = {}) =>
    world().send({
      method: 'GET',
      url: path,
      headers: { ...headers, ...(accepted === undefined ? {} : { 'Accept-Encoding': accepted }) },
    });
  /** What an answer says, without its transaction ID. */
  const said = ({ text }: Answer): Json => ({
    ...asObject(parsed(text)),
    transactionId: null,
  });

  test.each(ENCODINGS)('are the same in %s, and much smaller', async (encoding) => {
    for (const path of [url, search, '/api/v0/openapi.json']) {
      const [plain, small] = [await get(path), await get(path, encoding)];
      expect([small.status, small.headers['content-encoding']]).toEqual([200, encoding]);
      expect(said(small)).toEqual(said(plain));
      expect(small.bytes.length).toBeLessThan(plain.bytes.length / 2);
      expect(Number(small.headers['content-length'])).toBe(small.bytes.length);
      expect(small.headers['vary']).toContain('Accept-Encoding');
      const head = await world().send({
        method: 'HEAD',
        url: path,
        headers: { 'Accept-Encoding': encoding },
      });
      expect([head.headers['content-encoding'], head.text]).toEqual([encoding, '']);
    }
  });

  test('are compressed in the encoding that is accepted, the smaller one of two', async () => {
    const encodingFor = async (accepted?: string): Promise<unknown> =>
      (await get(url, accepted)).headers['content-encoding'];
    expect(await encodingFor('gzip, deflate, br, zstd')).toBe('br');
    expect(await encodingFor('GZIP;q=0.5')).toBe('gzip');
    expect(await encodingFor('br;q=0, gzip')).toBe('gzip');
    for (const none of [
      undefined,
      '',
      'identity',
      'deflate',
      'gzip;q=0, br; q=0.0',
      'xbr',
      '*;q=0',
    ])
      expect([none, await encodingFor(none)]).toEqual([none, undefined]);
  });

  test('have a tag for each encoding, any of which holds in a precondition', async () => {
    const tags = await Promise.all(
      [undefined, ...ENCODINGS].map(async (one) => String((await get(url, one)).headers['etag'])),
    );
    expect(new Set(tags).size).toBe(3);
    for (const tag of tags)
      for (const encoding of [undefined, ...ENCODINGS]) {
        const held = await get(url, encoding, { 'If-None-Match': tag });
        expect([held.status, tags.includes(String(held.headers['etag']))]).toEqual([304, true]);
      }
    const [, small = ''] = tags;
    expect((await get(url, 'br', { 'If-None-Match': small })).headers['etag']).toBe(small);
    const change = (tag: string) =>
      world().send({
        method: 'PUT',
        url,
        headers: { 'If-Match': tag },
        body: { remarks: `${remarks}${tag}` },
      });
    expect((await change(small)).status).toBe(200);
    expect((await change(small)).status).toBe(412);
  });

  test('that stream are compressed on their way', async () => {
    for (const format of ['csv', 'geojson']) {
      const path = `/api/v0/export/encounter?format=${format}`;
      const [plain, small] = [await get(path), await get(path, 'gzip')];
      expect(small.headers['content-encoding']).toBe('gzip');
      expect(small.text).toBe(plain.text);
    }
  });

  test('that refuse are compressed, too', async () => {
    const body = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`nothing_${n}`, n]));
    const answer = await world().send({
      method: 'POST',
      url: '/api/v0/encounter',
      headers: { 'Accept-Encoding': 'gzip' },
      body,
    });
    const invalid = at(said(answer), 'response', 'invalid');
    const { 'content-encoding': encoding } = answer.headers;
    expect([answer.status, encoding, (invalid as Json[]).length]).toEqual([400, 'gzip', 60]);
  });

  test('are not compressed where they are small, or carry a secret', async () => {
    const small = await get('/api/v0/site_settings?fields=site_name', 'gzip');
    expect(small.headers['content-encoding']).toBeUndefined();
    const { id, email, password } = await makePerson(world().service);
    const affiliation = '🦓'.repeat(200);
    const website = `https://example.org/${'x'.repeat(230)}`;
    await world().update('user', id, { affiliation, website, name: '🦓'.repeat(120) });
    const begun = await world().send({
      method: 'POST',
      url: '/api/v0/login',
      headers: { 'Accept-Encoding': 'gzip' },
      body: { username: email, password },
    });
    expect(begun.bytes.length).toBeGreaterThan(2048);
    expect([begun.status, begun.headers['content-encoding']]).toEqual([200, undefined]);
  });

  test('with the texts of messages are compressed', async () => {
    const path = '/locales/es/translation.json';
    const file = (headers: Request['headers']): Promise<Answer> =>
      send(world().service.url, { method: 'GET', url: path, headers: headers ?? {} });
    const [plain, small] = [await file({}), await file({ 'Accept-Encoding': 'br' })];
    expect([small.headers['content-encoding'], small.text]).toEqual(['br', plain.text]);
    const tag = String(small.headers['etag']);
    expect((await file({ 'Accept-Encoding': 'gzip', 'If-None-Match': tag })).status).toBe(304);
  });
}
