import type { Readable } from 'node:stream';

/** The name that the specification gives to the descriptor (https://specs.frictionlessdata.io/data-package/). */
export const DESCRIPTOR = 'datapackage.json';

/** The files of a package, wherever they lie. Paths are relative to the descriptor, with slashes. */
export interface PackageFiles {
  /** Bytes of a file, unpacked. @throws PackageError when the package has no such file */
  size(path: string): Promise<number>;
  /** A stream of a file's bytes, which fails with an `Error` when the file is damaged. */
  read(path: string): Promise<Readable>;
  close(): Promise<void>;
}
