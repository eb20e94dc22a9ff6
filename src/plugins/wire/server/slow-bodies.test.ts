import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { answerClientErrors } from './client-errors';
import { boundBodies, isTooSlow } from './slow-bodies';

const KIB = 1024;
const SECOND = 1000;

test.each([
  [0, 60, false],
  [0, 61, true],
  [15 * KIB, 61, true],
  [16 * KIB, 61, false],
  [20 * KIB * KIB, 20 * 60, false],
  [20 * KIB * KIB, 25 * 60, true],
])('%i bytes in %i s are too slow: %s', (bytes, seconds, expected) => {
  expect(isTooSlow(bytes, seconds * SECOND)).toBe(expected);
});

describe('a body', () => {
  let server: Server;
  let client: Socket;
  let received = '';

  beforeEach(async () => {
    // What the sockets themselves need goes on.
    jest.useFakeTimers({
      doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'clearTimeout', 'queueMicrotask'],
    });
    server = createServer({ requestTimeout: 0 }, (req) => req.resume());
    answerClientErrors(server);
    boundBodies(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    received = '';
    client.on('data', (chunk) => (received += chunk.toString()));
    await once(client, 'connect');
  });
  afterEach(() => {
    client.destroy();
    server.close();
    jest.useRealTimers();
  });

  /** Begins a request, and sends this many bytes of its body. */
  async function begin(bytes: number): Promise<void> {
    const begun = once(server, 'request') as Promise<[{ socket: Socket }]>;
    client.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10000000\r\n\r\n');
    const [{ socket }] = await begun;
    const before = socket.bytesRead;
    client.write(Buffer.alloc(bytes));
    while (socket.bytesRead < before + bytes) await new Promise(setImmediate);
  }

  test('that hardly comes is given up after a minute', async () => {
    await begin(10);
    jest.advanceTimersByTime(60 * SECOND);
    expect(client.readyState).toBe('open');
    const closed = once(client, 'close');
    jest.advanceTimersByTime(5 * SECOND);
    await closed;
    expect(received).toMatch(/^HTTP\/1\.1 408 /);
  });

  test('that comes slowly has the time that it takes', async () => {
    await begin(KIB * KIB);
    jest.advanceTimersByTime(2 * 60 * SECOND);
    await new Promise(setImmediate);
    expect([client.readyState, received]).toEqual(['open', '']);
  });
});
