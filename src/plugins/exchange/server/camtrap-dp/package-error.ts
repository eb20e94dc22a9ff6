/** A package that cannot be read at all. The message is one line, meant for whoever gave the package. */
export class PackageError extends Error {
  override readonly name = 'PackageError';
}
