import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  statSync,
  type Dirent,
} from 'node:fs';
import { opendir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode, StartError } from '../core/start-error';

/**
 * The folder that Strapi may serve, which contains only `uploads/`. It is inside the data directory and never that
 * directory itself, which contains the database and the secrets.
 */
export function publicDirectory(dataDir: string): string {
  return join(dataDir, 'public');
}

/** The mode of files and folders that this user alone may read: originals tell where endangered animals are. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const OTHERS = 0o077;

/**
 * Creates the data directory with the folders that Strapi needs (its upload provider ends the start when `uploads` is
 * missing), readable by this user only, as all files are that the process makes from now on. A directory that others
 * may enter is closed to them, and with it all that is in it.
 *
 * @throws StartError when it cannot be created or written
 */
export function makeDataDirectory(dataDir: string): void {
  try {
    process.umask(OTHERS);
    makeFolder(dataDir);
    makeFolder(join(publicDirectory(dataDir), 'uploads'));
    closeToOthers(dataDir, FOLDER_MODE);
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new StartError(
      `OMS_DATA_DIR="${dataDir}" cannot be written (${errorCode(error)}); give a folder that this user may write.`,
    );
  }
}

/** Node's recursive `mkdir` never ends below `/proc`, whose folders exist and accept no entries. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: FOLDER_MODE });
  } catch (error) {
    // Another process was first.
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

/** The folder of a restore until it has ended: a start would find a part of what is restored. */
export const restoreFolder = (dataDir: string): string => join(dataDir, 'restore.partial');

/** @throws StartError while a restore is under way, or after one that was stopped */
export function expectNoRestore(dataDir: string): void {
  const folder = restoreFolder(dataDir);
  if (!existsSync(folder)) return;
  throw new StartError(
    `${folder} is there: a restore is under way, or was stopped. Wait for its end; after one that was stopped, empty ${dataDir} and restore again.`,
  );
}

/**
 * Closes all files and folders of the data directory to others, which they were not before this release or where
 * something else has written them. There may be millions: it takes no part of the start.
 *
 * @param signal ends it
 */
export async function mendModes(dataDir: string, signal: AbortSignal): Promise<void> {
  for await (const entry of entriesBelow(dataDir)) {
    if (signal.aborted) return;
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) closeToOthers(path, FOLDER_MODE);
    else if (entry.isFile()) closeToOthers(path, FILE_MODE);
  }
}

async function* entriesBelow(folder: string): AsyncGenerator<Dirent> {
  try {
    for await (const entry of await opendir(folder)) {
      yield entry;
      if (entry.isDirectory()) yield* entriesBelow(join(folder, entry.name));
    }
  } catch (error) {
    // It was removed in the meantime, or belongs to another user.
    if (!GONE_OR_FOREIGN.has(errorCode(error))) throw error;
  }
}

const GONE_OR_FOREIGN: ReadonlySet<string> = new Set(['ENOENT', 'EACCES', 'EPERM']);

function closeToOthers(path: string, mode: number): void {
  try {
    if ((statSync(path).mode & OTHERS) !== 0) chmodSync(path, mode);
  } catch (error) {
    // A volume of a container may belong to another user, who decides.
    if (!GONE_OR_FOREIGN.has(errorCode(error))) throw error;
  }
}

/**
 * Makes a file readable by its owner only, whatever the umask, and creates it before it has any content. SQLite gives
 * its other files the mode of the database.
 */
export function makePrivate(file: string): void {
  closeSync(openSync(file, 'a', FILE_MODE));
  chmodSync(file, FILE_MODE);
}
