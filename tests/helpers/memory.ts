import { accessSync, constants, statfsSync } from 'node:fs';

/** A file system in memory, where the machine has one. */
const MEMORY = '/dev/shm';

/** More than all databases and uploads that exist at once. */
const NEEDED = 1024 ** 3;

/**
 * Has temporary files of the tests kept in memory, where each commit would wait for a disk otherwise. What a process has
 * written survives its death there, too.
 */
export function useMemory(): void {
  if (process.env.TMPDIR === undefined && hasRoom()) process.env.TMPDIR = MEMORY;
}

function hasRoom(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= NEEDED;
  } catch {
    return false;
  }
}
