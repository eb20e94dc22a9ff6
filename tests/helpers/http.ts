import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Agent, request, type IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';

/** One request, as it goes over the wire: the target is sent as it stands here. */
export interface Request {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** A value that is sent as JSON. */
  readonly body?: unknown;
  /** Bytes that are sent as they are, in place of `body`. */
  readonly raw?: string | Buffer;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Without its content encoding. */
  readonly text: string;
  /** As it was received. */
  readonly bytes: Buffer;
}

/** The bytes of a request's body, undefined when it has none. */
export function bytesOf({ body, raw }: Request): Buffer | undefined {
  if (raw !== undefined) return Buffer.from(raw);
  return body === undefined ? undefined : Buffer.from(JSON.stringify(body));
}

/** The bytes without their encoding. */
function decoded(bytes: Buffer, encoding: string | undefined): Buffer {
  if (encoding === undefined || bytes.length === 0) return bytes;
  return encoding === 'br' ? brotliDecompressSync(bytes) : gunzipSync(bytes);
}

// The server may close a kept-alive connection just when it is used again.
const FRESH = new Agent({ keepAlive: false });

/**
 * Sends one request to a service, without anything that a browser or a library would tidy up.
 *
 * @param agent by default a new connection for each request
 */
export function send(origin: string, given: Request, agent = FRESH): Promise<Answer> {
  const bytes = bytesOf(given);
  const headers: Record<string, string | string[]> = {
    ...(bytes === undefined || given.headers?.['Transfer-Encoding'] !== undefined
      ? {}
      : { 'Content-Length': String(bytes.length) }),
    ...(given.body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...given.headers,
  };
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    request(
      { hostname, port, agent, method: given.method, path: given.url, headers },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const bytes = Buffer.concat(chunks);
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: decoded(bytes, response.headers['content-encoding']).toString('utf8'),
            bytes,
          });
        });
      },
    )
      .on('error', reject)
      .on('socket', outliveErrors)
      .end(bytes);
  });
}

const outliving = new WeakSet<Socket>();

/** A kept-alive connection that the server has closed may fail between two requests, when nobody waits for an answer. */
function outliveErrors(socket: Socket): void {
  if (outliving.has(socket)) return;
  outliving.add(socket);
  socket.on('error', () => undefined);
}
