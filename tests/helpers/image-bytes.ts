/** Images that are put together by hand, with what no library writes into them. */

function crc32(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** A chunk of a PNG (https://www.w3.org/TR/png-3/#5Chunk-layout). @param content its type and its data */
export function pngChunk(content: Buffer): Buffer {
  const whole = Buffer.alloc(content.length + 8);
  whole.writeUInt32BE(content.length - 4);
  content.copy(whole, 4);
  whole.writeUInt32BE(crc32(content), content.length + 4);
  return whole;
}

/** Bytes of a PNG before its second chunk: its signature and header. */
const PNG_HEAD = 33;

/** A PNG with another chunk behind its header. */
export const withPngChunk = (png: Buffer, type: string, data: Buffer): Buffer =>
  Buffer.concat([
    png.subarray(0, PNG_HEAD),
    pngChunk(Buffer.concat([Buffer.from(type), data])),
    png.subarray(PNG_HEAD),
  ]);

/** A tag of a TIFF: numbers of 16 bits, or a text or other bytes. */
export type TiffTag = readonly [tag: number, value: readonly number[] | Buffer, type?: 1 | 2];

/** A TIFF of one directory, little-endian, which an EXIF block is, too (TIFF 6.0, section 2). */
export function tiffOf(tags: readonly TiffTag[], pixels = Buffer.alloc(0)): Buffer {
  const sorted = [...tags].sort(([one], [other]) => one - other);
  const start = 8 + 2 + 12 * sorted.length + 4;
  const directory = Buffer.alloc(start);
  directory.write('II*\0\x08', 'latin1');
  directory.writeUInt16LE(sorted.length, 8);
  const data: Buffer[] = [];
  let end = start + pixels.length;
  for (const [at, [tag, value, type = 2]] of sorted.entries()) {
    const entry = 10 + 12 * at;
    const isText = Buffer.isBuffer(value);
    const bytes = isText ? value : Buffer.from(Uint16Array.from(value).buffer);
    directory.writeUInt16LE(tag, entry);
    directory.writeUInt16LE(isText ? type : 3, entry + 2);
    directory.writeUInt32LE(value.length, entry + 4);
    if (bytes.length <= 4) bytes.copy(directory, entry + 8);
    else {
      directory.writeUInt32LE(end, entry + 8);
      data.push(bytes);
      end += bytes.length;
    }
  }
  return Buffer.concat([directory, pixels, ...data]);
}

/** The tags of an image of one grey pixel, which stands right behind a directory of so many tags. */
export const onePixel = (others: number): readonly TiffTag[] => [
  [256, [1]],
  [257, [1]],
  [258, [8]],
  [259, [1]],
  [262, [1]],
  [273, [8 + 2 + 12 * (9 + others) + 4]],
  [277, [1]],
  [278, [1]],
  [279, [1]],
];
