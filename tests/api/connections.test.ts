import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { databaseOf } from '#app/plugins/objects/server';
import { uuid } from '../helpers/ids';
import { at, parsed } from '../helpers/json';
import { send, type Answer } from '../helpers/http';
import { talk, type Conversation } from '../helpers/raw';
import { until } from '../helpers/until';
import { expectUnchanged, snapshot } from '../helpers/snapshot';
import { useWorld } from '../helpers/world';

/** What no HTTP library would send, byte by byte. */
const world = useWorld();
const SEEN = uuid(1);

const HOST = 'Host: localhost\r\n';
const CLOSE = 'Connection: close\r\n';
const JSON_TYPE = 'Content-Type: application/json\r\n';
const POST = `POST /api/v0/encounter HTTP/1.1\r\n${HOST}${JSON_TYPE}`;
const GET = `GET /api/v0/encounter/${SEEN} HTTP/1.1\r\n${HOST}`;

beforeAll(() => world().create('encounter', { id: SEEN }));

const ask = (parts: string | readonly (string | Buffer)[], options = {}): Promise<Conversation> =>
  talk(world().service.url, typeof parts === 'string' ? [parts] : parts, options);

/** The envelope of a request that never became one. */
function expectRefusal({ status, headers, text }: Answer, expected: number): void {
  expect(status).toBe(expected);
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(headers['x-content-type-options']).toBe('nosniff');
  expect(headers.connection).toBe('close');
  expect(parsed(text)).toEqual({
    success: false,
    response: {},
    transactionId: headers['x-transaction-id'],
    message: { key: 'API_RESPONSE_MALFORMED', args: {} },
  });
}

async function expectAlive(): Promise<void> {
  const { status } = await send(world().service.url, {
    method: 'GET',
    url: `/api/v0/encounter/${SEEN}`,
  });
  expect(status).toBe(200);
}

describe('a request that never becomes one', () => {
  const garbage: readonly [string, string | Buffer, number?][] = [
    ['no HTTP at all', 'HELLO\r\n\r\n'],
    ['TLS', Buffer.from('16030100a5010000a10303', 'hex')],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a method that is none', `FOO /api/v0/encounter HTTP/1.1\r\n${HOST}\r\n`],
    ['a method in lower case', `get /api/v0/encounter HTTP/1.1\r\n${HOST}\r\n`],
    ['a version that is none', `GET /api/v0/encounter HTTP/9.9\r\n${HOST}\r\n`],
    ['a blank in the target', `GET /api/v0/a b HTTP/1.1\r\n${HOST}\r\n`],
    ['a header without a colon', `${GET}nonsense\r\n\r\n`],
    ['a control character in a header', `${GET}X: a\0b\r\n\r\n`],
    ['a length that is no number', `${POST}Content-Length: two\r\n\r\n{}`],
    ['a negative length', `${POST}Content-Length: -2\r\n\r\n{}`],
    ['two lengths', `${POST}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`],
    ['a length and chunks', `${POST}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`],
    ['a chunk without a length', `${POST}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n`],
    ['two hosts', `${GET}${HOST}\r\n`],
    ['a second host', `${GET}Host: other.example\r\n\r\n`],
    ['no host', `GET /api/v0/encounter/${SEEN} HTTP/1.1\r\n\r\n`],
    ['headers beyond all bounds', `${GET}X: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['headers without end', `${GET}${'X: abcdefgh\r\n'.repeat(5000)}\r\n`, 431],
    [
      'a target beyond all bounds',
      `GET /api/v0/${'a'.repeat(20_000)} HTTP/1.1\r\n${HOST}\r\n`,
      431,
    ],
  ];
  test.each(garbage)(
    'for %s is refused in the envelope, and the connection is closed',
    async (_, bytes, status = 400) => {
      const before = await snapshot(world().service);
      const { answers, closed } = await ask([bytes]);
      expect(answers).toHaveLength(1);
      expectRefusal(answers[0] as Answer, status);
      expect(closed).toBe(true);
      await expectUnchanged(world().service, before);
      await expectAlive();
    },
  );

  test('is refused without a body where none may follow', async () => {
    const bytes = `HEAD /api/v0/${'a'.repeat(20_000)} HTTP/1.1\r\n${HOST}\r\n`;
    const { answers, closed } = await ask([bytes]);
    expect(answers.map(({ status, text }) => [status, text])).toEqual([[431, '']]);
    expect(closed).toBe(true);
  });

  test('for lack of time is refused in the envelope', async () => {
    const { httpServer } = world().service.strapi.server;
    const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    httpServer.once('connection', (socket: unknown) =>
      setImmediate(() => httpServer.emit('clientError', late, socket)),
    );
    const { answers, closed } = await ask('GET /api/v0/encounter HTTP/1.1\r\n');
    expectRefusal(answers[0] as Answer, 408);
    expect(closed).toBe(true);
  });
});

describe('a body that is cut off', () => {
  test.each<[string, string[], object]>([
    [
      'by the end of what is sent',
      [`${POST}Content-Length: 100\r\n\r\n{"locality":`],
      { end: true },
    ],
    [
      'in the middle of a chunk',
      [`${POST}Transfer-Encoding: chunked\r\n\r\nff\r\n{"loc`],
      { end: true },
    ],
    [
      'by a connection that breaks',
      [`${POST}Content-Length: 100\r\n\r\n{"locality":`],
      { silence: 60 },
    ],
  ])('%s makes nothing', async (_, parts, options) => {
    const before = await snapshot(world().service);
    const { answers } = await ask(parts, options);
    for (const answer of answers) expectRefusal(answer, 400);
    await expectAlive();
    await expectUnchanged(world().service, before);
  });

  test('by what is no chunk, after it was refused, has one answer', async () => {
    const socket = connect(Number(new URL(world().service.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    const length = 2_000_000;
    socket.write(`${POST}Transfer-Encoding: chunked\r\n\r\n${length.toString(16)}\r\n`);
    socket.write(Buffer.alloc(length, 'x'));
    let received = '';
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
    await once(socket, 'data');
    socket.write('no chunk\r\n\r\n');
    await once(socket, 'close');
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413']);
    await expectAlive();
  });

  test('by its own length is malformed, and what is left over is no request', async () => {
    const before = await snapshot(world().service);
    const { answers, closed } = await ask(`${POST}Content-Length: 2\r\n\r\n{"locality":"here"}`);
    expect([[400], [400, 400]]).toContainEqual(answers.map(({ status }) => status));
    expect(closed).toBe(true);
    await expectAlive();
    await expectUnchanged(world().service, before);
  });
});

describe('a connection', () => {
  const next = `GET /api/v0/nothing HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`;
  const statuses = ({ answers }: Conversation): number[] => answers.map(({ status }) => status);

  test('answers several requests in their order', async () => {
    const answered = await ask([`${POST}Content-Length: 2\r\n\r\n{}${GET}\r\n`, next]);
    expect(statuses(answered)).toEqual([200, 200, 404]);
  });

  test('carries out what is sent at once in its order, though a reading takes less time than a change', async () => {
    const change = (text: string): string => {
      const body = JSON.stringify({ locality: text });
      return `PUT /api/v0/encounter/${SEEN} HTTP/1.1\r\n${HOST}${JSON_TYPE}Content-Length: ${body.length}\r\n\r\n${body}`;
    };
    const parts = ['one', 'two', 'three'].flatMap((text) => [change(text), `${GET}\r\n`]);
    const { answers } = await ask([parts.join(''), next]);
    const read = answers.filter((_, n) => n % 2 === 1);
    expect(read.map(({ text }) => at(parsed(text), 'response', 'locality'))).toEqual([
      'one',
      'two',
      'three',
    ]);
  });

  test('is refused after the seventeenth request without waiting for an answer, and disconnected', async () => {
    const { answers, closed } = await ask(`${GET}\r\n`.repeat(100));
    expect(statuses({ answers, closed })).toEqual([...Array<number>(17).fill(200), 503]);
    expect(answers.at(-1)?.headers).toMatchObject({ 'retry-after': '1', connection: 'close' });
    expect(at(parsed(answers.at(-1)?.text ?? ''), 'message', 'key')).toBe(
      'API_RESPONSE_UNAVAILABLE',
    );
    expect(closed).toBe(true);
    await expectAlive();
  });

  test('is cut off when it floods', async () => {
    const { closed } = await ask(`${GET}\r\n`.repeat(1000));
    expect(closed).toBe(true);
    await expectAlive();
  });

  test.each([
    [
      'a body that is too large by its length',
      `${POST}Content-Length: 2097152\r\n\r\n`,
      ' '.repeat(2 ** 21),
    ],
    [
      'a body that is too large in chunks',
      `${POST}Transfer-Encoding: chunked\r\n\r\n`,
      `200000\r\n${' '.repeat(2 ** 21)}\r\n0\r\n\r\n`,
    ],
    [
      'a body of another type',
      `POST /api/v0/encounter HTTP/1.1\r\n${HOST}Content-Length: 2\r\n\r\n`,
      '{}',
    ],
    [
      'a body at a path that does not exist',
      `POST /api/v0/nothing HTTP/1.1\r\n${HOST}Content-Length: 2\r\n\r\n`,
      '{}',
    ],
  ])('is closed or goes on after %s', async (_, head, bytes) => {
    const conversation = await ask([head, bytes, next]);
    const [refused, ...rest] = conversation.answers;
    expect([404, 413, 415]).toContain(refused?.status);
    if (refused?.headers.connection !== 'close')
      expect(rest.map(({ status }) => status)).toEqual([404]);
    expect(conversation.closed).toBe(true);
  });

  test('gets 100 Continue before a large body is sent', async () => {
    const { answers } = await ask(
      `${POST}${CLOSE}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}`,
    );
    expect(answers.map(({ status }) => status)).toEqual([200]);
  });

  test.each([
    [
      'an expectation that nobody knows',
      `${POST}${CLOSE}Expect: the-unexpected\r\nContent-Length: 2\r\n\r\n{}`,
      200,
    ],
    [
      'the wish for another protocol',
      `${GET}Connection: upgrade, close\r\nUpgrade: websocket\r\n\r\n`,
      200,
    ],
    ['HTTP/1.0', `GET /api/v0/encounter/${SEEN} HTTP/1.0\r\n\r\n`, 200],
    [
      'a target with scheme and host',
      `GET http://localhost/api/v0/encounter/${SEEN}?fields=id HTTP/1.1\r\n${HOST}${CLOSE}\r\n`,
      200,
    ],
    [
      'a target with another scheme',
      `GET ftp://localhost/api/v0/encounter/${SEEN} HTTP/1.1\r\n${HOST}${CLOSE}\r\n`,
      200,
    ],
  ])('serves %s', async (_, bytes, status) => {
    const { answers } = await ask(bytes);
    expect(answers.map((answer) => answer.status)).toEqual([status]);
    expect(at(parsed(answers[0]?.text ?? ''), 'success')).toBe(true);
  });

  test('of a tunnel is closed', async () => {
    const { answers, closed } = await ask(`CONNECT /api/v0/encounter HTTP/1.1\r\n${HOST}\r\n`);
    expect(answers).toEqual([]);
    expect(closed).toBe(true);
    await expectAlive();
  });
});

describe('a connection', () => {
  const count = (): Promise<number> => {
    const { httpServer } = world().service.strapi.server;
    return promisify(httpServer.getConnections.bind(httpServer))();
  };
  const port = (): number => Number(new URL(world().service.url).port);

  test.each([
    ['of a body that is too large', `${POST}Content-Length: 2000000\r\n\r\n{`, 413],
    ['of what is no HTTP', 'HELLO\r\n\r\n', 400],
  ])('%s is destroyed, whether or not the other side ends', async (_, bytes, status) => {
    await until('all others are gone', async () => (await count()) === 0);
    // Its own half stays open, and nothing is ever read of the answer.
    const socket = connect({ port: port(), host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(bytes);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    socket.pause();
    await until('it is destroyed', async () => (await count()) === 0);
    expect(socket.writable).toBe(true);
    socket.destroy();
  });

  describe('on which nothing has moved for half a minute', () => {
    /** The service's ends of connections, whose clocks are told that the time is over. */
    const sockets: Socket[] = [];
    const remember = (socket: Socket): void => void sockets.push(socket);
    beforeAll(() => world().service.strapi.server.httpServer.on('connection', remember));
    afterAll(() => world().service.strapi.server.httpServer.off('connection', remember));

    test('is kept while the service works on an answer', async () => {
      const database = databaseOf(world().service.strapi);
      const read = database.read.bind(database);
      let begun = false;
      let goOn = (): void => undefined;
      const gate = new Promise<void>((resolve) => (goOn = resolve));
      jest.spyOn(database, 'read').mockImplementationOnce(async (...args) => {
        begun = true;
        await gate;
        return read(...args);
      });
      const answer = ask(`${GET}${CLOSE}\r\n`);
      await until('it is worked on', () => begun);
      sockets.at(-1)?.emit('timeout');
      goOn();
      expect((await answer).answers.map(({ status }) => status)).toEqual([200]);
    });

    test('is closed while a request is half sent', async () => {
      const socket = connect(Number(new URL(world().service.url).port), '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(GET);
      await until('it has come', () => sockets.at(-1)?.bytesRead === GET.length);
      sockets.at(-1)?.emit('timeout');
      await once(socket, 'close');
    });
  });

  test('is refused to a host that has 400, and to nobody else', async () => {
    await until('all others are gone', async () => (await count()) === 0);
    const sockets: Socket[] = [];
    let closed = 0;
    const open = async (localAddress: string): Promise<Socket> => {
      const socket = connect({ port: port(), host: '127.0.0.1', localAddress });
      sockets.push(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => (closed += 1));
      await once(socket, 'connect');
      return socket;
    };
    const serves = async (socket: Socket): Promise<boolean> => {
      socket.write(`${GET}\r\n`);
      const answered = once(socket, 'data').then(([data]) => String(data).includes(' 200 '));
      return Promise.race([answered, once(socket, 'close').then(() => false)]);
    };
    try {
      for (let opened = 0; opened < 405; opened += 1) await open('127.0.0.1');
      await until('five are refused', () => closed === 5);
      expect(await serves(await open('127.0.0.2'))).toBe(true);
      sockets[0]?.destroy();
      await until('one is free', async () => (await count()) === 400);
      expect(await serves(await open('127.0.0.1'))).toBe(true);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
    await until('all are gone', async () => (await count()) === 0);
  });
});
