/**
 * Carries out the pipelined requests of a connection one after the other, as HTTP requires for changes (RFC 9112,
 * section 9.3.2). Node emits all requests of a packet at once, a thousand or more: a client that never reads the
 * answers would keep them all in memory, and the service busy.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How many requests of one connection may wait. */
const MAX_WAITING = 16;

/** How many requests of all connections together may wait. */
const MAX_WAITING_TOGETHER = 4000;

/** The number of unanswered requests from which a connection is destroyed without an answer. */
const FLOOD = 100;

interface Line {
  unanswered: number;
  /** A request was refused: the following ones of the connection are not answered. */
  isClosing: boolean;
  readonly waiting: (() => void)[];
}

/**
 * Puts the queue in front of the server's present request listeners.
 *
 * @param refuse answers and ends the connection
 */
export function takeTurns(server: Server, refuse: RequestListener): void {
  const listeners = server.listeners('request') as RequestListener[];
  const lines = new WeakMap<Socket, Line>();
  let waiting = 0;

  const begin = (line: Line, req: IncomingMessage, res: ServerResponse): void => {
    res.on('close', () => next(line, req.socket));
    for (const listener of listeners) listener.call(server, req, res);
  };

  const next = (line: Line, socket: Socket): void => {
    line.unanswered -= 1;
    if (line.waiting.length === 0) return;
    // Nobody waits for the answers of a closed connection.
    const over = line.waiting.splice(0, socket.destroyed ? line.waiting.length : 1);
    waiting -= over.length;
    if (!socket.destroyed) over[0]?.();
  };

  server.removeAllListeners('request');
  server.on('request', (req, res) => {
    const { socket } = req;
    let line = lines.get(socket);
    if (!line) {
      line = { unanswered: 0, isClosing: false, waiting: [] };
      lines.set(socket, line);
    }
    const known = line;
    known.unanswered += 1;
    if (known.unanswered === 1) return begin(known, req, res);
    if (known.unanswered > FLOOD) socket.destroy();
    if (known.isClosing || socket.destroyed) return;
    if (known.waiting.length < (waiting < MAX_WAITING_TOGETHER ? MAX_WAITING : 0)) {
      waiting += 1;
      known.waiting.push(() => begin(known, req, res));
      return;
    }
    known.isClosing = true;
    refuse(req, res);
  });
}
