import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { Networks } from './address';
import { boundConnections } from './connections';

/** What nginx and the load balancers of clouds leave an idle connection. */
const KEPT_BY_PROXIES = 60_000;

test.each([
  ['a trusted proxy outlives what the proxy keeps it for', ['127.0.0.1'], true],
  ['anybody else does not', [], false],
])('an idle connection of %s', async (_, trusted, outlives) => {
  const during: (number | undefined)[] = [];
  const server = createServer(({ socket }, res) => {
    during.push(socket.timeout);
    res.end('answered');
  });
  boundConnections(server, new Networks(trusted, () => undefined));
  const connected = once(server, 'connection') as Promise<[Socket]>;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true });
  const ask = async (): Promise<string> => {
    const [answer] = (await once(get({ host: '127.0.0.1', port, agent }), 'response')) as [
      IncomingMessage,
    ];
    return text(answer);
  };
  try {
    while (during.length < 2) {
      expect(await ask()).toBe('answered');
      const [socket] = await connected;
      expect((socket.timeout ?? 0) > KEPT_BY_PROXIES).toBe(outlives);
    }
    // The time for an idle connection does not hold for a request.
    expect(during).toEqual([30_000, 30_000]);
  } finally {
    agent.destroy();
    server.close();
  }
});
