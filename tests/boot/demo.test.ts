import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runScript, type ServiceProcess } from '../helpers/process';

const PANEL = join(__dirname, '..', '..', 'dist', 'build', 'index.html');

/** What a service that is no demo is told: none of it counts. */
const ANOTHER = {
  DATABASE_CLIENT: 'postgres',
  DATABASE_URL: 'postgres://root@127.0.0.1:1/none',
  PUBLIC_URL: 'https://oms.example.org',
  SMTP_URL: 'smtp://127.0.0.1:1',
  OMS_ADMIN_EMAIL: 'ana@example.org',
  OMS_ADMIN_PASSWORD: 'a long one, please',
};

describe('the demo', () => {
  let dataDir: string;
  const demo = (): string => join(dataDir, 'demo');

  beforeAll(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'oms demo '));
  });
  afterAll(() => rmSync(dataDir, { recursive: true }));

  test('prints where to begin, and each start prints its three accounts again', async () => {
    const first = await welcomed();
    const accounts = accountsIn(first);
    expect(accounts.map(({ email }) => email)).toEqual([
      'administrator@example.org',
      'moderator@example.org',
      'user@example.org',
    ]);
    const statuses: number[][] = [];
    for (const { email, password } of accounts) {
      const panel = await post(`${first.url}/admin/login`, { email, password });
      const api = await post(`${first.url}/api/v0/login`, { username: email, password });
      statuses.push([panel.status, api.status]);
    }
    expect(statuses).toEqual([
      [200, 200],
      [200, 200],
      [400, 200],
    ]);
    expect(first.output()).not.toContain('first-administrator');
    expect(first.output()).toContain(join(demo(), 'mail'));
    const addresses = (first.output().match(/http:\S+$/gm) ?? []).filter(
      (address) => !address.endsWith('/admin') || existsSync(PANEL),
    );
    expect(addresses.length).toBeGreaterThan(1);
    for (const address of addresses)
      expect([address, (await fetch(address)).status]).toEqual([address, 200]);
    await stop(first);
    expect(readdirSync(dataDir)).toEqual(['demo']);
    expect(statSync(join(demo(), 'passwords.json')).mode & 0o777).toBe(0o600);

    const second = await welcomed();
    expect(accountsIn(second)).toEqual(accounts);
    await refusesFresh();
    await stop(second);
    const third = await welcomed('--fresh');
    expect(accountsIn(third)).toHaveLength(3);
    expect(accountsIn(third)).not.toEqual(accounts);
    await stop(third);
  });

  test('takes reports from anybody and changes from nobody, and is there for frontends of this machine', async () => {
    const service = await welcomed();
    const report = await post(`${service.url}/api/v0/encounter`, {});
    const { response } = (await report.json()) as { response: { id: string } };
    expect(report.status).toBe(200);
    const change = { method: 'PUT', headers: JSON_TYPE, body: '{}' };
    const url = `${service.url}/api/v0/encounter/${response.id}`;
    expect((await fetch(url, change)).status).toBe(401);
    expect((await post(`${service.url}/api/v0/taxonomy`, {})).status).toBe(401);
    const allowed: Record<string, string | null> = {};
    for (const origin of [
      'http://localhost:5173',
      'http://127.0.0.1:3000',
      'http://localhost.example.org',
      'https://stranger.example',
    ])
      allowed[origin] = (await fetch(url, { headers: { Origin: origin } })).headers.get(
        'access-control-allow-origin',
      );
    expect(allowed).toEqual({
      'http://localhost:5173': 'http://localhost:5173',
      'http://127.0.0.1:3000': 'http://127.0.0.1:3000',
      'http://localhost.example.org': null,
      'https://stranger.example': null,
    });
    await stop(service);
  });

  const JSON_TYPE = { 'Content-Type': 'application/json' };

  const post = (url: string, body: object): Promise<Response> =>
    fetch(url, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) });

  const accountsIn = (service: ServiceProcess): { email: string; password: string }[] =>
    [...service.output().matchAll(/^ {2}(\S+@\S+) +password (\S+)$/gm)].map(
      ([, email = '', password = '']) => ({ email, password }),
    );

  async function refusesFresh(): Promise<void> {
    const other = await runScript('demo', { OMS_DATA_DIR: dataDir, ...ANOTHER }, ['--fresh']);
    expect(await other.ended).toBe(1);
    expect(other.errors()).toContain('is in use by another process');
  }

  async function welcomed(...args: string[]): Promise<ServiceProcess> {
    const service = await runScript('demo', { OMS_DATA_DIR: dataDir, ...ANOTHER }, args);
    for (let waited = 0; !service.output().includes('Stop it with'); waited += 100) {
      if (service.child.exitCode !== null || waited > 150_000) throw new Error(service.errors());
      await sleep(100);
    }
    expect(service.errors()).toBe('');
    return service;
  }

  async function stop(service: ServiceProcess): Promise<void> {
    service.child.kill('SIGTERM');
    expect(await service.ended).toBe(0);
  }
});
