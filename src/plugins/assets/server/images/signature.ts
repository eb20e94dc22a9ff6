/** The accepted formats, recognized by the first bytes of the content: a file name proves nothing. */
import { open } from 'node:fs/promises';

/** Format as libvips calls it, by media type. */
export const FORMATS = {
  'image/jpeg': 'jpeg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/tiff': 'tiff',
  'image/avif': 'heif',
} as const;

export type ImageType = keyof typeof FORMATS;
export const IMAGE_TYPES = Object.keys(FORMATS) as ImageType[];

/** Bytes that decide. */
const HEAD = 32;

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

/** The media type of a file by its content. */
export async function imageTypeOfFile(path: string): Promise<ImageType | null> {
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD), 0, HEAD, 0);
    return imageTypeOf(buffer.subarray(0, bytesRead));
  } finally {
    await handle.close();
  }
}
