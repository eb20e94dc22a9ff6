/** The folder for files of uploads in progress. Each process has its own, which is removed with the process. */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Admission } from '../../../core/admission';

/** The folder of this process. The folders of processes that have ended are removed. */
export function openIncoming(dataDir: string): string {
  const all = join(dataDir, 'incoming');
  if (existsSync(all))
    for (const name of readdirSync(all))
      if (!isAlive(Number(name))) rmSync(join(all, name), { recursive: true, force: true });
  const own = join(all, String(process.pid));
  mkdirSync(own, { recursive: true, mode: 0o700 });
  return own;
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * The maximum number of uploads that are being received, in total and of one account or network. An upload that waits for
 * a decoder is not counted any more (`Decoders` has a bound of its own).
 */
const PLACES = { places: 200, placesOfOne: 100 } as const;

/** The maximum size of the files of all uploads in progress, received or not, in files of the largest size. */
const LARGEST_FILES = 40;
/** Where the largest size is smaller, it is taken for this: whoever sends too much is told so, and not evicted before. */
const LEAST_SIZE = 1024 * 1024;

/** The admission of uploads. @param maxUpload bytes of the largest file that may be uploaded now */
export const admissionOfUploads = (maxUpload: () => number): Admission =>
  new Admission({ ...PLACES, bytes: () => LARGEST_FILES * Math.max(maxUpload(), LEAST_SIZE) });
