/**
 * Requests that never become one: Node's parser refuses them before any stage has seen them. The
 * same envelope, then the connection closes.
 */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { destroySoon } from './connections';
import { failureText } from './envelope';

/** What Node's parser says (https://nodejs.org/api/http.html#event-clienterror); anything else is 400. */
const STATUSES: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** With what a request may be refused that never becomes one, beside 400. */
export const PARSER_STATUSES: readonly number[] = Object.values(STATUSES);

/** Answers in place of Node, which would close without a body. */
export function answerClientErrors(server: Server): void {
  const last = new WeakMap<Duplex, ServerResponse>();
  server.on('request', ({ socket }, res) => last.set(socket, res));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const answer = last.get(socket);
    if (answer && isAnswered(answer)) return destroySoon(socket);
    refuse(socket, STATUSES[error.code ?? ''] ?? 400);
  });
  // An `Expect` that Node does not know is no reason for an answer without a body.
  server.on('checkExpectation', (req, res) => server.emit('request', req, res));
}

/** Whether what cannot be read is the rest of a request that has its answer, or comes after the connection's last one. */
const isAnswered = ({ req, headersSent, shouldKeepAlive }: ServerResponse): boolean =>
  headersSent && !(req.complete && shouldKeepAlive);

function refuse(socket: Duplex, status: number): void {
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
      text,
    ].join('\r\n'),
  );
  destroySoon(socket);
}
