import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteDriver } from '#app/plugins/objects/server/database/sqlite-driver';
import { runScript, startProcess, type ServiceProcess } from '../helpers/process';

describe('one process writes to a SQLite file', () => {
  let dataDir: string;
  let first: ServiceProcess;

  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'oms lock '));
    // A folder of before, which anybody may look into.
    chmodSync(dataDir, 0o755);
    writeFileSync(join(dataDir, 'db.sqlite'), '', { mode: 0o644 });
    first = await startProcess({ OMS_DATA_DIR: dataDir });
  });
  afterAll(async () => {
    first.child.kill('SIGTERM');
    expect(await first.ended).toBe(0);
    rmSync(dataDir, { recursive: true });
  });

  test('a second one is refused in one line', async () => {
    const second = await runScript('start', { OMS_DATA_DIR: dataDir });
    expect(await second.ended).toBe(1);
    expect(second.errors()).toMatch(
      /^\S.*db\.sqlite is in use by another process that writes to it; [^\n]*\n$/,
    );
    expect(second.output()).toBe('');
  });

  test('its files are for their owner alone, whatever was there before', () => {
    for (const file of [
      'db.sqlite',
      'db.sqlite-shm',
      'db.sqlite-wal',
      'db.sqlite.lock',
      'secrets.json',
    ])
      expect([file, statSync(join(dataDir, file)).mode & 0o777]).toEqual([file, 0o600]);
  });

  test('a reader is let in', () => {
    const Database = sqliteDriver();
    const handle = new Database(join(dataDir, 'db.sqlite'), { readonly: true });
    expect(handle.prepare('select count(*) as n from admin_users').get()).toEqual({ n: 0 });
    handle.close();
  });
});
