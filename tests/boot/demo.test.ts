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

  test('says where to click and what to ask, makes one account, and keeps its data', async () => {
    const first = await welcomed();
    const [, password = ''] = /password (\S+) \(shown this once\)/.exec(first.output()) ?? [];
    const login = await fetch(`${first.url}/admin/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: 'demo@example.org', password }),
    });
    expect(login.status).toBe(200);
    await stop(first);

    const second = await welcomed();
    expect(second.output()).toContain('with the password that the first start showed');
    expect(second.output()).not.toContain(password);
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
