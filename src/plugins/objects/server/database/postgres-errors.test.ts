import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Client, Pool } from 'pg';
import { isPostgresAway } from './postgres-errors';

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'it has not failed',
    (error: unknown) => error,
  );

describe('an error of the driver', () => {
  let server: Server;
  let port: number;
  /** What the server does with a connection: nothing more than taking it, by default. */
  let accept: (socket: Socket) => void = () => undefined;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    server = createServer((socket) => {
      sockets.push(socket.on('error', () => undefined));
      accept(socket);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    accept = () => undefined;
  });
  afterAll(() => server.close());

  const config = () => ({ host: '127.0.0.1', port, user: 'x', connectionTimeoutMillis: 50 });

  test('of a server that stands still means that it is away', async () => {
    const error = await failureOf(new Client(config()).connect());
    expect(error).toMatchObject({ message: 'timeout expired' });
    expect(isPostgresAway(error)).toBe(true);
  });

  test('of a pool whose connections are not answered does, too', async () => {
    const pool = new Pool({ ...config(), max: 1 });
    expect(isPostgresAway(await failureOf(pool.query('select 1')))).toBe(true);
    await pool.end();
  });

  test('of a server that hangs up does, too', async () => {
    accept = (socket) => socket.end();
    expect(isPostgresAway(await failureOf(new Client(config()).connect()))).toBe(true);
  });

  test('of a client that has ended does, too', async () => {
    const client = new Client(config());
    client.on('error', () => undefined);
    await failureOf(client.connect());
    await client.end();
    expect(isPostgresAway(await failureOf(client.query('select 1')))).toBe(true);
  });

  test('of a port that nobody listens at does, too', async () => {
    expect(isPostgresAway(await failureOf(new Client({ ...config(), port: 1 }).connect()))).toBe(
      true,
    );
  });

  test.each([
    [new Error('timeout expired')],
    [new TypeError('Cannot read properties of undefined')],
    [Object.assign(new Error('duplicate key'), { code: '23505', severity: 'ERROR' })],
    [Object.assign(new Error('syntax'), { code: '42601', severity: 'ERROR' })],
    [{ message: 'no error', stack: 'at node_modules/pg/lib/client.js' }],
    ['timeout expired'],
    [undefined],
  ])('and of none: %s is not away', (error) => {
    expect(isPostgresAway(error)).toBe(false);
  });

  test.each(['57P01', '53300', '08006', '42P01', 'ECONNRESET'])(
    'of the code %s does, too',
    (code) => {
      expect(isPostgresAway(Object.assign(new Error('x'), { code }))).toBe(true);
    },
  );
});
