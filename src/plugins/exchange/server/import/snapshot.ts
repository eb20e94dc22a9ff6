import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { sqliteDriver } from '../../../objects/server/database/sqlite-driver';
import { errorText, StartError } from '../../../../core/start-error';

/** Pages that are copied in one step: all, so that no writer can come between two steps and start it anew. */
const ALL_PAGES = 0x7fffffff;

/** A data directory with a copy of the database, to be thrown away. */
export interface Snapshot {
  readonly dataDir: string;
  remove(): void;
}

/**
 * Copies a SQLite database as it is at this moment, without a lock that would stop a service that writes to it.
 * A database that does not exist yet has an empty copy.
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
}
