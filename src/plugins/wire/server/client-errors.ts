/**
 * Answers requests that Node's parser refuses, before any stage sees them: with the same envelope, after which the
 * connection closes.
 */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { destroySoon } from './connections';
import { failureText } from './envelope';

/** The statuses of parser errors (https://nodejs.org/api/http.html#event-clienterror); any other error is 400. */
const STATUSES: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** The statuses of such refusals, beside 400. */
export const PARSER_STATUSES: readonly number[] = Object.values(STATUSES);

/** What Node tells of an error, with the bytes that it was reading. */
type ParserError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

/** Answers in place of Node, which would close the connection without a body. */
export function answerClientErrors(server: Server): void {
  const last = new WeakMap<Duplex, ServerResponse>();
  server.on('request', ({ socket }, res) => last.set(socket, res));
  server.on('clientError', (error: ParserError, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const answer = last.get(socket);
    if (answer && isAnswered(answer)) return destroySoon(socket);
    refuse(socket, STATUSES[error.code ?? ''] ?? 400, !answer && isHead(error));
  });
  // Node would answer an unknown `Expect` without a body.
  server.on('checkExpectation', (req, res) => server.emit('request', req, res));
}

/**
 * Whether the unreadable bytes belong to a request that has been answered, or follow the last answer of the connection.
 */
const isAnswered = ({ req, headersSent, shouldKeepAlive }: ServerResponse): boolean =>
  headersSent && !(req.complete && shouldKeepAlive);

/** Whether the bytes begin with a request that only the headers of its answer are sent for. */
const isHead = ({ rawPacket }: ParserError): boolean =>
  rawPacket?.subarray(0, 5).toString('latin1') === 'HEAD ';

function refuse(socket: Duplex, status: number, isForHead: boolean): void {
  const transactionId = randomUUID();
  const text = failureText({ key: 'MALFORMED', args: {}, invalid: [] }, transactionId);
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      'Connection: close',
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(text)}`,
      'Cache-Control: no-store',
      'X-Content-Type-Options: nosniff',
      `X-Transaction-Id: ${transactionId}`,
      '',
      isForHead ? '' : text,
    ].join('\r\n'),
  );
  destroySoon(socket);
}
