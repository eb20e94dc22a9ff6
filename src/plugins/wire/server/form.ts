/** Forms with a file (RFC 7578), read after the caller is identified; the file is written to disk as it arrives. */
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { createHash, randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fail, issue, malformed, type ApiError, type Issue } from '../../../core/errors';
import { noRoom, type Transfer } from '../../../core/admission';
import { MAX_BODY } from './admission';
import { hasBody } from './http';
import type { ApiRequest } from './request';
import { Gone } from './stages/body';

/** A file that has been received completely. */
export interface ReceivedFile {
  /** Its path; the caller of `readForm` removes it. */
  readonly path: string;
  readonly size: number;
  /** Of its bytes, hex. */
  readonly sha256: string;
  /** As its sender calls it, without folders. */
  readonly name: string | null;
}

export interface Form {
  /** The other parts, by their names. */
  readonly fields: Readonly<Record<string, string>>;
  readonly file: ReceivedFile | null;
  readonly issues: readonly Issue[];
}

/** Of everything beside the file. */
const LIMITS = { fields: 30, parts: 40, files: 2, fieldNameSize: 100, headerPairs: 20 };

/** Bytes of one field. */
const MAX_FIELD = 64 * 1024;

/** The character by which a text decoder replaces invalid bytes (WHATWG Encoding, section 4.1). */
const REPLACEMENT = '\ufffd';

/** The one part that is a file. */
const FILE = 'file';

/**
 * Reads a form.
 *
 * @param folder where its file is written
 * @param maxBytes of the file
 * @param transfer that may be evicted until the form is whole
 * @throws ApiError BODY_TOO_LARGE, MALFORMED for an invalid form, UNAVAILABLE for one that is evicted, and the error
 *   of a failed write to disk
 * @throws Gone when the client has closed the connection
 */
export async function readForm(
  { req }: Pick<ApiRequest, 'req'>,
  folder: string,
  maxBytes: number,
  transfer: Transfer,
): Promise<Form> {
  if (!hasBody(req)) return { fields: {}, file: null, issues: [] };
  const fields = Object.create(null) as Record<string, string>;
  const issues: Issue[] = [];
  const streams: Readable[] = [];
  const files: Promise<ReceivedFile>[] = [];
  const parser = parserOf(req);
  try {
    await new Promise<void>((resolve, reject) => {
      parser.on('file', (name, stream, filename) => {
        if (name !== FILE || files.length > 0) {
          issues.push(
            name === FILE ? issue(name, 'CONFLICT', { with: name }) : issue(name, 'UNKNOWN', {}),
          );
          stream.resume();
          return;
        }
        streams.push(stream);
        // An error may come before anybody reads: reading tells it.
        stream.on('error', () => undefined);
        const own = filename || null;
        const receiving = writeTo(join(folder, randomUUID()), stream, maxBytes).then(
          (file): ReceivedFile => ({ ...file, name: own }),
        );
        receiving.catch(reject);
        files.push(receiving);
      });
      parser.on('field', (name, value, nameIsCut, valueIsCut) => {
        const fault = faultOf(name, value, { nameIsCut, valueIsCut });
        if (fault) issues.push(fault);
        else if (Object.hasOwn(fields, name)) issues.push(issue(name, 'CONFLICT', { with: name }));
        else fields[name] = value;
      });
      const tooMany = (max: number) => (): void =>
        reject(malformed([issue('', 'TOO_LONG', { max })]));
      parser.once('partsLimit', tooMany(LIMITS.parts));
      parser.once('fieldsLimit', tooMany(LIMITS.fields));
      parser.once('filesLimit', tooMany(LIMITS.files));
      parser.once('finish', resolve);
      parser.once('error', () => reject(noForm()));
      whenGone(req, reject);
      whenTooLong(req, maxBytes, reject);
      whenEvicted(req, transfer, reject);
      req.pipe(parser);
    });
    return { fields, file: (await files[0]) ?? null, issues };
  } catch (error) {
    stop(req, parser);
    for (const stream of streams) stream.destroy();
    const settled = await Promise.allSettled(files);
    for (const one of settled)
      if (one.status === 'fulfilled') await rm(one.value.path, { force: true });
    throw error;
  }
}

const noForm = (): ApiError => malformed([issue('', 'FORMAT', { expected: 'form' })]);

/** @throws ApiError MALFORMED for a boundary that cannot be one */
function parserOf({ headers }: IncomingMessage): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': headers['content-type'] ?? '' },
      limits: { ...LIMITS, fieldSize: MAX_FIELD },
      isPartAFile: (name, _, filename) => name === FILE || filename !== undefined,
    });
  } catch {
    throw noForm();
  }
}

/** What is wrong with a part that is no file. */
function faultOf(
  name: string,
  value: string,
  { nameIsCut, valueIsCut }: { readonly nameIsCut: boolean; readonly valueIsCut: boolean },
): Issue | null {
  if (!name) return issue('', 'FORMAT', { expected: 'form' });
  if (nameIsCut) return issue('', 'TOO_LONG', { max: LIMITS.fieldNameSize });
  if (valueIsCut) return issue(name, 'TOO_LONG', { max: MAX_FIELD });
  return value.includes(REPLACEMENT) ? issue(name, 'FORMAT', { expected: 'text' }) : null;
}

/** The parser bounds a file and the fields that it keeps, but not what it skips: all of a form is bounded here. */
function whenTooLong(req: IncomingMessage, maxBytes: number, reject: (error: Error) => void): void {
  let size = 0;
  req.on('data', ({ length }: Buffer) => {
    size += length;
    if (size > maxBytes + MAX_BODY) reject(fail('BODY_TOO_LARGE', { max: maxBytes }));
  });
}

/** Tells of its pace, by which it may be evicted. */
function whenEvicted(
  req: IncomingMessage,
  transfer: Transfer,
  reject: (error: Error) => void,
): void {
  transfer.whenFull(() => reject(noRoom()));
  transfer.itsTurn();
  req.on('data', ({ length }: Buffer) => {
    transfer.moved(length);
    transfer.itsTurn();
  });
}

function whenGone(req: IncomingMessage, reject: (error: Error) => void): void {
  const gone = (): void => reject(new Gone('the sender has gone'));
  req.once('error', gone);
  req.once('close', () => {
    if (!req.complete) gone();
  });
}

/** What still comes is thrown away, so that the sender reads the answer. */
function stop(req: IncomingMessage, parser: BusboyInstance): void {
  req.unpipe(parser);
  req.resume();
  parser.on('error', () => undefined);
  parser.destroy();
}

/**
 * Writes a stream to a new file, which nobody else may read. What cannot be written whole is removed.
 *
 * @throws ApiError BODY_TOO_LARGE, and what the stream and the disk say
 */
export async function writeTo(
  path: string,
  stream: Readable,
  maxBytes: number,
): Promise<Omit<ReceivedFile, 'name'>> {
  const hash = createHash('sha256');
  let size = 0;
  try {
    const handle = await open(path, 'wx', 0o600);
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > maxBytes) throw fail('BODY_TOO_LARGE', { max: maxBytes });
        hash.update(chunk);
        await handle.write(chunk);
      }
    } finally {
      await handle.close();
    }
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
  return { path, size, sha256: hash.digest('hex') };
}
