import type { Core } from '@strapi/strapi';
import { existsSync } from 'node:fs';
import { makePrivate } from './data-directory';
import { readEnvironment } from './environment';
import { sqliteDriver, type SqliteHandle } from '../plugins/objects/server/database/sqlite-driver';
import { errorCode, StartError } from '../core/start-error';

/** Holds the right to write to one database, until released. */
export interface WriterLock {
  release(): void;
}

/** Where the lock of the Strapi under way is kept, so that it is taken once and lives as long as that does. */
const CONFIG_KEY = 'oms.writerLock';

/**
 * Lets one process write to a SQLite file. Two at once would answer some requests with "database is locked"; a
 * reader needs no lock. It is an exclusive transaction on a file beside the database: the system drops it with
 * the process, however that ends.
 *
 * @throws StartError when another process, or another service in this one, holds it.
 */
export function takeWriterLock(file: string): WriterLock {
  const Database = sqliteDriver();
  let handle: SqliteHandle | undefined;
  try {
    for (const each of [file, `${file}.lock`]) makePrivate(each);
    // Of a service that did not end in peace.
    for (const each of [`${file}-wal`, `${file}-shm`]) if (existsSync(each)) makePrivate(each);
    handle = new Database(`${file}.lock`, { timeout: 0 });
    // Nothing is ever written; without this, SQLite would leave a journal beside the lock.
    handle.pragma('journal_mode = MEMORY');
    handle.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    handle?.close();
    if (errorCode(error).startsWith('SQLITE_BUSY')) {
      throw new StartError(
        `${file} is in use by another process that writes to it; stop that one first, or give this one another OMS_DATA_DIR.`,
      );
    }
    throw new StartError(`${file}.lock cannot be written (${errorCode(error)}).`);
  }
  const held = handle;
  return { release: () => held.close() };
}

/** Hands a lock that is held already to a Strapi that will ask for it. */
export function keepWriterLock(strapi: Core.Strapi, lock: WriterLock): void {
  strapi.config.set(CONFIG_KEY, lock);
}

/**
 * For `register`, before the database opens: takes the lock unless `boot()` has, so that `strapi develop` and
 * `strapi console` obey the rule too. Those keep it until their process ends.
 */
export function lockDatabase(strapi: Core.Strapi): void {
  const { database } = readEnvironment();
  if (database.client !== 'sqlite' || strapi.config.has(CONFIG_KEY)) return;
  keepWriterLock(strapi, takeWriterLock(database.file));
}
