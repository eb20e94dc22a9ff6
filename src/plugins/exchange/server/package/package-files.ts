/** The files of a package, and those of a package in a folder. */
import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { basename, isAbsolute, join, posix, relative, resolve, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { errorCode } from '../../../../core/start-error';
import { PackageError } from './fault';

/** The file name of the descriptor of a data package (https://specs.frictionlessdata.io/data-package/). */
export const DESCRIPTOR = 'datapackage.json';

/** The file name of the descriptor of a Darwin Core archive (https://dwc.tdwg.org/text/). */
export const META = 'meta.xml';

/** The descriptors by which a package is recognized, the first one deciding. */
export const DESCRIPTORS = [DESCRIPTOR, META] as const;
export type DescriptorName = (typeof DESCRIPTORS)[number];

/** By what a package is recognized: its descriptor, or a table without one. */
export type PackageKind = DescriptorName | 'table';

/** The files of a package, in a folder or a zip. Paths are relative to the descriptor, with slashes. */
export interface PackageFiles {
  /** Which descriptor it has. */
  readonly descriptor: PackageKind;
  /** The path of the table of a package that is one table alone; null for others. */
  readonly table: string | null;
  /** The name of its folder or zip, without an extension. */
  readonly name: string;
  /** The unpacked size of a file in bytes. @throws PackageError when the package has no such file */
  size(path: string): Promise<number>;
  /** A stream of a file's bytes, which fails with an `Error` when the file is damaged. */
  read(path: string): Promise<Readable>;
  close(): Promise<void>;
}

/** Whether the package has this file. */
export async function hasFile(files: PackageFiles, path: string): Promise<boolean> {
  try {
    await files.size(path);
    return true;
  } catch (error) {
    if (error instanceof PackageError) return false;
    throw error;
  }
}

/** Bytes per read: fewer and larger reads than Node's default of 64 KiB. */
const CHUNK = 256 * 1024;

/** A package in a folder. */
export function openFolder(
  folder: string,
  descriptor: PackageKind,
  table: string | null = null,
): PackageFiles {
  /** The file itself: a symbolic link may not lead out of the package either. */
  const fileAt = async (path: string): Promise<string> => {
    const file = await realpath(join(folder, path));
    const inside = relative(await realpath(folder), file);
    if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside))
      throw new PackageError(`${path} of ${folder} is a link that leads out of it.`);
    return file;
  };
  const sizeOf = async (path: string): Promise<number> => {
    try {
      const found = await stat(await fileAt(path));
      if (!found.isFile()) throw new PackageError(`${path} of ${folder} is no file.`);
      return found.size;
    } catch (error) {
      if (error instanceof PackageError) throw error;
      throw new PackageError(`${path} is not in ${folder} (${errorCode(error)}).`);
    }
  };
  return {
    descriptor,
    table,
    name: table === null ? basename(resolve(folder)) : table.replace(/\.[^.]+(?:\.gz)?$/i, ''),
    size: sizeOf,
    async read(path) {
      await sizeOf(path);
      return createReadStream(await fileAt(path), { highWaterMark: CHUNK });
    },
    close: () => Promise.resolve(),
  };
}

/** Whether a path is an address. */
export const isAddress = (path: string): boolean => /^[a-z][a-z0-9+.-]*:/i.test(path);

/**
 * The path of a table of a package, which may be no address or absolute, and may not lead out of it.
 *
 * @param name the table
 * @throws PackageError
 */
export function pathInside(given: string, name: string): string {
  const path = given.replaceAll('\\', '/');
  if (isAddress(given)) {
    throw new PackageError(
      `The data of ${name} is at ${JSON.stringify(path)}; only files inside the package are read.`,
    );
  }
  if (/^[/~]|\0/.test(path) || path.split('/').includes('..')) {
    throw new PackageError(
      `The path ${JSON.stringify(path)} of ${name} is outside of the package.`,
    );
  }
  return posix.normalize(path);
}
