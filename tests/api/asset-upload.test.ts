import { spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import sharp from 'sharp';
import { assetsOf } from '#app/plugins/assets/server';
import { authorizationOf } from '../helpers/callers';
import type { Answer } from '../helpers/http';
import { at, parsed, type Json } from '../helpers/json';
import { pngChunk } from '../helpers/image-bytes';
import { play, type Fault } from '../helpers/scenario';
import { withSite } from '../helpers/people';
import { expectUnchanged, snapshot } from '../helpers/snapshot';
import { filesOf, formOf, photograph, uploadRequest, type Upload } from '../helpers/upload';
import { keyOf, responseOf } from '../helpers/people';
import { useWorld } from '../helpers/world';
import { testRenditions } from './asset-upload/renditions';

const world = useWorld({ as: 'user', site: { max_upload_bytes: 2_000_000 } });
const user = authorizationOf('user');

const upload = (given: Upload, headers = user): Promise<Answer> =>
  world().send(uploadRequest(given, headers));

const files = (): string[] => filesOf(world().service);

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

/** The processes of the service that run this script. */
function childrenOf(script: string): number[] {
  const found = spawnSync('pgrep', ['-P', String(process.pid), '-f', script], { encoding: 'utf8' });
  return found.stdout.split('\n').filter(Boolean).map(Number);
}

const noImage: readonly Fault[] = [['file', 'FORMAT', { expected: 'image' }]];
const isNo = (expected: string): readonly Fault[] => [['file', 'FORMAT', { expected }]];

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
    ['PDF', Buffer.from('%PDF-1.7\n%âãÏÓ\n')],
  ])('of %s, named .jpg, is no image', async (_, bytes) => {
    await refused({ bytes, filename: 'photo.jpg' }, 400, noImage);
  });

  test.each(['jpeg', 'png', 'webp', 'gif', 'tiff', 'avif'] as const)(
    'of a %s that is cut off says so',
    async (format) => {
      const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const;
      const bytes = await sharp({
        create: { width: 200, height: 150, channels: 3, background: 'red', noise },
      })
        .toFormat(format)
        .toBuffer();
      await refused({ bytes: bytes.subarray(0, bytes.length >> 1) }, 400, isNo('whole_image'));
    },
  );

  test('of an empty file, or in the format of iPhones, says so', async () => {
    await refused({ bytes: Buffer.alloc(0), filename: 'a.jpg' }, 400, isNo('nonempty_file'));
    for (const brand of ['heic', 'heix', 'mif1', 'hevc']) {
      const bytes = Buffer.from(`\0\0\0\x18ftyp${brand}\0\0\0\0mif1heic`, 'latin1');
      await refused({ bytes, filename: 'IMG_1.HEIC' }, 400, isNo('image_not_heic'));
    }
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
    await expectUnchanged(world().service, rows);
  });

  test('with a side of more than 30,000 pixels is refused by its header', async () => {
    const line = (width: number, height: number): Promise<Buffer> =>
      sharp({ create: { width, height, channels: 3, background: '#123' } })
        .png()
        .toBuffer();
    const invalid: readonly Fault[] = [['file', 'TOO_LARGE', { value: 30_001, max: 30_000 }]];
    await refused({ bytes: await line(1, 30_001) }, 400, invalid);
    await refused({ bytes: await line(30_001, 1) }, 400, invalid);
    const longest = await line(1, 30_000);
    expect((await upload({ bytes: longest })).status).toBe(200);
  });

  test('is decoded to its end when the processes of the service get the signal of a supervisor', async () => {
    const noise = { type: 'gaussian', mean: 128, sigma: 20 } as const;
    const create = { width: 1300, height: 1000, channels: 3, background: '#000', noise } as const;
    const bytes = await sharp({ create }).jpeg({ quality: 90 }).toBuffer();
    const sent = upload({ bytes });
    const signaled = new Set<number>();
    await until(() => {
      for (const child of childrenOf('images/decoder.js')) {
        if (signaled.has(child)) continue;
        for (const signal of ['SIGTERM', 'SIGINT'] as const) process.kill(child, signal);
        signaled.add(child);
      }
      return signaled.size > 0;
    });
    expect((await sent).status).toBe(200);
  });

  test('of 100 megapixels and more is refused by its header', async () => {
    const bytes = pngOf(16_000, 16_000);
    await refused({ bytes }, 400, [
      ['file', 'TOO_LARGE', { value: 256_000_000, max: 100_000_000 }],
    ]);
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
    await expectUnchanged(world().service, rows);
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
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([
    signature,
    pngChunk(head),
    pngChunk(Buffer.from('IDAT\x78\x9c\x03\x00\x00\x00\x00\x01', 'latin1')),
    pngChunk(Buffer.from('IEND')),
  ]);
}

describe('renditions', () => testRenditions(world));
