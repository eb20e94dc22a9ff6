/** Connections: how many one host may have, and how they end. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { hostOf, type Networks } from './address';

/** What is beyond is closed unheard. One connection that says nothing costs some 10 KiB. */
const MAX_CONNECTIONS = 4000;

/** Connections of one host: a browser opens six, and a campus shares an address. */
const MAX_OF_ONE = 400;

/**
 * Milliseconds without a byte either way, such as of who does not read, after which a connection is closed. While the
 * service works on an answer, its caller may wait.
 */
const MAX_SILENCE = 30_000;

/** Milliseconds that the other side has to take a last answer. */
const LAST_WORD = 1000;

/** Destroys a connection that has been ended, whatever the other side does: it may never end its half. */
export function destroySoon(socket: Duplex): void {
  setTimeout(() => socket.destroy(), LAST_WORD).unref();
}

/** Bounds the connections of a server, and ends those whose last answer is out. */
export function boundConnections(server: Server, networks: Networks): void {
  const last = new WeakMap<Socket, Exchange>();
  server.setTimeout(MAX_SILENCE, (socket) => {
    if (isWorkedOn(socket, last.get(socket))) socket.setTimeout(MAX_SILENCE);
    else socket.destroy();
  });
  server.maxConnections = MAX_CONNECTIONS;
  const hosts = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || networks.isTrusted(remoteAddress)) return;
    const host = hostOf(remoteAddress);
    const count = (hosts.get(host) ?? 0) + 1;
    if (count > MAX_OF_ONE) return void socket.destroy();
    hosts.set(host, count);
    socket.once('close', () => {
      const left = (hosts.get(host) ?? 1) - 1;
      if (left === 0) hosts.delete(host);
      else hosts.set(host, left);
    });
  });
  server.on('request', (req, res) => {
    last.set(req.socket, { req, res });
    res.once('finish', () => {
      // The body of what was refused may go on for as long as its sender likes.
      if (!res.shouldKeepAlive) destroySoon(req.socket);
      else if (!req.complete) endIncomplete(req.socket, () => req.complete);
    });
  });
}

/** A request and its answer. */
interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

/** Whether it is this side that is silent: all has been received, and all that was answered has been taken. */
const isWorkedOn = (socket: Socket, exchange: Exchange | undefined): boolean =>
  exchange?.req.complete === true && !exchange.res.headersSent && socket.writableLength === 0;

function endIncomplete(socket: Socket, isComplete: () => boolean): void {
  setTimeout(() => {
    if (!isComplete()) socket.destroy();
  }, LAST_WORD).unref();
}
