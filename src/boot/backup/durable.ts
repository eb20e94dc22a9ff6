import { open } from 'node:fs/promises';

/** Waits until a file or folder is on the disk. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
