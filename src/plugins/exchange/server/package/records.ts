/** The records of the files of a table. */
import type { Readable } from 'node:stream';
import { errorText } from '../../../../core/start-error';
import { CsvReader, type CsvRecord, type CsvDialect } from './csv';
import { PackageError, type Fault } from './fault';
import type { PackageFiles } from './package-files';

/** A table of a package and the format of its files. */
export interface TableFormat {
  /** Paths relative to the descriptor; several files are read in this order. */
  readonly paths: readonly string[];
  /** A label of the Encoding Standard (https://encoding.spec.whatwg.org/#names-and-labels). */
  readonly encoding: string;
  readonly dialect: CsvDialect;
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
  const joined = new ShortRecords();
  let reader: CsvReader | null = null;
  let decoder: InstanceType<typeof TextDecoder> | null = null;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer> & Readable) {
      listeners.onBytes?.(chunk.length);
      // Removes a byte order mark; invalid bytes become U+FFFD, which is refused in a row.
      decoder ??= new TextDecoder(markedEncoding(chunk) ?? encoding);
      const text = decoder.decode(chunk, { stream: true });
      reader ??= new CsvReader(endingAs(text, dialect));
      yield* joined.pass(reader.push(text));
    }
  } catch (error) {
    throw new PackageError(`${file} is damaged (${errorText(error)}).`);
  }
  if (!reader || !decoder) return;
  yield* joined.pass(reader.push(decoder.decode()));
  yield* joined.pass(reader.end());
  yield* joined.end();
}

/** The dialect of a file whose lines end with a CR alone, as old programs write them. */
const endingAs = (start: string, dialect: CsvDialect): CsvDialect =>
  dialect.terminator === null && start.includes('\r') && !start.includes('\n')
    ? { ...dialect, terminator: '\r' }
    : dialect;

/**
 * Short records are whole without their last cells, which are empty. Two of them, one after the other, that make one
 * whole record together are a record that an end of line in a value has broken: neither is read.
 */
class ShortRecords {
  private held: CsvRecord | null = null;
  private width = 0;

  *pass(records: readonly CsvRecord[]): Generator<CsvRecord> {
    for (const record of records) {
      const isShort = record.cells !== null && record.isShort === true;
      if (record.cells !== null && !isShort) this.width = record.cells.length;
      const { held } = this;
      this.held = null;
      if (held && isShort && this.areOne(held, record)) {
        for (const { line } of [held, record])
          yield { line, cells: null, reason: 'is a part of a row that an end of line has broken' };
        continue;
      }
      if (held) yield held;
      if (isShort) this.held = record;
      else yield record;
    }
  }

  *end(): Generator<CsvRecord> {
    if (this.held) yield this.held;
  }

  private areOne(one: CsvRecord, other: CsvRecord): boolean {
    const cells = (one.cells?.length ?? 0) + (other.cells?.length ?? 0);
    return cells === this.width + 1 && one.line + 1 === other.line;
  }
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
