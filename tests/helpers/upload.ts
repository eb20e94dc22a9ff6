import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import type { Request } from './http';
import type { Json } from './json';
import type { TestService } from './service';
import { bytesOfText } from './text-bytes';

/** A file as a browser sends it. */
export interface Upload {
  readonly bytes?: Buffer;
  readonly filename?: string;
  /** The parameter with its name, where a form says it in another way. */
  readonly named?: string;
  readonly fields?: Json;
}

let made = 0;

/** A photograph that differs from all others. */
export function photograph(width = 24, height = 16): Promise<Buffer> {
  made += 1;
  const background = { r: made % 256, g: (made >> 8) % 256, b: 128 };
  return sharp({ create: { width, height, channels: 3, background } })
    .jpeg()
    .withExif({ IFD0: { ImageDescription: `photograph ${process.pid} ${made}` } })
    .toBuffer();
}

/** The body of a form, with its media type. */
export function formOf({ bytes, filename = 'photo.jpg', named, fields = {} }: Upload): {
  readonly raw: Buffer;
  readonly type: string;
} {
  const boundary = `form-${randomBytes(8).toString('hex')}`;
  const part = (head: string, content: Buffer | string): Buffer =>
    Buffer.concat([
      bytesOfText(`--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n`),
      typeof content === 'string' ? bytesOfText(content) : content,
      Buffer.from('\r\n'),
    ]);
  const parts = Object.entries(fields).map(([name, value]) =>
    part(`name="${name}"`, typeof value === 'string' ? value : JSON.stringify(value)),
  );
  if (bytes) parts.push(part(`name="file"; ${named ?? `filename="${filename}"`}`, bytes));
  const raw = Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]);
  return { raw, type: `multipart/form-data; boundary=${boundary}` };
}

/** The request of an upload. */
export function uploadRequest(upload: Upload, headers: Request['headers'] = {}): Request {
  const { raw, type } = formOf(upload);
  return {
    method: 'POST',
    url: '/api/v0/asset',
    raw,
    headers: { ...headers, 'Content-Type': type },
  };
}

/** The files of a service that stores them locally: those that are kept, and those that are on their way. */
export const filesOf = ({ dataDir }: Pick<TestService, 'dataDir'>): string[] =>
  [
    ...readdirSync(join(dataDir, 'public', 'uploads')),
    ...readdirSync(join(dataDir, 'incoming', String(process.pid))),
  ].sort();
