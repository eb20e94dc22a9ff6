import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCode, StartError } from '../core/start-error';

/**
 * The folder that Strapi may serve, which contains only `uploads/`. It is inside the data directory and never that
 * directory itself, which contains the database and the secrets.
 */
export function publicDirectory(dataDir: string): string {
  return join(dataDir, 'public');
}

/**
 * Creates the data directory with the folders that Strapi needs (its upload provider ends the start when `uploads` is
 * missing), readable by this user only.
 *
 * @throws StartError when it cannot be created or written
 */
export function makeDataDirectory(dataDir: string): void {
  try {
    makeFolder(dataDir, 0o700);
    makeFolder(join(publicDirectory(dataDir), 'uploads'), 0o777);
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new StartError(
      `OMS_DATA_DIR="${dataDir}" cannot be written (${errorCode(error)}); give a folder that this user may write.`,
    );
  }
}

/** Node's recursive `mkdir` never ends below `/proc`, whose folders exist and accept no entries. */
function makeFolder(folder: string, mode: number): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder), mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process was first.
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

/**
 * Makes a file readable by its owner only, whatever the umask, and creates it before it has any content. SQLite gives
 * its other files the mode of the database.
 */
export function makePrivate(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
}
