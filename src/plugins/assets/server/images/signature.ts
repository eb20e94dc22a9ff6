/** The accepted formats, recognized by the first bytes of the content: a file name proves nothing. */
import { open } from 'node:fs/promises';

/** Format as libvips calls it, by media type. */
export const IMAGE_FORMATS = {
  'image/jpeg': 'jpeg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/tiff': 'tiff',
  'image/avif': 'heif',
} as const;

export type ImageType = keyof typeof IMAGE_FORMATS;
export const IMAGE_TYPES = Object.keys(IMAGE_FORMATS) as ImageType[];

/** Bytes that decide. */
const HEAD = 32;

/** Brands of HEIF images that are no AVIF, such as those of iPhones (https://nokiatech.github.io/heif/technical.html). */
const HEIC = /^(hei[cxms]|hev[cxms]|mif1|msf1)/;

/** The media type of a file by its first bytes; null for any other format. */
export function imageTypeOf(head: Buffer): ImageType | null {
  const text = head.toString('latin1');
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (text.startsWith('GIF87a') || text.startsWith('GIF89a')) return 'image/gif';
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') return 'image/webp';
  if (/^(II\*\0|MM\0\*|II\+\0|MM\0\+)/.test(text)) return 'image/tiff';
  return text.slice(4, 8) === 'ftyp' && /avi[fs]/.test(text.slice(8)) ? 'image/avif' : null;
}

/**
 * The bytes that a file has at least, by its first ones: a WebP has its length in them, a TIFF the place of its first
 * directory. 0 where they do not say it.
 */
function leastSizeOf(head: Buffer, type: ImageType): number {
  if (type === 'image/webp' && head.length >= 8) return head.readUInt32LE(4) + 8;
  if (type !== 'image/tiff' || head.length < 16) return 0;
  const [isLittle, isBig] = [head[0] === 0x49, head[2] === 43 || head[3] === 43];
  if (isBig) return Number(isLittle ? head.readBigUInt64LE(8) : head.readBigUInt64BE(8));
  return isLittle ? head.readUInt32LE(4) : head.readUInt32BE(4);
}

/** What a file is by its first bytes: the type of an image, or why it is none. */
export type Recognized =
  | { readonly type: ImageType; readonly isCutOff: boolean }
  | { readonly type: null; readonly why: 'empty' | 'heic' | 'no image' };

export async function recognize(path: string): Promise<Recognized> {
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD), 0, HEAD, 0);
    const head = buffer.subarray(0, bytesRead);
    const type = imageTypeOf(head);
    if (type) return { type, isCutOff: size < leastSizeOf(head, type) };
    if (size === 0) return { type, why: 'empty' };
    const text = head.toString('latin1');
    const isHeic = text.slice(4, 8) === 'ftyp' && HEIC.test(text.slice(8));
    return { type, why: isHeic ? 'heic' : 'no image' };
  } finally {
    await handle.close();
  }
}
