import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Milliseconds for which a result is cached, so that frequent checks cost nothing. */
const HOLDS = 1000;

/** More bytes than a file system stores inside a directory entry, so that the file needs a block. */
const BYTES = Buffer.alloc(4096);

/**
 * Whether a folder can be written: only writing a file detects a full disk.
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
