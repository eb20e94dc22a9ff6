import type { Core } from '@strapi/strapi';
import { existsSync } from 'node:fs';
import { makePrivate } from './data-directory';
import { readEnvironment } from './environment';
import { sqliteDriver, type SqliteHandle } from '../plugins/objects/server/database/sqlite-driver';
import { errorCode, StartError } from '../core/start-error';

/** The lock of one database, until it is released. */
export interface WriterLock {
  release(): void;
}

/** The key of the lock in Strapi's configuration, so that it is taken once and lives as long as Strapi. */
const CONFIG_KEY = 'oms.writerLock';

/**
 * Lets one process write to a SQLite file: with two, some requests would fail with "database is locked". Readers need
 * no lock. The lock is an exclusive transaction on a file beside the database, which the system ends with the process
 * in any case.
 *
 * @throws StartError when another process, or another service in this process, holds it
 */
export function takeWriterLock(file: string): WriterLock {
  const Database = sqliteDriver();
  let handle: SqliteHandle | undefined;
  try {
    for (const each of [file, `${file}.lock`]) makePrivate(each);
    // Left by a service that was killed.
    for (const each of [`${file}-wal`, `${file}-shm`]) if (existsSync(each)) makePrivate(each);
    handle = new Database(`${file}.lock`, { timeout: 0 });
    // Nothing is written to this file; without this, SQLite would leave a journal beside it.
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

/** Passes a lock that is held already to Strapi's `register`. */
export function keepWriterLock(strapi: Core.Strapi, lock: WriterLock): void {
  strapi.config.set(CONFIG_KEY, lock);
}

/**
 * For `register`, before the database opens: takes the lock unless `boot()` has taken it, so that `strapi develop` and
 * `strapi console` are subject to it too. They keep it until their process ends.
 */
export function lockDatabase(strapi: Core.Strapi): void {
  const { database } = readEnvironment();
  if (database.client !== 'sqlite' || strapi.config.has(CONFIG_KEY)) return;
  keepWriterLock(strapi, takeWriterLock(database.file));
}
