/**
 * What to do where the WAL could not be synced. The system takes for written what it could not write, so that no later sync
 * writes it (https://lwn.net/Articles/752063/). SQLite writes over a transaction that has failed, but not over earlier ones that
 * were to be synced with it (`WriteOptions.isRepeatable`), and without these nothing behind them can be read.
 */
import type BetterSqlite3 from 'better-sqlite3';
import { closeSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { errorCode } from '../../../../core/start-error';

/** Bytes of the header of a WAL, and of that of each page in it (https://www.sqlite.org/fileformat2.html#walformat). */
const HEADER = 32;
const FRAME_HEADER = 24;

/** SQLite's code where a sync has failed. */
const FAILED = 'SQLITE_IOERR_FSYNC';

const PIECE = 64 * 1024;

/** Connections since whose last transaction it is not sure what is on the disk. */
const unsure = new WeakSet<BetterSqlite3.Database>();

/** After an error of a connection that writes, and before anybody is told of it. */
export function afterFailure(handle: BetterSqlite3.Database, error: unknown): void {
  if (errorCode(error) !== FAILED) return;
  unsure.add(handle);
  try {
    ensureSynced(handle);
  } catch {
    // It is tried again before the next transaction, which fails where this does.
  }
}

/**
 * Before a transaction: makes sure that those before it are on the disk.
 *
 * @throws Error with the code SQLITE_IOERR_FSYNC: they may not be
 */
export function ensureSynced(handle: BetterSqlite3.Database): void {
  if (!unsure.has(handle) || handle.inTransaction) return;
  try {
    writeAgain(handle);
  } catch (cause) {
    throw Object.assign(new Error('the WAL is not synced', { cause }), { code: FAILED });
  }
  unsure.delete(handle);
}

function writeAgain(handle: BetterSqlite3.Database): void {
  const version = versionOf(handle);
  const [{ log }] = handle.pragma('wal_checkpoint(NOOP)') as [{ readonly log: number }];
  const size = HEADER + log * (FRAME_HEADER + Number(handle.pragma('page_size', SIMPLE)));
  handle.exec('begin immediate');
  try {
    if (versionOf(handle) !== version) throw new Error('another process has written to the WAL');
    rewrite(`${handle.name}-wal`, size);
  } finally {
    handle.exec('rollback');
  }
}

const SIMPLE = { simple: true };

/** A number that changes with each commit of others. */
const versionOf = (handle: BetterSqlite3.Database): unknown =>
  handle.pragma('data_version', SIMPLE);

/** Ends a file at a size, so that a refused transaction is not in it, and writes and syncs what it has up to there. */
function rewrite(file: string, size: number): void {
  const opened = openSync(file, 'r+');
  try {
    ftruncateSync(opened, size);
    const piece = Buffer.alloc(PIECE);
    for (let at = 0; at < size; at += PIECE) {
      const length = readSync(opened, piece, 0, PIECE, at);
      for (let from = 0; from < length;)
        from += writeSync(opened, piece, from, length - from, at + from);
    }
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
