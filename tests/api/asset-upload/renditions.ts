import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp, { type Metadata } from 'sharp';
import { authorizationOf } from '../../helpers/callers';
import type { Json } from '../../helpers/json';
import { responseOf } from '../../helpers/people';
import { uploadRequest } from '../../helpers/upload';
import { type World } from '../../helpers/world';

const CASES = join(__dirname, '../../fixtures/cases');

/** The renditions that are made of an upload. */
export function testRenditions(world: () => World): void {
  const user = authorizationOf('user');

  const NAMES = ['thumbnail', 'small', 'large'] as const;
  const SIDES = { thumbnail: 256, small: 640, large: 2048 };

  async function uploaded(bytes: Buffer, filename = 'photo.jpg'): Promise<Json> {
    const answer = await world().send(uploadRequest({ bytes, filename }, user));
    return world().read('asset', String(responseOf(answer)['id']));
  }

  async function rendition({ id }: Json, name: string): Promise<Buffer> {
    const url = `/api/v0/asset/${String(id)}/file?size=${name}`;
    return (await world().send({ method: 'GET', url, headers: user })).bytes;
  }

  /** The left half red, the right half blue, the corner above on the left white. */
  function pattern(width: number, height: number) {
    const half = { width: width / 2, height, channels: 3 as const };
    const corner = { width: width / 4, height: height / 4, channels: 3 as const };
    return sharp({ create: { width, height, channels: 3, background: 'red' } }).composite([
      { input: { create: { ...half, background: 'blue' } }, left: width / 2, top: 0 },
      { input: { create: { ...corner, background: 'white' } }, left: 0, top: 0 },
    ]);
  }

  /** Red, green and blue at a place of an image, in parts of its width and height. */
  async function colorAt(bytes: Buffer, x: number, y: number): Promise<string> {
    const { data, info } = await sharp(bytes)
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    const at =
      (Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * info.channels;
    const [red = 0, green = 0, blue = 0] = data.subarray(at, at + 3);
    if (red > 200 && green > 200 && blue > 200) return 'white';
    return red > 150 && blue < 100
      ? 'red'
      : blue > 130 && red < 100
        ? 'blue'
        : `${red},${green},${blue}`;
  }

  const SECRETS = ['SECRET-MAKER', 'SECRET-XMP', 'SECRET-IPTC', 'SECRET-NOTE', 'Photoshop'];

  const XMP =
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" dc:creator="SECRET-XMP"/></rdf:RDF></x:xmpmeta>';

  /** A segment of a JPEG, put behind its first marker. */
  function withSegment(jpeg: Buffer, marker: number, content: Buffer): Buffer {
    const head = Buffer.from([0xff, marker, (content.length + 2) >> 8, (content.length + 2) & 255]);
    return Buffer.concat([jpeg.subarray(0, 2), head, content, jpeg.subarray(2)]);
  }

  /** IPTC in the resource block of Photoshop: the byline. */
  function iptc(text: string): Buffer {
    const record = Buffer.concat([Buffer.from([0x1c, 2, 80, 0, text.length]), Buffer.from(text)]);
    const size = Buffer.alloc(4);
    size.writeUInt32BE(record.length);
    return Buffer.concat([
      Buffer.from('Photoshop 3.0\0'),
      Buffer.from('8BIM'),
      Buffer.from([4, 4, 0, 0]),
      size,
      record,
    ]);
  }

  /** A photograph in which is all that a camera and its owner can put there. */
  async function talkative(): Promise<Buffer> {
    const jpeg = await pattern(800, 400)
      .withIccProfile('p3')
      .withXmp(XMP)
      .withExif({
        IFD0: { Make: 'SECRET-MAKER', Model: 'Trap 9', Artist: 'SECRET-MAKER' },
        IFD2: {
          DateTimeOriginal: '2023:07:08 09:10:11',
          OffsetTimeOriginal: '-05:00',
          MakerNote: 'SECRET-NOTE',
          UserComment: 'SECRET-NOTE',
        },
        IFD3: {
          GPSLatitudeRef: 'N',
          GPSLatitude: '1/1 30/1 0/1',
          GPSLongitudeRef: 'W',
          GPSLongitude: '2/1 15/1 0/1',
        },
      })
      .jpeg()
      .toBuffer();
    return withSegment(jpeg, 0xed, iptc('SECRET-IPTC'));
  }

  describe('what a photograph tells of itself', () => {
    test('is read before, for its owner', async () => {
      expect(await uploaded(await talkative())).toMatchObject({
        taken_at: '2023-07-08T09:10:11-05:00',
        latitude: 1.5,
        longitude: -2.25,
        camera: 'SECRET-MAKER Trap 9',
      });
    });

    test('is in no rendition', async () => {
      const bytes = await talkative();
      for (const secret of SECRETS)
        expect([secret, bytes.includes(secret)]).toEqual([secret, true]);
      const before = await sharp(bytes).metadata();
      expect([before.exif, before.xmp, before.iptc, before.icc].every(Boolean)).toBe(true);
      // One user may not upload the same bytes in two tests.
      const asset = await uploaded(Buffer.concat([bytes, Buffer.from('\n')]), 'other.jpg');
      for (const name of NAMES) {
        const made = await rendition(asset, name);
        const { exif, xmp, iptc: caption, icc, orientation, format } = await sharp(made).metadata();
        expect({ name, exif, xmp, caption, icc, orientation, format }).toEqual({
          name,
          format: 'webp',
        });
        for (const secret of [...SECRETS, 'EXIF', 'XMP ', 'ICCP'])
          expect(made.includes(secret)).toBe(false);
      }
    });

    test.each([
      ['photo-no-reference/no-reference.jpg', '2021-03-01T10:00:00', null, null],
      ['photo-ok-south-west/south-west.jpg', '2021-03-01T10:00:00-04:00', -33.8567, -70.2153],
      ['photo-times/digitized-only.jpg', '2021-03-01T10:00:00', null, null],
      ['photo-times/hyphens.jpg', '2021-03-01T10:00:00', null, null],
      ['photo-times/offset-without-colon.jpg', '2021-03-01T10:00:00+02:00', null, null],
    ])('of %s is what the camera says, in the form that it uses', async (file, time, ...place) => {
      const { taken_at, latitude, longitude } = await uploaded(readFileSync(join(CASES, file)));
      const rounded = [latitude, longitude].map((degrees) =>
        typeof degrees === 'number' ? Number(degrees.toFixed(4)) : degrees,
      );
      expect([taken_at, ...rounded]).toEqual([time, ...place]);
    });

    test.each([
      ['0/1 0/1 0/1', 'A'],
      ['33/1 0/1 0/1', 'V'],
    ])('is no position at %s with the status %s', async (degrees, GPSStatus) => {
      const place = { GPSLatitude: degrees, GPSLatitudeRef: 'N' };
      const bytes = await sharp({
        create: {
          width: 21,
          height: 20,
          channels: 3,
          background: degrees === '0/1 0/1 0/1' ? 'red' : 'blue',
        },
      })
        .withExif({ IFD3: { ...place, GPSLongitude: degrees, GPSLongitudeRef: 'E', GPSStatus } })
        .jpeg()
        .toBuffer();
      expect(await uploaded(bytes)).toMatchObject({ latitude: null, longitude: null });
    });

    test('is left out where it is no time, no place, or too much', async () => {
      const bytes = await sharp({
        create: { width: 20, height: 20, channels: 3, background: 'red' },
      })
        .withExif({
          IFD0: { Make: 'x'.repeat(5000) },
          IFD2: { DateTimeOriginal: '2023:99:99 09:10:11' },
          IFD3: { GPSLatitude: '500/1 0/1 0/1', GPSLatitudeRef: 'N' },
        })
        .jpeg()
        .toBuffer();
      expect(await uploaded(bytes)).toMatchObject({
        taken_at: null,
        latitude: null,
        longitude: null,
        camera: 'x'.repeat(200),
      });
    });
  });

  describe('a rendition', () => {
    test('has at most its size, and is never larger than the original', async () => {
      const large = await uploaded(await pattern(4000, 1000).jpeg().toBuffer());
      const small = await uploaded(await pattern(200, 100).png().toBuffer());
      for (const name of NAMES) {
        const { width, height } = await sharp(await rendition(large, name)).metadata();
        expect([name, width, height]).toEqual([name, SIDES[name], SIDES[name] / 4]);
        const kept = await sharp(await rendition(small, name)).metadata();
        expect([name, kept.width, kept.height]).toEqual([name, 200, 100]);
      }
    });

    test.each([1, 2, 3, 4, 5, 6, 7, 8])(
      'is upright, the orientation being %i',
      async (orientation) => {
        const upright = await pattern(400, 200).png().toBuffer();
        const bytes = await laidDown(upright, orientation)
          .withMetadata({ orientation })
          .jpeg()
          .toBuffer();
        const asset = await uploaded(bytes);
        expect([asset['width'], asset['height']]).toEqual([400, 200]);
        const made = await rendition(asset, 'small');
        const { width, height, orientation: left }: Metadata = await sharp(made).metadata();
        expect([width, height, left]).toEqual([400, 200, undefined]);
        const colors = [
          await colorAt(made, 0.1, 0.1),
          await colorAt(made, 0.1, 0.9),
          await colorAt(made, 0.9, 0.9),
        ];
        expect(colors).toEqual(['white', 'red', 'blue']);
      },
    );

    test.each([
      ['a TIFF of 16 bits', () => pattern(300, 200).toColourspace('rgb16').tiff().toBuffer()],
      ['a PNG of 16 bits', () => pattern(300, 200).toColourspace('rgb16').png().toBuffer()],
      ['a JPEG in CMYK', () => pattern(300, 200).toColourspace('cmyk').jpeg().toBuffer()],
      [
        'a JPEG with HTML behind it',
        async () =>
          Buffer.concat([
            await pattern(300, 200).jpeg().toBuffer(),
            Buffer.from('<script>alert(1)</script>'),
          ]),
      ],
      ['an animated WebP', () => animated('webp', 5)],
      ['a GIF of 100 images', () => animated('gif', 100)],
    ])('of %s is that image', async (_, encode) => {
      const asset = await uploaded(await encode());
      expect([asset['width'], asset['height']]).toEqual([300, 200]);
      const made = await rendition(asset, 'small');
      const { pages, width, height, depth, space } = await sharp(made).metadata();
      expect([pages, width, height, depth, space]).toEqual([undefined, 300, 200, 'uchar', 'srgb']);
      expect(made.includes('script')).toBe(false);
      expect([await colorAt(made, 0.1, 0.9), await colorAt(made, 0.9, 0.5)]).toEqual([
        'red',
        'blue',
      ]);
    });

    test('of what lets light through does so too', async () => {
      const bytes = await sharp({
        create: { width: 50, height: 50, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } },
      })
        .png()
        .toBuffer();
      const { hasAlpha } = await sharp(
        await rendition(await uploaded(bytes), 'thumbnail'),
      ).metadata();
      expect(hasAlpha).toBe(true);
    });
  });

  /** An image as a camera keeps it that is held in this way (EXIF 3.0, orientation). */
  function laidDown(upright: Buffer, orientation: number) {
    const image = sharp(upright);
    const turned: Record<number, () => typeof image> = {
      1: () => image,
      2: () => image.flop(),
      3: () => image.rotate(180),
      4: () => image.flip(),
      5: () => image.rotate(270).flop(),
      6: () => image.rotate(270),
      7: () => image.rotate(90).flop(),
      8: () => image.rotate(90),
    };
    return (turned[orientation] ?? turned[1])?.() ?? image;
  }

  async function animated(format: 'webp' | 'gif', count: number): Promise<Buffer> {
    const first = await pattern(300, 200).png().toBuffer();
    const others = Array.from({ length: count - 1 }, (_, n) => ({
      create: { width: 300, height: 200, channels: 3 as const, background: { r: n, g: 255, b: 0 } },
    }));
    const images = [
      first,
      ...(await Promise.all(others.map((one) => sharp(one).png().toBuffer()))),
    ];
    return sharp(images, { join: { animated: true } })
      .toFormat(format)
      .toBuffer();
  }
}
