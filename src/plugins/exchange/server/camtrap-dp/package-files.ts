/** The files of a package, and those of a package in a folder. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { errorCode } from '../../../../core/start-error';
import { PackageError } from './fault';

/** The file name of the descriptor (https://specs.frictionlessdata.io/data-package/). */
export const DESCRIPTOR = 'datapackage.json';

/** The files of a package, in a folder or a zip. Paths are relative to the descriptor, with slashes. */
export interface PackageFiles {
  /** The unpacked size of a file in bytes. @throws PackageError when the package has no such file */
  size(path: string): Promise<number>;
  /** A stream of a file's bytes, which fails with an `Error` when the file is damaged. */
  read(path: string): Promise<Readable>;
  close(): Promise<void>;
}

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
