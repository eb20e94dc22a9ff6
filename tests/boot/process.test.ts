import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { freshDatabase, type FreshDatabase } from '../helpers/database';
import { send } from '../helpers/http';
import { until } from '../helpers/until';
import { startProcess, type ServiceProcess } from '../helpers/process';

const LINK = /(\S+)\/first-administrator\?token=([\w-]{43})/;

/** What a start prints. */
function linkOf(service: ServiceProcess): { origin: string; token: string } {
  const [, origin = '', token = ''] = LINK.exec(service.output()) ?? [];
  return { origin, token };
}

/** Prints at the end which packages the main thread has loaded; the threads of the process run this, too. */
const PACKAGES = `
  import { createRequire } from 'node:module';
  import { isMainThread } from 'node:worker_threads';
  const { cache } = createRequire('file:///');
  const packages = () => Object.keys(cache).map((file) => /.*node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(file)?.[1]);
  if (isMainThread) process.on('exit', () => console.log('packages: ' + [...new Set(packages())].join(' ')));`;
const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(PACKAGES)}`;

/** For a browser, where the service is on localhost. */
const ANOTHER_SITE = 'http://127.0.0.1:5173';

const page = async ({ url }: ServiceProcess, token: string): Promise<number> =>
  (await send(url, { method: 'GET', url: `/first-administrator?token=${token}` })).status;

/** Seconds of SIGTERM, which has load balancers that have to notice. */
const GRACE = 3;

/** For some seconds the service is not ready, answers whoever asks, and ends each connection with an answer. */
async function expectGrace({ url }: ServiceProcess): Promise<void> {
  const from = Date.now();
  const ready = (): Promise<Response> => fetch(`${url}/_health/ready`);
  await until('it is not ready', async () => (await ready()).status === 503);
  expect(await (await ready()).json()).toMatchObject({
    checks: { database: true, draining: true },
  });
  const answer = await fetch(`${url}/api/v0/site_settings`);
  expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
  const isOpen = (): Promise<boolean> =>
    ready().then(
      () => true,
      () => false,
    );
  await until('the port is closed', async () => !(await isOpen()));
  expect(Date.now() - from).toBeGreaterThan(GRACE * 1000 - 500);
}

/** A request on a connection that has been opened before the port was closed, and has sent nothing. */
async function expectLateAnswer(silent: Socket): Promise<void> {
  const answer = text(silent);
  silent.write('GET /_health HTTP/1.1\r\nHost: localhost\r\n\r\n');
  expect(await answer).toMatch(/^HTTP\/1\.1 200 OK\r\n(?:.*\r\n)*Connection: close\r\n/i);
}

/** A signal lets the request under way finish, takes no new one, and ends with code 0. */
async function drain(service: ServiceProcess, signal: NodeJS.Signals): Promise<void> {
  const idle = connect(service.port, '127.0.0.1');
  const silent = connect(service.port, '127.0.0.1');
  await Promise.all([once(idle, 'connect'), once(silent, 'connect')]);

  const body = JSON.stringify({ email: 'nobody@example.org', password: 'wrong' });
  const slow = request(`${service.url}/admin/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Content-Length': body.length },
  });
  const answered = once(slow, 'response') as Promise<[IncomingMessage]>;
  slow.write(body.slice(0, 10));
  await sleep(300);

  service.child.kill(signal);
  if (signal === 'SIGTERM') await expectGrace(service);
  else await sleep(500);
  await expectLateAnswer(silent);
  // npm passes on a signal that the terminal has already sent.
  service.child.kill(signal);
  await sleep(100);
  expect(service.child.exitCode).toBeNull();
  await expect(fetch(`${service.url}/_health`)).rejects.toThrow();

  slow.end(body.slice(10));
  const [answer] = await answered;
  expect(answer.statusCode).toBe(400);
  answer.resume();
  expect(await service.ended).toBe(0);
  idle.destroy();
}

describe('a process', () => {
  let database: FreshDatabase;
  let running: ServiceProcess | undefined;
  /** The token of the start before. */
  let before = '';

  beforeAll(async () => {
    database = await freshDatabase();
  });
  beforeEach(async () => {
    running = await startProcess({
      ...database.env,
      NODE_OPTIONS,
      FRONTEND_URL: ANOTHER_SITE,
      SHUTDOWN_GRACE: String(GRACE),
    });
  });
  afterEach(async () => {
    running?.child.kill();
    await running?.ended;
  });
  afterAll(() => database.drop());

  test.each(['SIGTERM', 'SIGINT'] as const)(
    'without an administrator prints a link of its own, which ends the one before, and drains at %s',
    async (signal) => {
      const service = running as ServiceProcess;
      const { origin, token } = linkOf(service);
      expect(origin).toBe(`http://localhost:${service.port}`);
      expect(token).not.toBe(before);
      expect(await page(service, token)).toBe(200);
      expect(await page(service, before)).toBe(404);
      expect(service.output()).toContain(`"message":"listening on ${service.url}`);
      // Printed once, and in no line of the log.
      expect(service.output().split(token).length).toBe(2);
      expect(service.errors()).not.toContain(token);
      before = token;
      const warning = `the frontend ${ANOTHER_SITE} is another site than PUBLIC_URL (${origin})`;
      expect(service.output().split(warning)).toHaveLength(2);
      await drain(service, signal);
      const loaded = /^packages: (.*)$/m.exec(service.output())?.[1]?.split(' ');
      expect(loaded).toContain('@strapi/core');
      // The compiler takes as long to load as all that is ours.
      expect(loaded).not.toContain('typescript');
    },
  );
});
