/** Reads files that `@strapi/provider-upload-local` has written. */
import { open, opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../../../core/start-error';
import type { Reader } from './storage';

/** The size in bytes up to which a file is read at once, which is faster than a stream. */
const SMALL = 512 * 1024;

/** @param folder of the provider */
export function createLocalReader(folder: string): Reader {
  return {
    async read(name, { start, end }) {
      try {
        const handle = await open(join(folder, name));
        if (end - start >= SMALL && (await handle.stat()).size > end)
          return handle.createReadStream({ start, end });
        try {
          const length = end - start + 1;
          const { buffer, bytesRead } = await handle.read(
            Buffer.allocUnsafe(length),
            0,
            length,
            start,
          );
          return bytesRead === length ? buffer : null;
        } finally {
          await handle.close();
        }
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return null;
        throw error;
      }
    },
    async size(name) {
      try {
        return (await stat(join(folder, name))).size;
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return null;
        throw error;
      }
    },
    async *names() {
      for await (const entry of await opendir(folder)) if (entry.isFile()) yield entry.name;
    },
    answers: () => Promise.resolve(true),
    async settle(name) {
      const handle = await open(join(folder, name));
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
    },
  };
}
