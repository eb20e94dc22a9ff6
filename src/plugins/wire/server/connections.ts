/** Connections: how many one host may have, and how they end. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { hostOf, type Networks } from './address';

/** Further connections are closed at once. A silent connection takes about 10 KiB. */
const MAX_CONNECTIONS = 4000;

/** Connections of one host: a browser opens six, and a campus shares an address. */
const MAX_PER_HOST = 400;

/**
 * Milliseconds without a byte in either direction after which a connection is closed, such as that of a client that
 * does not read. A connection that waits for an answer of the service stays open.
 */
const MAX_SILENCE = 30_000;

/**
 * Milliseconds that an idle connection of a trusted proxy stays open; Node gives any other one five seconds. nginx and the
 * load balancers of clouds keep theirs for a minute: the proxy has to be the one who ends it, because a request that it
 * sends just when the service does is lost.
 */
const MAX_IDLE_OF_PROXY = 75_000;

/** Milliseconds that a client has to receive the last answer. */
const CLOSE_GRACE = 1000;

/** Destroys an ended connection after a while, because the client may never close its half. */
export function destroySoon(socket: Duplex): void {
  setTimeout(() => socket.destroy(), CLOSE_GRACE).unref();
}

/** Limits the connections of a server, and ends those whose last answer has been sent. */
export function boundConnections(server: Server, networks: Networks): void {
  const last = new WeakMap<Socket, Exchange>();
  server.setTimeout(MAX_SILENCE, (socket) => {
    if (isWorkedOn(socket, last.get(socket))) socket.setTimeout(MAX_SILENCE);
    else socket.destroy();
  });
  server.maxConnections = MAX_CONNECTIONS;
  const hosts = new Map<string, number>();
  const proxies = new WeakSet<Socket>();
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined) return;
    if (networks.isTrusted(remoteAddress)) return void proxies.add(socket);
    const host = hostOf(remoteAddress);
    const count = (hosts.get(host) ?? 0) + 1;
    if (count > MAX_PER_HOST) return void socket.destroy();
    hosts.set(host, count);
    socket.once('close', () => {
      const left = (hosts.get(host) ?? 1) - 1;
      if (left === 0) hosts.delete(host);
      else hosts.set(host, left);
    });
  });
  server.on('request', (req, res) => {
    last.set(req.socket, { req, res });
    res.on('finish', () => {
      // The sender of a refused body might go on forever.
      if (!res.shouldKeepAlive) destroySoon(req.socket);
      else if (!req.complete) endIncomplete(req.socket, () => req.complete);
      // Node sets it back at the next request.
      else if (proxies.has(req.socket)) req.socket.setTimeout(MAX_IDLE_OF_PROXY);
    });
  });
}

/** A request and its answer. */
interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

/** Whether the client waits for the service: the request has been received, and all that was written has been sent. */
const isWorkedOn = (socket: Socket, exchange: Exchange | undefined): boolean =>
  exchange?.req.complete === true && !exchange.res.headersSent && socket.writableLength === 0;

function endIncomplete(socket: Socket, isComplete: () => boolean): void {
  setTimeout(() => {
    if (!isComplete()) socket.destroy();
  }, CLOSE_GRACE).unref();
}
