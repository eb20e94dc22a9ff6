/** Compression of answers for clients that accept it (RFC 9110, section 8.4). */
import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { promisify } from 'node:util';
import {
  brotliCompress,
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  gzip,
  gzipSync,
} from 'node:zlib';

/** The encodings, the preferred one first. */
export const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** Bytes from which an answer is compressed; a smaller one fits into two packets anyway. */
export const MIN_LENGTH = 2048;

/** Brotli's 4 takes as long as gzip's 6, and makes answers a tenth smaller; beyond, both take much longer. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const GZIP = { level: 6 };

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

const ONCE: Record<Encoding, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) => brotli(bytes, BROTLI),
  gzip: (bytes) => zip(bytes, GZIP),
};
const AT_START: Record<Encoding, (bytes: Buffer) => Buffer> = {
  br: (bytes) => brotliCompressSync(bytes),
  gzip: (bytes) => gzipSync(bytes),
};
const STREAM: Record<Encoding, () => Transform> = {
  br: () => createBrotliCompress(BROTLI),
  gzip: () => createGzip(GZIP),
};

/** Compresses on a thread of its own. */
export const compress = (bytes: Buffer, encoding: Encoding): Promise<Buffer> =>
  ONCE[encoding](bytes);

/** Compresses as small as possible, which takes long. */
export const compressAtStart = (bytes: Buffer, encoding: Encoding): Buffer =>
  AT_START[encoding](bytes);

export const compressor = (encoding: Encoding): Transform => STREAM[encoding]();

/** The encoding that a client accepts; null for none. */
export function encodingFor({ headers }: IncomingMessage): Encoding | null {
  const accepted = headers['accept-encoding'];
  if (typeof accepted !== 'string') return null;
  const offers = new Set(
    accepted
      .toLowerCase()
      .split(',')
      .map((offer) => offer.replaceAll(/\s/g, ''))
      .filter((offer) => !/;q=0(?:\.0*)?$/.test(offer))
      .map((offer) => offer.replace(/;.*$/, '')),
  );
  return ENCODINGS.find((encoding) => offers.has(encoding)) ?? null;
}

/** The entity tag of a compressed answer: a strong one is that of these very bytes. */
export const encodedTag = (etag: string, encoding: Encoding): string =>
  etag.replace(/"$/, `.${encoding}"`);

/** The tag of the answer that was compressed. */
export const plainTag = (etag: string): string => etag.replace(/\.(?:br|gzip)"$/, '"');

/** Texts of these types, which exports stream. */
const COMPRESSIBLE = /^(?:text\/|application\/(?:geo\+)?json)/;

export const isCompressible = (type: string): boolean => COMPRESSIBLE.test(type);

/** How many answers that are the same for everybody are kept compressed. */
const MAX_KEPT = 8;

/** Answers that are the same for everybody, such as the OpenAPI document, are compressed once. */
export class Compressed {
  private readonly kept = new Map<string, Promise<Buffer>>();

  /** @param etag of the answer */
  get(text: string, encoding: Encoding, etag: string): Promise<Buffer> {
    const key = encodedTag(etag, encoding);
    const known = this.kept.get(key);
    if (known) return known;
    const made = compress(Buffer.from(text), encoding);
    this.kept.set(key, made);
    const [oldest] = this.kept.keys();
    if (this.kept.size > MAX_KEPT && oldest !== undefined) this.kept.delete(oldest);
    return made;
  }
}
