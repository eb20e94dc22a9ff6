/**
 * Requests that never become one: Node's parser refuses them before any stage has seen them. The
 * same envelope, then the connection closes.
 */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { destroySoon } from './connections';
import { failureText } from './envelope';

/** What Node's parser says (https://nodejs.org/api/http.html#event-clienterror); anything else is 400. */
const STATUSES: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Answers in place of Node, which would close without a body. */
export function answerClientErrors(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    refuse(socket, STATUSES[error.code ?? ''] ?? 400);
  });
  // An `Expect` that Node does not know is no reason for an answer without a body.
  server.on('checkExpectation', (req, res) => server.emit('request', req, res));
}

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
