/** Where backups go: a file, or a folder in which each gets a name of its own. */
import { existsSync, statSync } from 'node:fs';
import { readdir, rm, stat, statfs } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { errorCode, StartError } from '../../core/start-error';
import { PARTIAL } from './archive-writer';

/** The names of backups in a folder: they are in the order of their times. */
const NAME = /^oms-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.zip$/;

/** What was left by a backup that was killed; one takes a day at the most. */
const LEFT = /\.zip\.[0-9a-f]{8}(?:\.db)?\.partial(?:-journal)?$/;
const DAY = 24 * 60 * 60_000;

export interface BackupPlace {
  readonly file: string;
  readonly folder: string;
  /** Whether the folder is one of backups, of which old ones may be removed. */
  readonly isFolder: boolean;
}

/** @throws StartError for a file that is there, and for a folder that is not */
export function backupPlaceOf(path: string, now: Date): BackupPlace {
  const absolute = resolve(path);
  const isFolder = existsSync(absolute) && statSync(absolute).isDirectory();
  if (isFolder) {
    const name = `oms-${now.toISOString().slice(0, 19).replaceAll(':', '-')}Z.zip`;
    return placeOfFile(join(absolute, name), true);
  }
  if (path.endsWith('/')) throw new StartError(`${path} does not exist; make the folder first.`);
  return placeOfFile(absolute, false);
}

function placeOfFile(file: string, isFolder: boolean): BackupPlace {
  if (existsSync(file))
    throw new StartError(`${file} is there already, and no backup is replaced; give another name.`);
  if (!existsSync(dirname(file)))
    throw new StartError(`${dirname(file)} does not exist; make the folder first.`);
  return { file, folder: dirname(file), isFolder };
}

/** @throws StartError when a folder has not so many bytes of room */
export async function expectRoom(folder: string, bytes: number, what: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= bytes) return;
  throw new StartError(
    `${folder} has ${inMib(bavail * bsize)} of room, and ${what} may need ${inMib(bytes)}; make room, or choose another place.`,
  );
}

const inMib = (bytes: number): string => `${Math.ceil(bytes / 1024 / 1024)} MiB`;

/** Removes the oldest backups of a folder beyond a number, and what backups that were killed have left. */
export async function tidy(
  { folder }: BackupPlace,
  keep: number | null,
  now: number,
): Promise<string[]> {
  const names = (await readdir(folder)).sort();
  for (const name of names) {
    if (!LEFT.test(name)) continue;
    const path = join(folder, name);
    if (now - (await stat(path)).mtimeMs > DAY) await rm(path, { force: true });
  }
  if (keep === null) return [];
  const old = names.filter((name) => NAME.test(name)).slice(0, -keep);
  for (const name of old) await rm(join(folder, name), { force: true });
  return old;
}

/** The bytes of a file; 0 for one that is not there. */
export async function bytesOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 0;
    throw error;
  }
}

/** The name of the copy of a SQLite database that is removed after its backup. */
export const copyBeside = ({ file, folder }: BackupPlace, random: string): string =>
  join(folder, `${basename(file)}.${random}.db${PARTIAL}`);
