import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A proxy between the service and PostgreSQL that can interrupt the connection. */
export interface DatabaseProxy {
  readonly port: number;
  /** Cuts every connection and refuses new ones. */
  away(): Promise<void>;
  /** Cuts every connection, and takes new ones without an answer. */
  still(): void;
  /** Leaves every connection as it is, takes new ones, and passes nothing on. */
  freeze(): void;
  back(): Promise<void>;
}

/** `target` is what `net.connect` takes: a port and host, or the path of a socket. */
export async function startProxy(
  target: { readonly port: number; readonly host: string } | { readonly path: string },
): Promise<DatabaseProxy> {
  const sockets = new Set<Socket>();
  const track = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  let isStill = false;
  const accept = (client: Socket): void => {
    if (isStill) return track(client);
    const upstream = connect(target);
    track(client);
    track(upstream);
    client.pipe(upstream).pipe(client);
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  };
  let server: Server = await open(0, accept);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async away() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
    still() {
      isStill = true;
      for (const socket of sockets) socket.destroy();
    },
    freeze() {
      isStill = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    async back() {
      if (isStill) {
        isStill = false;
        for (const socket of sockets) socket.destroy();
        return;
      }
      server = await open(port, accept);
    },
  };
}

async function open(port: number, accept: (client: Socket) => void): Promise<Server> {
  const server = createServer(accept).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
