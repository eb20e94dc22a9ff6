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
 * The folder that Strapi may serve: nothing but `uploads/`. It lies inside the data directory and is never that
 * directory itself, which holds the database and the secrets.
 */
export function publicDirectory(dataDir: string): string {
  return join(dataDir, 'public');
}

/**
 * Makes the data directory with what Strapi wants to find in it (its upload provider ends the start when
 * `uploads` is missing), for this user alone.
 *
 * @throws StartError when it cannot be made or written.
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

/** Node's own recursive `mkdir` never ends below `/proc`, whose folders are there and take nothing. */
function makeFolder(folder: string, mode: number): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder), mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process was quicker.
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

/**
 * Makes a file readable by its owner alone, whatever the umask, before anything is in it; one that is there becomes so.
 * SQLite gives the mode of a database to what it puts beside it.
 */
export function makePrivate(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
}
