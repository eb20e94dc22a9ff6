// @long
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { query } from '../helpers/beside';
import { startCollector, type Collector, type SeenSpan } from '../helpers/collector';
import { freshDatabase, type FreshDatabase } from '../helpers/database';
import { send } from '../helpers/http';
import { deployed, namesIn, readMetrics } from '../helpers/prometheus';
import { freePort } from '../helpers/service';
import { until } from '../helpers/until';
import { runScript, startProcess, type ServiceProcess } from '../helpers/process';

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

/** The first of the jobs of a start has ended. @param since milliseconds since 1970 */
const jobHasRun = (database: FreshDatabase, since: number): Promise<void> =>
  until('the job has run', async () => {
    const [row] = await query(database, `select ended_at from oms_jobs where name = 'expired'`);
    return Number(row?.['ended_at']) > since;
  });

/** Beside the service, the doctor says what to do, a line each; a variable that is misspelled is noticed at the start, too. */
async function expectDoctor(service: ServiceProcess, env: FreshDatabase['env']): Promise<void> {
  expect(service.output()).toContain('SMPT_URL is no variable of this service; SMTP_URL is');
  const doctor = await runScript('doctor', { ...env, SMPT_URL: 'smtp://mail.example.org' });
  expect([await doctor.ended, doctor.errors()]).toEqual([1, '']);
  const lines = doctor.output().split('\n');
  for (const line of [
    'wrong  variables: SMPT_URL is no variable of this service; SMTP_URL is: correct or remove it',
    expect.stringMatching(/^(ok|look) {3,5}node: v\d+/),
    expect.stringMatching(/^ok {5}modes: .* is for its user alone$/),
    expect.stringMatching(/^look {3}mail: SMTP_URL is empty/),
    expect.stringMatching(/^look {3}backup: none was made: set BACKUP_AT/),
    expect.stringMatching(/^ok {5}release: \S+; the database was last migrated by \S+$/),
    expect.stringMatching(
      /^ok {5}storage: the folder of files and the secret are those of the database$/,
    ),
    expect.stringMatching(/^ok {5}clock: /),
    expect.stringMatching(
      /^ok {5}job expired: last run \S+ \w+ ago, which took \S+ s; next in \d+ min$/,
    ),
    expect.stringMatching(/^ok {5}job files: has not run yet; next in \d+ min$/),
    expect.stringMatching(/^ok {5}job mails: /),
  ])
    expect(lines).toContainEqual(line);
}

const TOKEN = 'a-token-for-those-who-watch-the-service';

/** Metrics are told on their own port, to who has the token; they have the names that dashboard and alerts use. */
async function expectMetrics({ url }: ServiceProcess, port: number): Promise<void> {
  const get = (path: string, token?: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
    });
  for (const token of [undefined, '', 'wrong', `${TOKEN}x`]) {
    const refused = await get('/metrics', token);
    expect([token, refused.status, await refused.text()]).toEqual([token, 401, 'unauthorized\n']);
  }
  expect((await get('/', TOKEN)).status).toBe(404);
  expect(
    (await fetch(`${url}/metrics`, { headers: { Authorization: `Bearer ${TOKEN}` } })).status,
  ).toBe(404);
  const told = async () => readMetrics(await (await get('/metrics', TOKEN)).text());
  const task = { task: 'expired' };
  // It begins with the service, and what the database tells is looked up every ten seconds.
  await until(
    'the job has run',
    async () =>
      ((await told()).value('oms_job_next_run_timestamp_seconds', task) ?? 0) > Date.now() / 1000,
    60,
  );
  const secret = 'q-of-somebody@example.org';
  await fetch(`${url}/api/v0/search/encounter?q=${secret}`);
  await fetch(`${url}/api/v0/encounter/${secret}`);
  await fetch(`${url}/api/v0/nothing-of-${secret}`);
  await fetch(`${url}/admin`);
  const answer = await get('/metrics', TOKEN);
  const text = await answer.text();
  expect([answer.status, text]).toEqual([200, expect.not.stringContaining('example.org')]);
  const metrics = readMetrics(text);
  const requests = (method: string, route: string, status: string): number | undefined =>
    metrics.value('oms_http_requests_total', { method, route, status });
  expect([
    requests('GET', '/api/v0/search/{type}', '200') ??
      requests('GET', '/api/v0/search/encounter', '200'),
    requests('any', 'unmatched', '404'),
    requests('any', 'panel', '200') ?? requests('any', 'panel', '302'),
    metrics.value('oms_refusals_total', { key: 'API_RESPONSE_PATH_NOT_FOUND' }) ??
      metrics.value('oms_refusals_total', { key: 'PATH_NOT_FOUND' }),
  ]).toEqual([1, 1, 1, 1]);
  expect([metrics.value('oms_ready'), metrics.value('oms_metrics_failed')]).toEqual([1, 0]);
  expect(metrics.value('oms_objects', { type: 'user', state: '' })).toBe(0);
  expect(metrics.value('oms_backup_last_success_timestamp_seconds')).toBe(0);
  const ofJob = (name: string) => metrics.value(`oms_job_${name}`, task) ?? -1;
  const now = Date.now() / 1000;
  expect(ofJob('failures')).toBe(0);
  expect(ofJob('duration_seconds')).toBeGreaterThanOrEqual(0);
  expect(Math.abs(ofJob('last_run_timestamp_seconds') - now)).toBeLessThan(120);
  expect(ofJob('next_run_timestamp_seconds')).toBeGreaterThan(now);
  expect(metrics.value('oms_database_bytes')).toBeGreaterThan(100_000);
  // Of another database: it is not told as zero.
  expect(metrics.value('oms_database_connections')).toBeUndefined();
  expect(metrics.series).toBeLessThan(1000);
  for (const file of ['dashboard.json', 'alerts.yml']) {
    const used = namesIn(deployed(file));
    expect(used.length).toBeGreaterThan(8);
    expect([file, used.filter((name) => !metrics.names.has(name))]).toEqual([file, []]);
  }
}

const TRANSACTION = 'a1b2c3d4-0000-4000-8000-00000000000a';
const STRANGERS = '0af7651916cd43dd8448eb211c80319c';

/** What a trace should have: asked for before the service ends, which sends what is left. */
async function askForTraces({ url }: ServiceProcess): Promise<void> {
  const secret = 'traced@example.org';
  const headers = {
    'Content-Type': 'application/json',
    'X-Transaction-Id': TRANSACTION,
    // Of a stranger: it begins no trace here.
    traceparent: `00-${STRANGERS}-b7ad6b7169203331-01`,
  };
  await fetch(`${url}/api/v0/search/encounter?q=${secret}`, { headers });
  await fetch(`${url}/api/v0/nothing-of-${secret}`);
  await fetch(`${url}/admin`);
  await fetch(`${url}/api/v0/login`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ username: secret, password: 'wrong one of mine' }),
  });
}

function expectTraces(collector: Collector): void {
  expect(collector.text()).not.toContain('example.org');
  expect(collector.text()).not.toContain(STRANGERS);
  expect(collector.resource()).toMatchObject({
    'service.name': 'object-management-service',
    'service.version': expect.stringMatching(/^\d/) as string,
  });
  const spans = collector.spans();
  const named = (name: string) => spans.filter((span) => span.name === name);
  const [search] = named('GET /api/v0/search/encounter').slice(-1);
  expect(search).toMatchObject({
    kind: 2,
    parentSpanId: '',
    status: 0,
    attributes: {
      'http.request.method': 'GET',
      'http.route': '/api/v0/search/encounter',
      'http.response.status_code': 200,
      'oms.transaction_id': TRANSACTION,
    },
  });
  const below = (of: SeenSpan | undefined) =>
    spans.filter(
      ({ parentSpanId, traceId }) => parentSpanId === of?.spanId && traceId === of.traceId,
    );
  const texts = below(search).map(({ attributes }) => attributes['db.query.text']);
  expect(texts).toContainEqual(expect.stringMatching(/oms_search_encounters(?:.|\n)* limit \?/));
  expect(below(search)[0]).toMatchObject({ kind: 3, attributes: { 'db.system.name': 'sqlite' } });
  expect(named('GET').map(({ attributes }) => attributes)).toContainEqual(
    expect.objectContaining({ 'http.response.status_code': 404, 'oms.refusal': 'PATH_NOT_FOUND' }),
  );
  const [login] = named('POST /api/v0/login');
  // A refusal is no failure.
  expect([login?.status, login?.attributes['oms.refusal']]).toEqual([0, 'LOGIN_FAILED']);
  const parts = below(login);
  expect(parts.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['hash password', 'transaction']),
  );
  const statements = below(parts.find(({ name }) => name === 'transaction'));
  expect(statements.map(({ name }) => name)).toContain('INSERT');
  expect(named('GET panel')[0]).toMatchObject({ kind: 2, attributes: { 'http.route': 'panel' } });
  expect(named('job expired')[0]).toMatchObject({ kind: 1, parentSpanId: '' });
}

describe('a process', () => {
  let collector: Collector;
  let database: FreshDatabase;
  let running: ServiceProcess | undefined;
  let metricsPort = 0;
  /** The token of the start before. */
  let before = '';

  beforeAll(async () => {
    database = await freshDatabase();
    metricsPort = await freePort();
    collector = await startCollector();
  });
  afterEach(async () => {
    running?.child.kill();
    await running?.ended;
  });
  afterAll(async () => {
    await collector.close();
    await database.drop();
  });

  test.each(['SIGTERM', 'SIGINT'] as const)(
    'without an administrator prints a link of its own, which ends the one before, and drains at %s',
    async (signal) => {
      const isTraced = signal === 'SIGINT';
      const since = Date.now();
      const service = await startProcess({
        ...database.env,
        ...(isTraced && collector.env),
        NODE_OPTIONS,
        FRONTEND_URL: ANOTHER_SITE,
        SHUTDOWN_GRACE: String(GRACE),
        METRICS_PORT: String(metricsPort),
        METRICS_TOKEN: TOKEN,
        SMPT_URL: 'smtp://user:hush@mail.example.org',
      });
      running = service;
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
      if (isTraced) {
        await jobHasRun(database, since);
        await expectDoctor(service, database.env);
        await askForTraces(service);
      } else await expectMetrics(service, metricsPort);
      expect(service.output()).not.toContain('hush');
      await drain(service, signal);
      const loaded = /^packages: (.*)$/m.exec(service.output())?.[1]?.split(' ');
      expect(loaded).toContain('@strapi/core');
      // The compiler takes as long to load as all that is ours.
      expect(loaded).not.toContain('typescript');
      // Strapi reads the package.json of each of our dependencies. This package is a dependency of one of them alone.
      expect(loaded?.includes('@opentelemetry/otlp-transformer')).toBe(isTraced);
      if (isTraced) expectTraces(collector);
    },
  );
});
