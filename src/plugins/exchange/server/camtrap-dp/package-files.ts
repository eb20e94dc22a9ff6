import type { Readable } from 'node:stream';

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
