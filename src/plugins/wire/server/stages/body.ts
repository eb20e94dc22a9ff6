/** 413, 415, and JSON that is none: the body as a value, or a refusal before anything has seen it. */
import type { IncomingMessage } from 'node:http';
import getRawBody, { type RawBodyError } from 'raw-body';
import { fail, issue, malformed } from '../errors';
import type { Exchange } from '../exchange';
import { inspectJson } from '../text';

/** Bytes of a JSON body. */
export const MAX_BODY = 1024 * 1024;

const ACCEPTED = 'application/json';

/** A request whose sender has gone while it was being read: there is nobody to answer. */
export class Gone extends Error {}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Reads and parses the body of a request that may have one. @throws WireError, Gone */
export async function body(exchange: Exchange): Promise<void> {
  const { headers } = exchange.req;
  const length = Number(headers['content-length'] ?? 0);
  if (length === 0 && headers['transfer-encoding'] === undefined) return;
  if (length > MAX_BODY) throw fail('BODY_TOO_LARGE', { max: MAX_BODY });
  checkMediaType(headers);
  const bytes = await readAll(exchange.req);
  if (bytes.length > 0) exchange.body = parse(bytes);
}

function checkMediaType(headers: IncomingMessage['headers']): void {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = parameters.find((parameter) => parameter.trim().startsWith('charset='));
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset.trim());
  const encoding = headers['content-encoding'] ?? 'identity';
  if (type.trim() !== ACCEPTED || !isUtf8 || encoding !== 'identity') {
    throw fail('MEDIA_TYPE_NOT_ACCEPTED', { expected: ACCEPTED });
  }
}

async function readAll(req: IncomingMessage): Promise<Buffer> {
  try {
    return await getRawBody(req, { limit: MAX_BODY });
  } catch (error) {
    if ((error as RawBodyError).type === 'entity.too.large') {
      req.resume(); // the rest is thrown away, so that the connection can go on
      throw fail('BODY_TOO_LARGE', { max: MAX_BODY });
    }
    throw new Gone('the sender has gone', { cause: error });
  }
}

function parse(bytes: Buffer): unknown {
  const value = parseJson(bytes);
  const issues = inspectJson(value);
  if (issues.length > 0) throw malformed(issues);
  return value;
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(decoder.decode(bytes)) as unknown;
  } catch {
    throw malformed([issue('', 'FORMAT', { expected: 'JSON' })]);
  }
}
