import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../../../core/start-error';
import type { PackageFiles } from './package-files';
import { PackageError } from './fault';

/** Bytes per read: fewer and larger reads than Node's default of 64 KiB. */
const CHUNK = 256 * 1024;

/** A package in a folder. */
export function openFolder(folder: string): PackageFiles {
  const sizeOf = async (path: string): Promise<number> => {
    try {
      const found = await stat(join(folder, path));
      if (!found.isFile()) throw new PackageError(`${path} of ${folder} is no file.`);
      return found.size;
    } catch (error) {
      if (error instanceof PackageError) throw error;
      throw new PackageError(`${path} is not in ${folder} (${errorCode(error)}).`);
    }
  };
  return {
    size: sizeOf,
    async read(path) {
      await sizeOf(path);
      return createReadStream(join(folder, path), { highWaterMark: CHUNK });
    },
    close: () => Promise.resolve(),
  };
}
