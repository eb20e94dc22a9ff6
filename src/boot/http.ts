import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Environment } from './environment';
import { errorCode, StartError } from '../core/start-error';

/** Milliseconds that requests under way have to finish at a shutdown. */
const DRAIN_LIMIT = 30_000;

type Address = Pick<Environment, 'host' | 'port'>;

/** The variable that has named a port. */
type PortVariable = 'PORT' | 'METRICS_PORT';

/** Milliseconds that a connection which has sent nothing yet has for its request, when no new ones are accepted. */
const SILENT_LIMIT = 2000;

/** An open port. */
export interface Listening {
  readonly url: string;
  /** Has each connection end with its next answer, so that clients open others, elsewhere. */
  endConnections(): void;
  /**
   * Accepts no new connections and waits for the requests under way. Kept-alive connections are closed as soon as they
   * are idle, those that have sent nothing yet after two seconds, all others after the limit (30 s).
   */
  drain(): Promise<void>;
}

/**
 * Checks the port before Strapi is loaded.
 *
 * @throws StartError when it is in use or not permitted, or the host is not an address of this machine
 */
export async function checkPort(address: Address, variable?: PortVariable): Promise<void> {
  await (await listen(createServer(), address, variable)).drain();
}

/**
 * Opens the port. Strapi's own function ends the process when the port is in use.
 *
 * @throws StartError as `checkPort`.
 */
export async function listen(
  server: Server,
  { host, port }: Address,
  variable: PortVariable = 'PORT',
): Promise<Listening> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const strapis = server.listeners('error') as ((error: Error) => void)[];
  server.removeAllListeners('error');
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw refused({ host, port }, variable, errorCode(error));
  }
  // Without a listener, running out of file descriptors would end the process; Strapi's listener logs it.
  for (const listener of strapis) server.on('error', listener);
  return {
    url: urlOf(server),
    endConnections: () => endConnections(server),
    drain: () => drain(server, sockets),
  };
}

function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

function refused({ host, port }: Address, variable: PortVariable, code: string): StartError {
  switch (code) {
    case 'EADDRINUSE':
      return new StartError(
        `Port ${port} of ${host} is taken; choose another one with ${variable}=${otherPort(port)}.`,
      );
    case 'EACCES':
      return new StartError(
        `${variable}="${port}" is not permitted to this user; choose one above 1023.`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new StartError(`HOST="${host}" is no address of this machine (${code}).`);
    default:
      return new StartError(
        `HOST="${host}", ${variable}="${port}" cannot be listened on (${code}).`,
      );
  }
}

function otherPort(port: number): number {
  return port < 65_535 ? port + 1 : port - 1;
}

function endConnections(server: Server): void {
  server.prependListener('request', (_, res) => {
    if (!res.headersSent) res.setHeader('Connection', 'close');
  });
}

async function drain(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  const closed = once(server, 'close');
  endConnections(server);
  server.close();
  const silentUntil = performance.now() + SILENT_LIMIT;
  // No job: the connections of this process, while it ends.
  const idle = setInterval(() => {
    server.closeIdleConnections();
    // Node treats a connection that has sent nothing yet as one with a request under way, which may be on its way.
    if (performance.now() < silentUntil) return;
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  }, 50);
  const overdue = setTimeout(() => server.closeAllConnections(), DRAIN_LIMIT);
  try {
    await closed;
  } finally {
    clearInterval(idle);
    clearTimeout(overdue);
  }
}
