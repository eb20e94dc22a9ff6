import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { deployed, namesIn } from '../helpers/prometheus';
import { runScript, type ServiceProcess } from '../helpers/process';
import { freePort } from '../helpers/service';
import { until } from '../helpers/until';
import { isLong } from './scale';

const root = join(__dirname, '..', '..');

jest.setTimeout(3_600_000);

/** A line of a Dockerfile: an instruction and what follows. */
interface Instruction {
  readonly name: string;
  readonly rest: string;
}

const instructionsIn = (text: string): Instruction[] =>
  text
    .replace(/\\\n/g, ' ')
    .split('\n')
    .flatMap((line): Instruction[] => {
      const [, name = '', rest = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
      return name === '' ? [] : [{ name, rest }];
    });

const dockerfile = (): Instruction[] =>
  instructionsIn(readFileSync(join(root, 'Dockerfile'), 'utf8'));

test('the image is not of root, and what it copies is there and not left out', () => {
  const instructions = dockerfile();
  const of = (name: string): string[] =>
    instructions.flatMap((one) => (one.name === name ? [one.rest] : []));
  expect(of('USER')).toEqual(['node']);
  expect(new Set(of('FROM').map((from) => from.split(' ')[0]))).toEqual(
    new Set(['node:24-bookworm-slim']),
  );
  const sources = of('COPY')
    .filter((copy) => !copy.startsWith('--from'))
    .flatMap((copy) => copy.split(' ').slice(0, -1));
  expect(sources.length).toBeGreaterThan(8);
  expect(sources.filter((name) => !existsSync(join(root, name)))).toEqual([]);
  const kept = readFileSync(join(root, '.dockerignore'), 'utf8');
  expect(sources.filter((name) => !kept.includes(`\n!${name.replace(/^\.\//, '')}\n`))).toEqual([]);
});

test('each alert has an expression, a text and who is told', () => {
  const alerts = deployed('alerts.yml').split('- alert: ').slice(1);
  expect(alerts).toHaveLength(9);
  for (const alert of alerts) {
    expect(alert).toMatch(/^Oms\w+\n/);
    for (const part of [
      /\n {8}expr: \S/,
      /\n {8}labels: \{ severity: (page|ticket) \}/,
      /summary: '/,
    ])
      expect(alert).toMatch(part);
    expect(namesIn(alert).length).toBeGreaterThan(0);
  }
});

/** The stages of a Dockerfile, each a folder in which its COPY and RUN lines are carried out. */
class Stages {
  private readonly folders = new Map<string, string>();
  private here = '';
  private count = 0;

  constructor(private readonly place: string) {}

  /** What the last stage has in its working directory. */
  get app(): string {
    return join(this.here, 'app');
  }

  carryOut({ name, rest }: Instruction): void {
    if (name === 'FROM') this.begin(/ AS (\w+)$/.exec(rest)?.[1] ?? 'last');
    if (name === 'COPY') this.copy(rest);
    // What belongs to the system of the image cannot be done here.
    if (name === 'RUN' && !/^(apt-get|install -d) /.test(rest)) this.run(rest);
  }

  private begin(stage: string): void {
    this.here = join(this.place, `${(this.count += 1)}-${stage}`);
    mkdirSync(this.app, { recursive: true });
    this.folders.set(stage, this.here);
  }

  private copy(rest: string): void {
    const [, from, given = rest] = /^--from=(\w+) (.*)$/.exec(rest) ?? [];
    const parts = given.split(' ');
    const target = parts.pop() ?? '';
    for (const source of parts) {
      const path =
        from === undefined ? join(root, source) : join(this.folders.get(from) ?? '', source);
      const isInto = target === './' && !this.isFolder(path);
      const to = join(this.app, target, isInto ? (source.split('/').at(-1) ?? '') : '');
      cpSync(path, to, { recursive: true, verbatimSymlinks: true });
    }
  }

  private isFolder(path: string): boolean {
    try {
      return readdirSync(path).length >= 0;
    } catch {
      return false;
    }
  }

  private run(command: string): void {
    const { HOME, PATH } = process.env;
    const { status, stdout, stderr } = spawnSync('bash', ['-c', command], {
      cwd: this.app,
      env: { HOME, PATH },
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`${command}: ${stdout}${stderr}`);
  }
}

/** Packages that compile and bundle, or test. */
const BUILD_TOOLS = [
  'typescript',
  'vite',
  'rollup',
  'webpack',
  'esbuild',
  '@swc',
  'jest',
  'eslint',
];

if (isLong) {
  test('the lines of the Dockerfile make a service out of an empty folder', async () => {
    const place = mkdtempSync(join(tmpdir(), 'oms image '));
    try {
      const stages = new Stages(place);
      const instructions = dockerfile();
      for (const instruction of instructions) stages.carryOut(instruction);
      const names = readdirSync(stages.app).sort();
      expect(names).toEqual(['dist', 'node_modules', 'package.json', 'public', 'src']);
      expect(
        BUILD_TOOLS.filter((name) => existsSync(join(stages.app, 'node_modules', name))),
      ).toEqual([]);
      expect(readdirSync(join(stages.app, 'src', 'plugins', 'panel'))).toEqual(['package.json']);
      const last = instructions.at(-1)?.rest ?? '[]';
      const [, ...args] = JSON.parse(last) as string[];
      const port = await freePort();
      const { PATH } = process.env;
      const child = spawn(process.execPath, args, {
        cwd: stages.app,
        env: {
          PATH,
          NODE_ENV: 'production',
          PORT: String(port),
          OMS_DATA_DIR: join(place, 'data'),
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let said = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
      const url = `http://127.0.0.1:${port}`;
      const answers = (): Promise<boolean> =>
        fetch(`${url}/_health/ready`).then(
          ({ ok }) => ok,
          () => false,
        );
      for (let tries = 0; !(await answers()); tries += 1) {
        if (child.exitCode !== null || tries > 240) throw new Error(said);
        await sleep(500);
      }
      expect((await fetch(`${url}/admin`)).status).toBe(200);
      const settings = await fetch(`${url}/api/v0/site_settings`);
      expect([settings.status, ((await settings.json()) as { success: boolean }).success]).toEqual([
        200,
        true,
      ]);
      child.kill('SIGINT');
      expect((await once(child, 'exit'))[0]).toBe(0);
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  });

  describe('behind nginx', () => {
    let folder = '';
    let service: ServiceProcess;
    let nginx: ChildProcess;
    let [plain, secure] = [0, 0];

    /** The program, of PATH or of NGINX. */
    const program = process.env['NGINX'] ?? 'nginx';

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'oms-nginx-'));
      // The workers of an nginx that root has started are of another user.
      chmodSync(folder, 0o755);
      [plain, secure] = [await freePort(), await freePort()];
      service = await runScript('start', {
        OMS_DATA_DIR: join(folder, 'data'),
        PUBLIC_URL: `https://oms.example.org`,
        TRUSTED_PROXIES: '127.0.0.1',
        METRICS_TOKEN: 'a-token-for-those-who-watch-the-service',
      });
      const answers = (): Promise<boolean> =>
        fetch(`${service.url}/_health`).then(
          ({ ok }) => ok,
          () => false,
        );
      while (!(await answers())) await sleep(200);
      const [key, certificate] = ['key', 'certificate'].map((name) => join(folder, `${name}.pem`));
      const made = spawnSync('openssl', [
        ...[
          'req',
          '-x509',
          '-newkey',
          'rsa:2048',
          '-nodes',
          '-days',
          '1',
          '-subj',
          '/CN=oms.example.org',
        ],
        ...['-keyout', key ?? '', '-out', certificate ?? ''],
      ]);
      expect(made.status).toBe(0);
      const site = deployed('nginx.conf')
        .replace('127.0.0.1:1337', `127.0.0.1:${service.port}`)
        .replace('listen 80;', `listen 127.0.0.1:${plain};`)
        .replace('listen 443 ', `listen 127.0.0.1:${secure} `)
        .replace('/etc/ssl/certs/oms.example.org.pem', certificate ?? '')
        .replace('/etc/ssl/private/oms.example.org.key', key ?? '')
        .replace('/var/cache/nginx/oms', join(folder, 'cache'));
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map((name) => `${name}_temp_path ${join(folder, name)};`)
        .join('\n');
      const file = join(folder, 'nginx.conf');
      writeFileSync(
        file,
        `pid ${join(folder, 'pid')}; error_log stderr; daemon off; events {}\nhttp { access_log off; ${temporary}\n${site} }`,
      );
      const args = ['-c', file, '-p', dirname(file), '-e', 'stderr'];
      const tested = spawnSync(program, ['-t', ...args], { encoding: 'utf8' });
      expect([tested.status, tested.stderr]).toEqual([0, expect.stringContaining('successful')]);
      expect(tested.stderr).not.toContain('[warn]');
      nginx = spawn(program, args, { stdio: 'ignore' });
      await until('nginx answers', () =>
        fetch(`http://127.0.0.1:${plain}/`, { redirect: 'manual' }).then(
          () => true,
          () => false,
        ),
      );
    });
    afterAll(async () => {
      nginx.kill('SIGQUIT');
      service.child.kill('SIGINT');
      await Promise.all([once(nginx, 'exit'), service.ended]);
      rmSync(folder, { recursive: true, force: true });
    });

    async function get(path: string, headers = {}): Promise<[number | undefined, string]> {
      const asked = request({
        ...{ host: '127.0.0.1', port: secure, path, rejectUnauthorized: false },
        headers: { Host: 'oms.example.org', ...headers },
      });
      asked.end();
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      let text = '';
      for await (const chunk of answer as AsyncIterable<Buffer>) text += chunk.toString();
      return [answer.statusCode, text];
    }

    test('requests reach the service, with the address of who sends them and no other', async () => {
      const moved = await fetch(`http://127.0.0.1:${plain}/admin`, {
        redirect: 'manual',
      });
      expect(moved.status).toBe(301);
      expect((await get('/api/v0/site_settings', { 'X-Forwarded-For': '192.0.2.1' }))[0]).toBe(200);
      expect((await get('/admin'))[0]).toBe(200);
      const token = { Authorization: 'Bearer a-token-for-those-who-watch-the-service' };
      expect((await get('/metrics', token))[0]).toBe(404);
      expect((await fetch(`${service.url}/metrics`, { headers: token })).status).toBe(200);
      expect((await get('/api/v0/asset/00000000-0000-4000-8000-000000000000/file'))[0]).toBe(402);
    });
  });
}
