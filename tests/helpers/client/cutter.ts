import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * Where a connection is cut: before a byte of the request has passed, after some of them, after all of them but before the
 * answer, after some bytes of the answer, or after all of it; `silent` passes the request on, and nothing back.
 */
export type Cut =
  | { readonly at: 'before' | 'request done' | 'silent' | 'answer done' }
  | { readonly at: 'within request' | 'within answer'; readonly bytes: number };

/** A proxy between client and service that cuts connections, one request after the other. */
export interface Cutter {
  readonly url: string;
  /** The port of the service; a restarted one has another. */
  target: number;
  /** Says for each request whether it is cut. @param line its first one, such as `POST /api/v0/asset HTTP/1.1` */
  plan: (line: string) => Cut | null;
  /** How many requests were cut. */
  readonly cuts: number;
  /** Cuts the next requests, one each. */
  next(...cuts: readonly Cut[]): void;
  /** Cuts nothing any more. */
  calm(): void;
  close(): Promise<void>;
}

export async function startCutter(port: number): Promise<Cutter> {
  const sockets = new Set<Socket>();
  const queue: Cut[] = [];
  const server = createServer((client) => {
    const service = connect(cutter.target, '127.0.0.1');
    const end = (): void => {
      client.destroy();
      service.destroy();
    };
    for (const socket of [client, service]) {
      sockets.add(socket);
      socket.on('error', end).on('close', () => {
        sockets.delete(socket);
        end();
      });
    }
    pass(client, service, end, (line) => {
      const cut = queue.shift() ?? cutter.plan(line);
      if (cut) cuts += 1;
      return cut;
    });
  });
  let cuts = 0;
  const cutter: Cutter = {
    url: '',
    target: port,
    plan: () => null,
    get cuts() {
      return cuts;
    },
    next: (...given) => void queue.push(...given),
    calm() {
      queue.length = 0;
      cutter.plan = () => null;
    },
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(cutter, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  });
}

/** Passes on what both sides of a connection say, until it is cut. */
function pass(
  client: Socket,
  service: Socket,
  end: () => void,
  planned: (line: string) => Cut | null,
): void {
  let cut: Cut | null = null;
  let isAsking = false;
  let passed = 0;
  /** Writes as much as may pass, and ends the connection when that is all. */
  const write = (to: Socket, chunk: Buffer, bytes: number): void => {
    const left = bytes - passed;
    passed += chunk.length;
    if (chunk.length < left) to.write(chunk);
    else to.write(chunk.subarray(0, left), end);
  };
  client.on('data', (chunk: Buffer) => {
    if (!isAsking) {
      isAsking = true;
      cut = planned(chunk.toString('latin1', 0, 200).split('\r\n')[0] ?? '');
      passed = 0;
    }
    if (cut?.at === 'before') return end();
    if (cut?.at === 'within request') return write(service, chunk, cut.bytes);
    service.write(chunk);
  });
  service.on('data', (chunk: Buffer) => {
    if (isAsking) passed = 0;
    isAsking = false;
    if (cut?.at === 'silent') return;
    if (cut?.at === 'request done') return end();
    if (cut?.at === 'within answer') return write(client, chunk, cut.bytes);
    client.write(chunk);
    // The answers of these tests come in one piece.
    if (cut?.at === 'answer done') client.end();
  });
}
