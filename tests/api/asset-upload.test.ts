// @databases sqlite postgres
import { createHash, randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import sharp from 'sharp';
import { assetsOf } from '#app/plugins/assets/server';
import { authorizationOf } from '../helpers/callers';
import type { Answer } from '../helpers/http';
import { at, parsed, type Json } from '../helpers/json';
import { play, type Fault } from '../helpers/scenario';
import { withSite } from '../helpers/people';
import { snapshot } from '../helpers/snapshot';
import { formOf, photograph, uploadRequest, type Upload } from '../helpers/upload';
import { keyOf, responseOf } from '../helpers/people';
import { useWorld } from '../helpers/world';
import { testRenditions } from './asset-upload/renditions';

const world = useWorld({ as: 'user', site: { max_upload_bytes: 2_000_000 } });
const user = authorizationOf('user');

const upload = (given: Upload, headers = user): Promise<Answer> =>
  world().send(uploadRequest(given, headers));

/** The files that are kept, and those that are on their way. */
const files = (): string[] => {
  const { dataDir } = world().service;
  return [
    ...readdirSync(join(dataDir, 'public', 'uploads')),
    ...readdirSync(join(dataDir, 'incoming', String(process.pid))),
  ].sort();
};

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** A refused upload leaves nothing: no row, no file. */
async function refused(
  given: Upload,
  status: number,
  invalid: readonly Fault[] = [],
): Promise<void> {
  const before = files();
  await play(world(), {
    name: 'an upload',
    ...uploadRequest(given, user),
    expect: {
      status,
      key: status === 400 ? 'MALFORMED' : 'BODY_TOO_LARGE',
      ...(invalid.length > 0 ? { invalid } : {}),
    },
  });
  expect(files()).toEqual(before);
}

/** A part of a form whose boundary is `x`. */
const part = (name: string, content: string): string =>
  `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${content}\r\n`;

const sendForm = (raw: string | Buffer, boundary = 'x', headers = {}): Promise<Answer> =>
  world().send({
    method: 'POST',
    url: '/api/v0/asset',
    raw,
    headers: { ...user, ...headers, 'Content-Type': `multipart/form-data; boundary=${boundary}` },
  });

const noImage: readonly Fault[] = [['file', 'FORMAT', { expected: 'image' }]];

describe('an upload', () => {
  test('makes an asset, of which the original is kept byte for byte', async () => {
    const bytes = await photograph(1200, 800);
    const fields = { alt_text: { en: 'A zebra' }, license: 'CC-BY-4.0', rights_holder: 'Ana' };
    const answer = await upload({ bytes, filename: 'zébra.jpg', fields });
    const { id, path } = responseOf(answer);
    expect(path).toBe(`/api/v0/asset/${String(id)}/file`);
    expect(await world().read('asset', String(id))).toMatchObject({
      filename: 'zébra.jpg',
      mime_type: 'image/jpeg',
      size: bytes.length,
      width: 1200,
      height: 800,
      sha256: sha256(bytes),
      alt_text: { en: 'A zebra' },
      license: 'CC-BY-4.0',
      rights_holder: 'Ana',
      version: 1,
      permissions: ['update', 'delete'],
    });
    const original = await world().send({ method: 'GET', url: String(path) });
    expect(original.bytes.equals(bytes)).toBe(true);
    expect(original.headers['content-type']).toBe('image/jpeg');
  });

  const encoded = (format: 'jpeg' | 'png' | 'webp' | 'gif' | 'tiff' | 'avif'): Promise<Buffer> =>
    sharp({ create: { width: 30, height: 20, channels: 3, background: { r: 9, g: 99, b: 200 } } })
      .toFormat(format)
      .toBuffer();

  test.each(['jpeg', 'png', 'webp', 'gif', 'tiff', 'avif'] as const)(
    'is %s by its content, whatever its name says',
    async (format) => {
      const bytes = await encoded(format);
      const { id } = responseOf(await upload({ bytes, filename: 'x.exe' }));
      expect(await world().read('asset', String(id))).toMatchObject({
        mime_type: `image/${format}`,
        width: 30,
        height: 20,
      });
    },
  );

  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
  const html = Buffer.from('<!doctype html><script>alert(1)</script>');
  test.each([
    ['SVG', svg],
    ['HTML', html],
    ['HTML behind the signature of a JPEG', Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), html])],
    ['nothing', Buffer.alloc(0)],
    ['PDF', Buffer.from('%PDF-1.7\n%âãÏÓ\n')],
  ])('of %s, named .jpg, is no image', async (_, bytes) => {
    await refused({ bytes, filename: 'photo.jpg' }, 400, noImage);
  });

  test('of a photograph that is cut off is no image', async () => {
    const bytes = await photograph(800, 600);
    await refused({ bytes: bytes.subarray(0, bytes.length >> 1) }, 400, noImage);
  });

  test('without a file, or with more than there may be, names all that is wrong', async () => {
    await refused({}, 400, [['file', 'REQUIRED', {}]]);
    const fields = { license: 'mine', stripes: '5', alt_text: 'zebra', owner: randomUUID() };
    await refused({ bytes: await photograph(), fields: { ...fields, owner: '' } }, 400, [
      ['license', 'NOT_ONE_OF'],
      ['stripes', 'UNKNOWN'],
      ['alt_text', 'TYPE', { expected: 'object' }],
    ]);
    await refused({ bytes: await photograph(), fields: { rights_holder: 'a\u0000b' } }, 400, [
      ['rights_holder', 'FORMAT', { expected: 'text' }],
    ]);
  });

  test('of too many bytes is refused by its length, and where that says nothing, as it comes', async () => {
    const bytes = Buffer.alloc(3_500_000, 1);
    await refused({ bytes }, 413);
    await refused({ bytes: bytes.subarray(0, 2_000_001) }, 413);
    const before = files();
    const { raw, type } = formOf({ bytes });
    const chunked = { ...user, 'Content-Type': type, 'Transfer-Encoding': 'chunked' };
    const answer = await world().send({
      method: 'POST',
      url: '/api/v0/asset',
      raw,
      headers: chunked,
    });
    expect([answer.status, keyOf(answer)]).toEqual([413, 'API_RESPONSE_BODY_TOO_LARGE']);
    expect(files()).toEqual(before);
  });

  test('of what is no form is not read', async () => {
    for (const type of ['application/json', 'multipart/form-data', 'image/jpeg']) {
      const headers = { ...user, 'Content-Type': type };
      const answer = await world().send({
        method: 'POST',
        url: '/api/v0/asset',
        raw: '{}',
        headers,
      });
      expect([type, answer.status]).toEqual([type, 415]);
    }
  });

  test.each<[string, string, Fault]>([
    ['breaks off', '--x\r\n', ['', 'FORMAT', { expected: 'form' }]],
    ['breaks off after a part', part('license', 'CC0-1.0'), ['', 'FORMAT', { expected: 'form' }]],
    ['has a part without a name', `${part('', 'a')}--x--`, ['', 'FORMAT', { expected: 'form' }]],
    [
      'has more files than one',
      `${part('file', 'a')}${part('file', 'b')}--x--`,
      ['file', 'CONFLICT', { with: 'file' }],
    ],
    ['has three files', `${part('file', 'a').repeat(3)}--x--`, ['', 'TOO_LONG', { max: 2 }]],
    ['has a field twice', `${part('id', 'a').repeat(2)}--x--`, ['id', 'CONFLICT', { with: 'id' }]],
    ['has many fields', `${part('a', 'a').repeat(31)}--x--`, ['', 'TOO_LONG', { max: 30 }]],
    [
      'has a long field',
      `${part('license', 'a'.repeat(70_000))}--x--`,
      ['license', 'TOO_LONG', { max: 65_536 }],
    ],
    [
      'has a text that is no UTF-8',
      `${part('rights_holder', 'a\xff')}--x--`,
      ['rights_holder', 'FORMAT', { expected: 'text' }],
    ],
    [
      'has JSON that is nested without end',
      `${part('alt_text', '['.repeat(5000) + ']'.repeat(5000))}--x--`,
      [`alt_text${'.0'.repeat(31)}`, 'TOO_LARGE', { value: 33, max: 32 }],
    ],
    [
      'has a file whose name has a control character',
      `${part('file"; filename="a\0b.jpg', 'a')}--x--`,
      ['filename', 'FORMAT', { expected: 'text' }],
    ],
  ])('of a form that %s is malformed', async (_, text, fault) => {
    const before = files();
    const answer = await sendForm(Buffer.from(text, 'latin1'));
    expect(answer.status).toBe(400);
    const invalid = at(parsed(answer.text), 'response', 'invalid') as Json[];
    const [path, key, args] = fault;
    expect(invalid).toContainEqual({ path, key: `API_RESPONSE_${key}`, args });
    expect(files()).toEqual(before);
  });

  test('of a form with a boundary that is too long is malformed', async () => {
    const answer = await sendForm('x', 'x'.repeat(2000));
    expect([answer.status, keyOf(answer)]).toEqual([400, 'API_RESPONSE_MALFORMED']);
  });

  test.each([
    ['before its first part', ''],
    ['in a field', '--x\r\nContent-Disposition: form-data; name="license"\r\n\r\n'],
    ['in a part that is not asked for', part('other"; filename="a', '').slice(0, -2)],
  ])('of a form that does not end %s is refused as it comes', async (_, head) => {
    const raw = Buffer.concat([Buffer.from(head), Buffer.alloc(3_500_000, 'a')]);
    const answer = await sendForm(raw, 'x', { 'Transfer-Encoding': 'chunked' });
    expect([answer.status, keyOf(answer)]).toEqual([413, 'API_RESPONSE_BODY_TOO_LARGE']);
  });

  test('is refused to whoever has no account, before it is read', async () => {
    const answer = await upload({ bytes: await photograph() }, {});
    expect([answer.status, keyOf(answer)]).toEqual([401, 'API_RESPONSE_LOGIN_REQUIRED']);
  });

  test('that is cut off half-way leaves no row and no file', async () => {
    const [rows, kept] = [await snapshot(world().service), files()];
    const { raw, type } = formOf({ bytes: Buffer.alloc(1_000_000, 7) });
    const { hostname, port } = new URL(world().service.url);
    const headers = { ...user, 'Content-Type': type, 'Content-Length': raw.length };
    const sending = httpRequest({ hostname, port, method: 'POST', path: '/api/v0/asset', headers });
    sending.on('error', () => undefined);
    sending.write(raw.subarray(0, 500_000));
    await until(() => files().length > kept.length);
    sending.destroy();
    await until(() => files().length === kept.length);
    expect(await snapshot(world().service)).toEqual(rows);
  });

  test('of 100 megapixels and more is refused by its header', async () => {
    const bytes = pngOf(16_000, 16_000);
    await refused({ bytes }, 400, [
      ['file', 'TOO_LARGE', { value: 256_000_000, max: 100_000_000 }],
    ]);
  });
});

describe('the same bytes', () => {
  test('from the same owner are one asset, also when two uploads race', async () => {
    const bytes = await photograph();
    const answers = await Promise.all([1, 2, 3, 4].map(() => upload({ bytes })));
    const made = answers.filter(({ status }) => status === 200);
    expect(made).toHaveLength(1);
    const id = made[0] && responseOf(made[0])['id'];
    for (const answer of answers.filter(({ status }) => status !== 200))
      expect([answer.status, JSON.parse(answer.text)]).toMatchObject([
        400,
        { message: { key: 'API_RESPONSE_ENTITY_EXISTS', args: { path: 'sha256', id } } },
      ]);
    await until(() => files().length % 4 === 0);
  });

  test('from another owner are another asset', async () => {
    const bytes = await photograph();
    const [mine, theirs] = [
      await upload({ bytes }),
      await upload({ bytes }, authorizationOf('moderator')),
    ];
    expect([mine.status, theirs.status]).toEqual([200, 200]);
  });
});

describe('an ID that is given', () => {
  test('is used once', async () => {
    const id = randomUUID();
    const first = await upload({ bytes: await photograph(), fields: { id } });
    expect(responseOf(first)['id']).toBe(id);
    const kept = files();
    const again = await upload({ bytes: await photograph(), fields: { id } });
    expect([again.status, keyOf(again)]).toEqual([400, 'API_RESPONSE_ENTITY_EXISTS']);
    expect(files()).toEqual(kept);
  });

  test('is a UUID, in either case', async () => {
    await refused({ bytes: await photograph(), fields: { id: 'zebra' } }, 400, [
      ['id', 'FORMAT', { expected: 'uuid' }],
    ]);
    const id = randomUUID();
    const fields = { id: id.toUpperCase() };
    expect(responseOf(await upload({ bytes: await photograph(), fields }))['id']).toBe(id);
  });
});

describe('what the storage does not take', () => {
  test('is 503, and leaves nothing', async () => {
    const { storage } = assetsOf(world().service.strapi);
    const [rows, kept] = [await snapshot(world().service), files()];
    const full = jest
      .spyOn(storage, 'put')
      .mockImplementation((name) =>
        name.includes('large')
          ? Promise.reject(Object.assign(new Error('disk'), { code: 'ENOSPC' }))
          : Promise.resolve(),
      );
    try {
      const answer = await upload({ bytes: await photograph() });
      expect([answer.status, keyOf(answer)]).toEqual([503, 'API_RESPONSE_UNAVAILABLE']);
    } finally {
      full.mockRestore();
    }
    expect(files()).toEqual(kept);
    expect(await snapshot(world().service)).toEqual(rows);
    const left = await world().service.strapi.db.connection('oms_asset_files').select('*');
    expect(left).toEqual([]);
  });
});

describe('the limit of the site', () => {
  test('counts as it is now', async () => {
    await withSite(world().service, { maxUploadBytes: 10 }, async () => {
      await refused({ bytes: await photograph() }, 413);
    });
  });
});

/** Waits for what other events bring about. */
async function until(condition: () => boolean): Promise<void> {
  const started = Date.now();
  while (!condition()) {
    if (Date.now() - started > 10_000) throw new Error('it did not come to that');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** A PNG whose header says this size, and which has no more. */
function pngOf(width: number, height: number): Buffer {
  const head = Buffer.alloc(17);
  head.write('IHDR');
  head.writeUInt32BE(width, 4);
  head.writeUInt32BE(height, 8);
  head.set([8, 2, 0, 0, 0], 12);
  const chunk = (content: Buffer): Buffer => {
    const whole = Buffer.alloc(content.length + 8);
    whole.writeUInt32BE(content.length - 4);
    content.copy(whole, 4);
    whole.writeUInt32BE(crc32(content), content.length + 4);
    return whole;
  };
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([
    signature,
    chunk(head),
    chunk(Buffer.from('IDAT\x78\x9c\x03\x00\x00\x00\x00\x01', 'latin1')),
    chunk(Buffer.from('IEND')),
  ]);
}

function crc32(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

describe('renditions', () => testRenditions(world));
