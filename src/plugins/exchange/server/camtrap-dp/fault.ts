/** What is wrong with a package. */

/** Something that does not fit, and where it stands, so that whoever keeps the data finds and mends it. */
export interface Fault {
  /** The file's name inside the package. */
  readonly file: string;
  /** The line on which the record begins, the header being line 1; null in `datapackage.json`. */
  readonly line: number | null;
  /** The column, or the path in dots in `datapackage.json`; empty when the record as a whole is meant. */
  readonly field: string;
  /** A sentence's rest: "is not a number". */
  readonly reason: string;
  /** The value as it stands there. */
  readonly value: string;
}

/** Where a record stands. */
export interface Origin {
  readonly file: string;
  readonly line: number;
}

/** A package that cannot be read at all. The message is one line, meant for whoever gave the package. */
export class PackageError extends Error {
  override readonly name = 'PackageError';
}
