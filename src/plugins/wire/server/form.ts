/** Forms with a file (RFC 7578), read when it is known who sends them: the file goes to disk as it comes. */
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { createHash, randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fail, issue, malformed, type Issue } from '../../../core/errors';
import { hasBody } from './http';
import type { ApiRequest } from './request';
import { Gone } from './stages/body';

/** A file that has come in whole. */
export interface ReceivedFile {
  /** Where it is; to be removed by whoever asked for it. */
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

/** The one part that is a file. */
const FILE = 'file';

/**
 * Reads a form.
 *
 * @param folder where its file goes
 * @param maxBytes of the file
 * @throws ApiError BODY_TOO_LARGE, MALFORMED for what is no form, and what the disk says
 * @throws Gone when its sender has gone
 */
export async function readForm(
  { req }: Pick<ApiRequest, 'req'>,
  folder: string,
  maxBytes: number,
): Promise<Form> {
  if (!hasBody(req)) return { fields: {}, file: null, issues: [] };
  const fields = Object.create(null) as Record<string, string>;
  const issues: Issue[] = [];
  const streams: Readable[] = [];
  const files: Promise<ReceivedFile>[] = [];
  const parser = new Busboy({
    headers: { ...req.headers, 'content-type': req.headers['content-type'] ?? '' },
    limits: { ...LIMITS, fieldSize: MAX_FIELD, fileSize: maxBytes },
    isPartAFile: (name, _, filename) => name === FILE || filename !== undefined,
  });
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
        const receiving = receive(stream, join(folder, randomUUID()), maxBytes, filename || null);
        receiving.catch(reject);
        files.push(receiving);
      });
      parser.on('field', (name, value, nameIsCut, valueIsCut) => {
        if (nameIsCut || !name) issues.push(issue('', 'TOO_LONG', { max: LIMITS.fieldNameSize }));
        else if (valueIsCut) issues.push(issue(name, 'TOO_LONG', { max: MAX_FIELD }));
        else if (Object.hasOwn(fields, name)) issues.push(issue(name, 'CONFLICT', { with: name }));
        else fields[name] = value;
      });
      const tooMany = (): void => reject(malformed([issue('', 'TOO_LONG', { max: LIMITS.parts })]));
      parser.once('partsLimit', tooMany).once('fieldsLimit', tooMany).once('filesLimit', tooMany);
      parser.once('finish', resolve);
      parser.once('error', () => reject(malformed([issue('', 'FORMAT', { expected: 'form' })])));
      whenGone(req, reject);
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

async function receive(
  stream: Readable,
  path: string,
  maxBytes: number,
  name: string | null,
): Promise<ReceivedFile> {
  // An error may come before anybody reads: reading tells it.
  stream.on('error', () => undefined);
  stream.once('limit', () => stream.destroy(fail('BODY_TOO_LARGE', { max: maxBytes })));
  try {
    return { path, name, ...(await writeTo(path, stream)) };
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

async function writeTo(
  path: string,
  stream: Readable,
): Promise<Pick<ReceivedFile, 'size' | 'sha256'>> {
  const hash = createHash('sha256');
  let size = 0;
  const handle = await open(path, 'wx', 0o600);
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      hash.update(chunk);
      size += chunk.length;
      await handle.write(chunk);
    }
  } finally {
    await handle.close();
  }
  return { size, sha256: hash.digest('hex') };
}
