/** The one way out: an answer or a refusal becomes bytes here, and nowhere else. */
import type { ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { ApiError } from '../../../../core/errors';
import type { Soon } from '../../../../core/soon';
import {
  compress,
  compressor,
  encodedTag,
  encodingFor,
  isCompressible,
  MIN_LENGTH,
} from '../compression';
import { failureText, successText } from '../envelope';
import { corsHeaders } from '../cors';
import type { Answer, ApiRequest, Bytes } from '../request';
import type { Settings } from '../settings';

type Headers = Record<string, string>;

const JSON_TYPE = 'application/json; charset=utf-8';

/** A year; only behind https. */
const HSTS: Headers = { 'Strict-Transport-Security': 'max-age=31536000' };

/**
 * Headers of every answer under /api/v0: no answer may be used as a page, a frame or a script. One object, which is
 * added to: an object that is spread into others takes longer than the rest of a small answer.
 */
function commonHeaders(request: ApiRequest, settings: Settings): Headers {
  const headers: Headers = {
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Cross-Origin-Resource-Policy': 'same-site',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    Vary: 'Cookie, Authorization, Origin, Accept-Encoding',
    'X-Transaction-Id': request.transactionId,
    'Cache-Control': 'private, no-store',
  };
  if (settings.isSecure) Object.assign(headers, HSTS);
  if (request.req.headers.origin !== undefined)
    Object.assign(headers, corsHeaders(request, settings));
  if (request.hasEndedSession) headers['X-Session'] = 'ended';
  return headers;
}

/** The maximum lifetime of a session in seconds: 90 days. */
const COOKIE_AGE = 90 * 24 * 60 * 60;

/** @param secret null to delete the cookie */
function sessionCookie(secret: string | null, { cookieName, isSecure }: Settings): Headers {
  const age = secret === null ? 0 : COOKIE_AGE;
  const attributes = `Path=/; Max-Age=${age}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return { 'Set-Cookie': `${cookieName}=${secret ?? ''}; ${attributes}` };
}

/** Writes a success; later, if it has to be compressed first. */
export function succeed(request: ApiRequest, answer: Answer, settings: Settings): Soon<void> {
  const status = answer.status ?? 200;
  const headers = commonHeaders(request, settings);
  for (const name in answer.headers) headers[name] = answer.headers[name] ?? '';
  if (answer.cookie !== undefined) Object.assign(headers, sessionCookie(answer.cookie, settings));
  if (status === 204) return send(request, status, headers, null);
  if (status === 304) {
    headers['ETag'] = heldTag(request, headers['ETag'] ?? '');
    return send(request, status, headers, null);
  }
  if (answer.bytes) return sendBytes(request, status, headers, answer.bytes);
  const text = answer.raw?.text ?? successText(answer, request.transactionId);
  headers['Content-Type'] = answer.raw?.type ?? JSON_TYPE;
  // An answer with a secret beside something of the caller's choice would tell the secret by its length (BREACH).
  if (answer.cookie !== undefined) return send(request, status, headers, text);
  return sendText(request, status, headers, text, settings);
}

/** Sends a text, compressed where that is worth it and the client accepts it. */
function sendText(
  request: ApiRequest,
  status: number,
  headers: Headers,
  text: string,
  { compressed }: Settings,
): Soon<void> {
  // Most answers are small, of which nothing is asked.
  const encoding = Buffer.byteLength(text) < MIN_LENGTH ? null : encodingFor(request.req);
  if (encoding === null) return send(request, status, headers, text);
  const etag = headers['ETag'];
  headers['Content-Encoding'] = encoding;
  if (etag !== undefined) headers['ETag'] = encodedTag(etag, encoding);
  const isForAll = etag !== undefined && headers['Cache-Control']?.startsWith('public') === true;
  const bytes = isForAll
    ? compressed.get(text, encoding, etag)
    : compress(Buffer.from(text), encoding);
  return bytes.then((made) => sendCompressed(request, status, headers, made));
}

/** The tag of an answer that the client has: that of the encoding in which it would get it, if it has it so. */
function heldTag({ req }: ApiRequest, etag: string): string {
  const encoding = encodingFor(req);
  if (encoding === null) return etag;
  const encoded = encodedTag(etag, encoding);
  return req.headers['if-none-match']?.includes(encoded) === true ? encoded : etag;
}

function sendCompressed(
  { res, method }: ApiRequest,
  status: number,
  headers: Headers,
  bytes: Buffer,
): void {
  if (res.headersSent || res.destroyed) return;
  res.writeHead(status, { ...headers, 'Content-Length': String(bytes.length) });
  res.end(method === 'HEAD' ? undefined : bytes);
}

/** Writes a refusal, without headers that were set for a success. */
export function refuse(request: ApiRequest, error: ApiError, settings: Settings): Soon<void> {
  const headers = {
    ...commonHeaders(request, settings),
    'Cache-Control': 'no-store',
    'Content-Type': JSON_TYPE,
    ...error.headers,
  };
  const text = failureText(error, request.transactionId);
  return sendText(request, error.status, headers, text, settings);
}

function send(
  { res, method }: ApiRequest,
  status: number,
  headers: Headers,
  text: string | null,
): void {
  if (res.headersSent || res.destroyed) return;
  const length = text === null ? 0 : Buffer.byteLength(text);
  if (text !== null) headers['Content-Length'] = String(length);
  res.writeHead(status, headers);
  if (text !== null && method !== 'HEAD') writeWhole(res, text, length);
  res.end();
}

/**
 * Writes head and text at once. `end` with a text would add an empty text to them, and Node writes several texts in a
 * slower way than one. ASCII, which most answers are, needs no encoding.
 */
function writeWhole(res: ServerResponse, text: string, length: number): void {
  const { socket } = res;
  socket?.cork();
  res.write(text, length === text.length ? 'latin1' : 'utf8');
  socket?.uncork();
}

function sendBytes(
  { req, res }: ApiRequest,
  status: number,
  headers: Headers,
  { type, length, content }: Bytes,
): void {
  if (res.headersSent || res.destroyed) {
    if (content instanceof Readable) content.destroy();
    return;
  }
  const known = length === null ? {} : { 'Content-Length': length };
  const encoding = length === null && isCompressible(type) ? encodingFor(req) : null;
  const encoded = encoding === null ? {} : { 'Content-Encoding': encoding };
  res.writeHead(status, { ...headers, 'Content-Type': type, ...known, ...encoded });
  // A stream that breaks off ends the connection: what was promised does not come.
  if (content instanceof Readable && encoding !== null)
    pipeline(content, compressor(encoding), res, () => undefined);
  else if (content instanceof Readable) pipeline(content, res, () => undefined);
  else res.end(content ?? undefined);
}

/** What leaves the house of an error that nobody has listed: nothing. */
export const hidden = (error: unknown): ApiError =>
  error instanceof ApiError ? error : new ApiError('INTERNAL_ERROR');
