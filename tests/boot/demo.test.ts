import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runScript, type ServiceProcess } from '../helpers/process';

describe('the demo', () => {
  let dataDir: string;

  beforeAll(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'oms demo '));
  });
  afterAll(() => rmSync(dataDir, { recursive: true }));

  test('says where to click and what to ask, makes an account of each role, and keeps its data', async () => {
    const first = await welcomed();
    const lines = [...first.output().matchAll(/(\S+@\S+)\s+password (\S+) \(shown this once\)/g)];
    const accounts = lines.map(([, email = '', password = '']) => ({ email, password }));
    expect(accounts.map(({ email }) => email)).toEqual([
      'administrator@example.org',
      'moderator@example.org',
      'user@example.org',
    ]);
    const statuses: number[][] = [];
    for (const { email, password } of accounts) {
      const panel = await post(`${first.url}/admin/login`, { email, password });
      const api = await post(`${first.url}/api/v0/login`, { username: email, password });
      statuses.push([panel, api]);
    }
    expect(statuses).toEqual([
      [200, 200],
      [200, 200],
      [400, 200],
    ]);
    expect(first.output()).not.toContain('first-administrator');
    await stop(first);

    const second = await welcomed();
    expect(second.output()).toContain('with the password that the first start showed');
    for (const { password } of accounts) expect(second.output()).not.toContain(password);
    await stop(second);
  });

  test('keeps to a folder and a database of its own', async () => {
    const service = await welcomed({
      DATABASE_CLIENT: 'postgres',
      DATABASE_URL: 'postgres://root@127.0.0.1:1/none',
    });
    await stop(service);
    expect(readdirSync(dataDir)).toEqual(['demo']);
  });

  async function post(url: string, body: object): Promise<number> {
    const headers = { 'Content-Type': 'application/json' };
    return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).status;
  }

  async function welcomed(env: Record<string, string> = {}): Promise<ServiceProcess> {
    const service = await runScript('demo', { OMS_DATA_DIR: dataDir, ...env });
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
