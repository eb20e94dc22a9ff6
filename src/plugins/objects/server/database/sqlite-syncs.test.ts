import { appendFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteDriver, type SqliteHandle } from './sqlite-driver';
import { afterFailure, ensureSynced } from './sqlite-syncs';

const FAILED = { code: 'SQLITE_IOERR_FSYNC' };

describe('after a sync that failed', () => {
  const Driver = sqliteDriver();
  let folder: string;
  let handle: SqliteHandle;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'oms-sync-'));
    handle = new Driver(join(folder, 'db.sqlite'), { timeout: 0 });
    handle.pragma('journal_mode = WAL');
    handle.exec('create table words (word text)');
    handle.exec(`insert into words values ('kept')`);
  });
  afterEach(() => {
    handle.close();
    rmSync(folder, { recursive: true });
  });

  const wal = (): string => `${handle.name}-wal`;
  const sizeOfWal = (): number => statSync(wal()).size;
  const words = (): unknown => handle.prepare('select word from words').pluck().all();

  test('the WAL ends with the last commit, and has it', () => {
    const size = sizeOfWal();
    appendFileSync(wal(), Buffer.alloc(5000, 1));
    afterFailure(handle, { code: 'SQLITE_FULL' });
    expect(sizeOfWal()).toBe(size + 5000);
    afterFailure(handle, FAILED);
    expect(sizeOfWal()).toBe(size);
    expect(words()).toEqual(['kept']);
    handle.exec(`insert into words values ('later')`);
    const again = new Driver(handle.name, { readonly: true });
    expect(again.prepare('select count(*) from words').pluck().get()).toBe(2);
    again.close();
  });

  test('no transaction begins until it was written again', () => {
    const other = new Driver(handle.name);
    other.exec('begin immediate');
    afterFailure(handle, FAILED);
    expect(() => ensureSynced(handle)).toThrow(expect.objectContaining(FAILED) as Error);
    other.exec('rollback');
    other.close();
    const size = sizeOfWal();
    appendFileSync(wal(), 'rest');
    ensureSynced(handle);
    expect(sizeOfWal()).toBe(size);
    // Once is enough.
    appendFileSync(wal(), 'rest');
    ensureSynced(handle);
    expect(sizeOfWal()).toBe(size + 4);
  });
});
