import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Milliseconds for which an answer holds: whoever asks more often makes no more work. */
const HOLDS = 1000;

/** More than a file system keeps beside the name of a file, so that it takes room. */
const BYTES = Buffer.alloc(4096);

/**
 * Whether something new can be written into a folder: a disk that is full says so to nothing less.
 *
 * @param clock milliseconds
 */
export function createWriteProbe(folder: string, clock: () => number): () => Promise<boolean> {
  let asked: { readonly answer: Promise<boolean>; readonly until: number } | null = null;
  return () => {
    if (asked === null || clock() >= asked.until)
      asked = { answer: isWritable(folder), until: clock() + HOLDS };
    return asked.answer;
  };
}

async function isWritable(folder: string): Promise<boolean> {
  const file = join(folder, `.probe-${randomUUID()}`);
  try {
    await writeFile(file, BYTES, { mode: 0o600, flag: 'wx' });
    return true;
  } catch {
    return false;
  } finally {
    await rm(file, { force: true }).catch(() => undefined);
  }
}
