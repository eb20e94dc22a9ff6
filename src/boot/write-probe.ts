import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Milliseconds for which a result is cached, so that frequent checks cost nothing. */
const HOLDS = 1000;

/** More bytes than a file system stores inside a directory entry, so that the file needs a block. */
const BYTES = Buffer.alloc(4096);

/**
 * Keeps an answer for a second.
 *
 * @param clock milliseconds
 */
export function heldAnswer(
  ask: () => Promise<boolean>,
  clock: () => number,
): () => Promise<boolean> {
  let asked: { readonly answer: Promise<boolean>; readonly until: number } | null = null;
  return () => {
    if (asked === null || clock() >= asked.until) asked = { answer: ask(), until: clock() + HOLDS };
    return asked.answer;
  };
}

/**
 * Whether a folder can be written: only writing a file detects a full disk.
 *
 * @param clock milliseconds
 */
export const createWriteProbe = (folder: string, clock: () => number): (() => Promise<boolean>) =>
  heldAnswer(() => isWritable(folder), clock);

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
