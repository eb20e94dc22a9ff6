import { once } from 'node:events';
import {
  Agent,
  createServer,
  request,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { send } from '../helpers/http';
import { until } from '../helpers/until';

/** Milliseconds between two questions whether a server is ready. */
const HEALTH_EVERY = 200;

/** The header that says which server has answered, by its place. */
export const SERVED_BY = 'x-served-by';

/** What concerns one connection, and is not passed on (RFC 9110, section 7.6.1). */
const OF_CONNECTION = new Set(['connection', 'keep-alive', 'transfer-encoding']);

/** A request that was sent to a server, and got no whole answer. */
export interface Failure {
  readonly server: number;
  readonly request: string;
  readonly reason: string;
}

interface Upstream {
  readonly place: number;
  readonly url: URL;
  readonly connections: Agent;
  isUp: boolean;
  underWay: number;
}

/** Keeps a connection as nginx does: whatever time an answer names for it, until its server ends it. */
class KeptConnections extends Agent {
  override keepSocketAlive(): true {
    return true;
  }
}

/**
 * A proxy that sends each request to the next of several servers that are ready, over connections that it keeps. What was
 * sent is never sent again, so that each failure is seen: its client's connection breaks. A port that is closed takes no
 * request, which goes to the next server, as with nginx and HAProxy.
 */
export class Balancer {
  readonly failures: Failure[] = [];
  /** How often the port of a server was closed. */
  refused = 0;
  private readonly upstreams: readonly Upstream[];
  private readonly server = createServer((req, res) => void this.pass(req, res));
  private turn = 0;
  private isClosed = false;
  private watching: readonly Promise<void>[] = [];

  private constructor(servers: readonly string[]) {
    this.upstreams = servers.map((url, place) => ({
      place,
      url: new URL(url),
      connections: new KeptConnections({ keepAlive: true, maxFreeSockets: 64 }),
      isUp: false,
      underWay: 0,
    }));
    // Only its clients end their connections.
    this.server.keepAliveTimeout = 0;
  }

  /** @param servers addresses where nothing has to listen yet */
  static async start(servers: readonly string[]): Promise<Balancer> {
    const balancer = new Balancer(servers);
    await once(balancer.server.listen(0, '127.0.0.1'), 'listening');
    balancer.watching = balancer.upstreams.map((upstream) => balancer.watch(upstream));
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Returns as soon as it sends requests to a server. */
  async up(place: number): Promise<void> {
    await until(`server ${place} is ready`, () => this.upstreams[place]?.isUp === true);
  }

  /** Returns when it sends no requests to a server, and all that it has sent have ended. */
  async out(place: number): Promise<void> {
    const upstream = this.upstreams[place];
    await until(`server ${place} has no requests`, () => !upstream?.isUp && !upstream?.underWay);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all(this.watching);
    this.server.close();
    this.server.closeAllConnections();
    for (const { connections } of this.upstreams) connections.destroy();
  }

  private async watch(upstream: Upstream): Promise<void> {
    while (!this.isClosed) {
      const asked = send(upstream.url.origin, { method: 'GET', url: '/_health/ready' });
      upstream.isUp = await asked.then(
        ({ status }) => status === 200,
        () => false,
      );
      await sleep(HEALTH_EVERY);
    }
  }

  private next(): Upstream | undefined {
    const count = this.upstreams.length;
    const order = this.upstreams.map((_, n) => this.upstreams[(this.turn + n) % count]);
    const chosen = order.find((upstream) => upstream?.isUp);
    if (chosen) this.turn = chosen.place + 1;
    return chosen;
  }

  private async pass(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await buffer(req);
    for (;;) {
      const upstream = this.next();
      if (!upstream) {
        res.writeHead(503).end();
        return;
      }
      upstream.underWay += 1;
      try {
        await forward(upstream, req, body, res);
        return;
      } catch (error) {
        upstream.isUp = false;
        if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') {
          const [server, asked] = [upstream.place, `${req.method} ${req.url}`];
          this.failures.push({ server, request: asked, reason: String(error) });
          res.destroy();
          return;
        }
        this.refused += 1;
      } finally {
        upstream.underWay -= 1;
      }
    }
  }
}

async function forward(
  { place, url, connections }: Upstream,
  req: IncomingMessage,
  body: Buffer,
  res: ServerResponse,
): Promise<void> {
  const onward = request({
    hostname: url.hostname,
    port: url.port,
    agent: connections,
    method: req.method,
    path: req.url,
    headers: {
      ...passedOn(req.headers),
      // What a client says of itself is not believed.
      'x-forwarded-for': req.socket.remoteAddress,
    },
  });
  // What fails once there is an answer is the answer.
  onward.on('error', () => undefined).end(body);
  const [answer] = (await once(onward, 'response')) as [IncomingMessage];
  res.writeHead(answer.statusCode ?? 502, {
    ...passedOn(answer.headers),
    [SERVED_BY]: String(place),
  });
  await pipeline(answer, res);
}

const passedOn = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_CONNECTION.has(name)));
