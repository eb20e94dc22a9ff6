/** The faults of a package. */

/** A fault and its place in the package, for those who maintain the data. */
export interface Fault {
  /** The file's name inside the package. */
  readonly file: string;
  /** The line on which the record begins, the header being line 1; null in a descriptor. */
  readonly line: number | null;
  /** The column, or the dotted path in a descriptor; empty for the whole record. */
  readonly field: string;
  /** The predicate of a sentence: "is not a number". */
  readonly reason: string;
  /** The value in the file. */
  readonly value: string;
}

/** The place of a record. */
export interface Origin {
  readonly file: string;
  readonly line: number;
}

/** The place of a value. */
export interface ValuePlace {
  readonly file: string;
  /** Null where a file has no lines that count. */
  readonly line: number | null;
  readonly field: string;
}

/** A package that cannot be read at all. The message is one line for the operator. */
export class PackageError extends Error {
  override readonly name = 'PackageError';
}
