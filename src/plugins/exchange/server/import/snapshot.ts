import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { sqliteDriver } from '../../../objects/server/database/sqlite-driver';
import { errorText, StartError } from '../../../../core/start-error';

/** Pages per step: all, because a write between two steps would restart the copy. */
const ALL_PAGES = 0x7fffffff;

/** A temporary data directory with a copy of the database. */
export interface Snapshot {
  readonly dataDir: string;
  remove(): void;
}

/**
 * Copies a SQLite database without a lock that would block a service that writes to it. The copy of a database that
 * does not exist yet is empty.
 *
 * @throws StartError when there is no room for the copy, or the database cannot be read
 */
export async function takeSnapshot(databaseFile: string): Promise<Snapshot> {
  const dataDir = mkdtempSync(join(tmpdir(), 'oms-dry-run-'));
  const remove = (): void => rmSync(dataDir, { recursive: true, force: true });
  try {
    if (existsSync(databaseFile)) await copy(databaseFile, join(dataDir, basename(databaseFile)));
    return { dataDir, remove };
  } catch (error) {
    remove();
    throw new StartError(`${databaseFile} cannot be copied for a dry run (${errorText(error)}).`);
  }
}

async function copy(from: string, to: string): Promise<void> {
  const database = new (sqliteDriver())(from, { readonly: true, fileMustExist: true });
  try {
    await database.backup(to, { progress: () => ALL_PAGES });
  } finally {
    database.close();
  }
  markCopy(to);
}

/** The copy has neither the secret nor the files of the installation, which its start would miss. */
function markCopy(file: string): void {
  const database = new (sqliteDriver())(file);
  try {
    const known = database.prepare(`select 1 from sqlite_master where name = 'oms_installation'`);
    if (known.get() !== undefined) database.exec('update oms_installation set is_copy = 1');
  } finally {
    database.close();
  }
}
