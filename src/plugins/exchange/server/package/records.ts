/** The records of the files of a table. */
import type { Readable } from 'node:stream';
import { errorText } from '../../../../core/start-error';
import { CsvReader, type CsvRecord, type Dialect } from './csv';
import { PackageError, type Fault } from './fault';
import type { PackageFiles } from './package-files';

/** A table of a package and the format of its files. */
export interface TableFormat {
  /** Paths relative to the descriptor; several files are read in this order. */
  readonly paths: readonly string[];
  /** A label of the Encoding Standard (https://encoding.spec.whatwg.org/#names-and-labels). */
  readonly encoding: string;
  readonly dialect: Dialect;
  /** The columns, for files without a header. */
  readonly columns: readonly string[] | null;
  readonly missing: ReadonlySet<string>;
}

export interface TableListeners {
  /** Called for a malformed record, such as one with an unclosed quote. */
  readonly onFault: (fault: Fault) => void;
  /** Called with the bytes that have been read since the last call. */
  readonly onBytes?: (bytes: number) => void;
}

type FileFormat = Pick<TableFormat, 'encoding' | 'dialect'>;

/** Streams the records of a file. @throws PackageError when it is missing or damaged */
export async function* readRecords(
  files: PackageFiles,
  { encoding, dialect }: FileFormat,
  file: string,
  listeners: TableListeners,
): AsyncGenerator<CsvRecord> {
  const stream = await files.read(file);
  const reader = new CsvReader(dialect);
  let decoder: InstanceType<typeof TextDecoder> | null = null;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer> & Readable) {
      listeners.onBytes?.(chunk.length);
      // Removes a byte order mark; invalid bytes become U+FFFD, which is refused in a row.
      decoder ??= new TextDecoder(markedEncoding(chunk) ?? encoding);
      yield* reader.push(decoder.decode(chunk, { stream: true }));
    }
  } catch (error) {
    throw new PackageError(`${file} is damaged (${errorText(error)}).`);
  }
  if (decoder) yield* reader.push(decoder.decode());
  yield* reader.end();
}

/** The encoding that a byte order mark proves, whatever a descriptor says; null without one. */
function markedEncoding(start: Buffer): string | null {
  if (start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf) return 'utf-8';
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  return start[0] === 0xfe && start[1] === 0xff ? 'utf-16be' : null;
}

/** The bytes of all files of a table. @throws PackageError when one is missing */
export async function sizeOf(
  files: PackageFiles,
  { paths }: Pick<TableFormat, 'paths'>,
): Promise<number> {
  const sizes = await Promise.all(paths.map((path) => files.size(path)));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** The name of an encoding. @param name the table @throws PackageError when the label is not known */
export function encodingOf(label: string, name: string): string {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    throw new PackageError(`The encoding ${JSON.stringify(label)} of ${name} is not known.`);
  }
}

/** A fault of a whole record. */
export function recordFault(file: string, line: number, reason: string): Fault {
  return { file, line, field: '', reason, value: '' };
}
