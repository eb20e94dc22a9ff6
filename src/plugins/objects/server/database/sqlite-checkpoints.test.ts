import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
// Compiled: the thread is a file of its own.
import { SqliteCheckpoints } from '#app/plugins/objects/server/database/sqlite-checkpoints';
import { sqliteDriver } from './sqlite-driver';

test('who writes on and on waits until all pages are copied, where there are many', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'oms-wal-'));
  const file = join(folder, 'db.sqlite');
  const Driver = sqliteDriver();
  const handle = new Driver(file);
  for (const pragma of ['journal_mode = WAL', 'wal_autocheckpoint = 0']) handle.pragma(pragma);
  handle.exec('create table pages (bytes blob)');
  const checkpoints = new SqliteCheckpoints(file, (error) => {
    throw error;
  });
  const notCopied = (): number => {
    const [{ log, checkpointed }] = handle.pragma('wal_checkpoint(NOOP)') as [
      Record<'log' | 'checkpointed', number>,
    ];
    return log - checkpointed;
  };
  const write = async (pages: number): Promise<void> => {
    handle.prepare('insert into pages values (zeroblob(?))').run(pages * 4096);
    await setTimeout(60); // it looks once in 50 ms
    checkpoints.afterCommit(handle, true);
  };
  try {
    await write(600);
    while (notCopied() > 0) await setTimeout(25);
    await write(5000);
    await checkpoints.caughtUp();
    expect(notCopied()).toBeGreaterThan(5000);
    while (notCopied() > 0) await setTimeout(25);
    await write(10_000);
    handle.prepare('insert into pages values (zeroblob(?))').run(4096);
    await checkpoints.caughtUp();
    expect(notCopied()).toBe(0);
  } finally {
    await checkpoints.close();
    handle.close();
    rmSync(folder, { recursive: true });
  }
}, 30_000);
