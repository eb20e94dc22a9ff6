import sharp from 'sharp';
import { authorizationOf } from '../../helpers/callers';
import type { Answer } from '../../helpers/http';
import { onePixel, tiffOf, withPngChunk } from '../../helpers/image-bytes';
import { responseOf } from '../../helpers/people';
import { bytesOfText, percentEncoded } from '../../helpers/text-bytes';
import { photograph, uploadRequest, type Upload } from '../../helpers/upload';
import type { Json } from '../../helpers/json';
import type { World } from '../../helpers/world';
import { byteSize, isStored, jsonSize, stored, type Door } from './door';

/** Tags of TIFF and EXIF: the maker of the camera, and XMP in a TIFF. */
const [MAKE, XMP] = [0x010f, 700] as const;

/** An EXIF block, or a whole TIFF, whose camera has this name. */
const cameraTags = (text: string) =>
  [[MAKE, Buffer.concat([bytesOfText(text), Buffer.alloc(1)])]] as const;

const xmpOf = (text: string): Buffer =>
  Buffer.concat([
    Buffer.from(
      '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:tiff="http://ns.adobe.com/tiff/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/"><tiff:Model>',
    ),
    bytesOfText(text),
    Buffer.from('</tiff:Model><dc:creator>'),
    bytesOfText(text),
    Buffer.from('</dc:creator></rdf:Description></rdf:RDF></x:xmpmeta>'),
  ]);

const png = async (): Promise<Buffer> =>
  sharp(await photograph())
    .png()
    .toBuffer();

/** A segment of a JPEG, put behind its first marker: at most 65,533 bytes. */
function withSegment(jpeg: Buffer, content: Buffer): Buffer {
  const head = Buffer.from([0xff, 0xe1, (content.length + 2) >> 8, (content.length + 2) & 255]);
  return Buffer.concat([jpeg.subarray(0, 2), head, content, jpeg.subarray(2)]);
}

const sender = authorizationOf('administrator');

/** Bytes of a pixel, by which no TIFF is another one. */
let grey = 0;
const tiff = (others: Parameters<typeof tiffOf>[0]): Buffer => {
  grey += 1;
  const unique = [0x010e, Buffer.from(`photograph ${grey}\0`)] as const;
  return tiffOf([...onePixel(others.length + 1), unique, ...others], Buffer.from([grey & 255]));
};

const plainJpeg = (): Promise<Buffer> =>
  sharp({
    create: {
      width: 9,
      height: 9,
      channels: 3,
      background: { r: (grey += 1) & 255, g: grey >> 8, b: 9 },
    },
  })
    .jpeg()
    .toBuffer();

/** A text as a decoder of UTF-8 reads it, which has no halves of surrogate pairs. */
const decoded = (text: string): string => bytesOfText(text).toString();

/** What a name of a camera may be kept as: its beginning, with blanks in place of control characters. */
const isCamera: Door['keeps'] = (text, kept) =>
  stored(decoded(text).replace(/\p{Cc}/gu, ' ')).startsWith(String(kept));

const isNothing: Door['keeps'] = () => false;

/** Forms with a photograph: their fields, its name, and what is written in it. */
export function fileDoors(world: () => World): Door[] {
  const readAsset = async (id: string): Promise<Json> =>
    responseOf(await world().send({ method: 'GET', url: `/api/v0/asset/${id}`, headers: sender }));
  const upload = async (given: Upload, found: (asset: Json) => unknown) => {
    const answer: Answer = await world().send(uploadRequest(given, sender));
    if (answer.status !== 200) return { status: answer.status, kept: null };
    const { id } = responseOf(answer);
    return { status: answer.status, kept: found(await readAsset(String(id))) };
  };
  const named = (
    name: string,
    parameter: (text: string) => string,
    keeps: NonNullable<Door['keeps']> = isStored,
  ): Door => ({
    name: `the name of a file${name}`,
    room: 500_000,
    // No photograph is refused because its name is in another encoding.
    ignores: (string) => string === 'halves of surrogate pairs',
    sizeOf: (text) => byteSize(parameter(text)),
    keeps: (text, kept) => keeps(decoded(text), kept),
    send: async (text) =>
      upload({ bytes: await photograph(), named: parameter(text) }, ({ filename }) => filename),
  });
  const escaped = (text: string): string => text.replace(/\r/g, '%0D').replace(/\n/g, '%0A');
  const field = (
    name: string,
    value: (text: string) => unknown,
    found: (a: Json) => unknown,
  ): Door => ({
    name: `the field ${name} of a form`,
    sizeOf: typeof value('') === 'string' ? byteSize : jsonSize,
    send: async (text) =>
      upload({ bytes: await photograph(), fields: { [name]: value(text) } }, found),
  });
  const written = (
    name: string,
    make: (text: string) => Promise<Buffer> | Buffer,
    more: Partial<Door> = {},
  ): Door => ({
    name,
    sizeOf: byteSize,
    ignores: () => true,
    ...(more.keeps ? {} : { keeps: isCamera, isRead: true }),
    ...more,
    send: async (text) => upload({ bytes: await make(text) }, ({ camera }) => camera),
  });
  return [
    field(
      'rights_holder',
      (text) => text,
      (asset) => asset['rights_holder'],
    ),
    field(
      'alt_text',
      (en) => ({ en }),
      ({ alt_text: texts }) => (texts as Json)['en'],
    ),
    named(
      '',
      (text) => `filename="${text}"`,
      // A line end ends the header, too.
      (text, kept) => kept === stored(text.split('\r\n')[0] ?? ''),
    ),
    named(
      ', as browsers write line ends',
      (text) => `filename="${escaped(text)}"`,
      (text, kept) => kept === stored(escaped(text)),
    ),
    named(' in UTF-8 by percent signs', (text) => `filename*=UTF-8''${percentEncoded(text)}`),
    written('EXIF in a PNG', async (text) =>
      withPngChunk(await png(), 'eXIf', tiffOf(cameraTags(text))),
    ),
    written(
      'EXIF in a JPEG',
      async (text) =>
        withSegment(
          await plainJpeg(),
          Buffer.concat([Buffer.from('Exif\0\0'), tiffOf(cameraTags(text))]),
        ),
      { room: 60_000 },
    ),
    written('EXIF of a TIFF', (text) => tiff(cameraTags(text))),
    written(
      'XMP in a PNG',
      async (text) =>
        withPngChunk(
          await png(),
          'iTXt',
          Buffer.concat([Buffer.from('XML:com.adobe.xmp\0\0\0\0\0'), xmpOf(text)]),
        ),
      { keeps: isNothing },
    ),
    written(
      'XMP in a JPEG',
      async (text) =>
        withSegment(
          await plainJpeg(),
          Buffer.concat([Buffer.from('http://ns.adobe.com/xap/1.0/\0'), xmpOf(text)]),
        ),
      { room: 30_000, keeps: isNothing },
    ),
    written('XMP in a TIFF', (text) => tiff([[XMP, xmpOf(text), 1]]), { keeps: isNothing }),
    written(
      'a text in a PNG',
      async (text) =>
        withPngChunk(
          await png(),
          'iTXt',
          Buffer.concat([Buffer.from('Title\0\0\0\0\0'), bytesOfText(text)]),
        ),
      { keeps: isNothing },
    ),
  ];
}
