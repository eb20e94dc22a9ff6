/**
 * Requests that come over one connection without waiting for answers are carried out one after the other, as HTTP
 * asks for changes (RFC 9112, section 9.3.2). Node hands out at once whatever a packet holds, a thousand requests and
 * more: who never reads the answers would keep them all in memory, and the service busy.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of one connection that may wait for their turn. */
const MAX_WAITING = 16;

/** Of all connections together; beyond it none may wait. */
const MAX_WAITING_TOGETHER = 4000;

/** Unanswered requests after which a connection is cut rather than told. */
const FLOOD = 100;

interface Line {
  unanswered: number;
  /** One was refused: what follows it on the connection is not answered. */
  isClosing: boolean;
  readonly waiting: (() => void)[];
}

/**
 * Puts the turns in front of whatever answers the requests of a server by now.
 *
 * @param refuse has to end the connection with its answer
 */
export function takeTurns(server: Server, refuse: RequestListener): void {
  const listeners = server.listeners('request') as RequestListener[];
  const lines = new WeakMap<Socket, Line>();
  let waiting = 0;

  const begin = (line: Line, req: IncomingMessage, res: ServerResponse): void => {
    res.once('close', () => next(line, req.socket));
    for (const listener of listeners) listener.call(server, req, res);
  };

  const next = (line: Line, socket: Socket): void => {
    line.unanswered -= 1;
    // Of a connection that is gone nobody waits for the answers.
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
