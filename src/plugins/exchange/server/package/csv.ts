/**
 * CSV as in RFC 4180 and the CSV dialect of data packages (https://specs.frictionlessdata.io/csv-dialect/). Written by
 * hand because the report needs the line of each record, and because a wrong quote must only invalidate its own line
 * and not the rest of the file, after which general parsers cannot resume.
 */

/** Longer records are refused, so that an unclosed quote cannot fill the memory. */
export const MAX_RECORD_LENGTH = 256 * 1024;

/** The dialect of a file. */
export interface CsvDialect {
  readonly delimiter: string;
  /** Null where no character quotes. */
  readonly quote: string | null;
  /** The escape character of a quote inside quotes, if quotes are not doubled. */
  readonly escape: string | null;
  readonly comment: string | null;
  /** Whether blanks after a delimiter are skipped. */
  readonly skipInitialSpace: boolean;
  /** Whether the first record is the header. */
  readonly header: boolean;
  /** What ends a line, besides LF and CRLF; null for nothing else. */
  readonly terminator: string | null;
}

export const DEFAULT_DIALECT: CsvDialect = {
  delimiter: ',',
  quote: '"',
  escape: null,
  comment: null,
  skipInitialSpace: false,
  header: true,
  terminator: null,
};

/** A record with the line on which it begins (1-based), or why it is malformed. */
export type CsvRecord =
  | {
      readonly line: number;
      readonly cells: string[];
      /** It has fewer cells than the first one. */
      readonly isShort?: true;
    }
  | { readonly line: number; readonly cells: null; readonly reason: string };

type Quoted = { cells: string[]; end: number } | 'unfinished' | 'broken';

/** Splits a text that arrives in chunks into records. No record has more cells than the first one. */
export class CsvReader {
  private text = '';
  private line = 1;
  /** The position of the next quote; searched for once, because most lines have none. */
  private quoteAt = -1;
  private width: number | null = null;
  /** The end of the last piece, which may be the beginning of a terminator. */
  private held = '';
  /** In the middle of a line that is too long. */
  private skipping = false;

  constructor(private readonly dialect: CsvDialect = DEFAULT_DIALECT) {}

  /** The records that end in this chunk. */
  push(piece: string): CsvRecord[] {
    this.text += this.withLineFeeds(piece, false);
    this.quoteAt = -1;
    return this.drain(false);
  }

  /** The last record, at the end of the text. */
  end(): CsvRecord[] {
    this.text += this.withLineFeeds('', true);
    if (this.text !== '' && !this.text.endsWith('\n')) this.text += '\n';
    this.quoteAt = -1;
    return this.drain(true);
  }

  /** Replaces the terminator, which may be divided between two pieces. */
  private withLineFeeds(piece: string, last: boolean): string {
    const { terminator } = this.dialect;
    if (terminator === null) return piece;
    const text = (this.held + piece).replaceAll(terminator, '\n');
    const kept = last ? 0 : terminator.length - 1;
    this.held = kept === 0 ? '' : text.slice(-kept);
    return kept === 0 ? text : text.slice(0, -kept);
  }

  private drain(last: boolean): CsvRecord[] {
    const records: CsvRecord[] = [];
    let at = 0;
    for (;;) {
      const newline = this.text.indexOf('\n', at);
      if (newline === -1) break;
      const next = this.take(at, newline, last, records);
      if (next === null) break;
      at = next;
    }
    this.text = this.text.slice(at);
    if (this.text.length > MAX_RECORD_LENGTH && !this.text.includes('\n')) {
      if (!this.skipping)
        records.push(this.broken(`is longer than ${MAX_RECORD_LENGTH} characters`));
      this.skipping = true;
      this.text = '';
    }
    return records;
  }

  /** Reads the record that begins at `at`. @returns the position of the next one, null if more text is needed */
  private take(at: number, newline: number, last: boolean, records: CsvRecord[]): number | null {
    const end = this.text.charCodeAt(newline - 1) === 13 && newline > at ? newline - 1 : newline;
    const { quote, comment, delimiter } = this.dialect;
    if (this.skipping || end === at || (comment !== null && this.text.startsWith(comment, at))) {
      this.skipping = false;
      this.line += 1;
      return newline + 1;
    }
    if (this.quoteAt < at) {
      const found = quote === null ? -1 : this.text.indexOf(quote, at);
      this.quoteAt = found === -1 ? Infinity : found;
    }
    if (this.quoteAt >= end) {
      const cells = this.text.slice(at, end).split(delimiter);
      this.accept(this.dialect.skipInitialSpace ? cells.map(trimStart) : cells, records);
      this.line += 1;
      return newline + 1;
    }
    return this.takeQuoted(at, newline, last, records);
  }

  private takeQuoted(
    at: number,
    newline: number,
    last: boolean,
    records: CsvRecord[],
  ): number | null {
    const found = this.quoted(at);
    if (found === 'unfinished' && !last && this.text.length - at <= MAX_RECORD_LENGTH) return null;
    const spansLines = typeof found === 'object' && found.end > newline + 1;
    // The wrong quote of a record with line ends and too many or few cells is on its first line.
    const swallowed = spansLines && this.width !== null && found.cells.length !== this.width;
    if (typeof found !== 'object' || swallowed) {
      records.push(
        this.broken('has a quote that is not closed, or one inside quotes that is not doubled'),
      );
      this.line += 1;
      return newline + 1;
    }
    this.accept(found.cells, records);
    this.line += spansLines ? countLines(this.text, at, found.end) : 1;
    return found.end;
  }

  /** The cells of a record with quotes, and the position of the next record. */
  private quoted(at: number): Quoted {
    const { text } = this;
    const { delimiter, skipInitialSpace } = this.dialect;
    const quote = this.dialect.quote ?? '';
    const cells: string[] = [];
    for (let i = at; ; i += delimiter.length) {
      while (skipInitialSpace && text[i] === ' ') i += 1;
      if (text.startsWith(quote, i)) {
        const value = this.quotedValue(i + quote.length);
        if (value === null) return 'unfinished';
        cells.push(value.text);
        i = value.end;
      } else {
        const newline = text.indexOf('\n', i);
        const delimiterAt = text.indexOf(delimiter, i);
        if (newline === -1) return 'unfinished';
        const stop = delimiterAt === -1 || delimiterAt > newline ? newline : delimiterAt;
        const lineEnd = stop === newline && text[newline - 1] === '\r' && newline > i;
        cells.push(text.slice(i, lineEnd ? newline - 1 : stop));
        i = stop;
      }
      if (text[i] === '\r' && text[i + 1] === '\n') i += 1;
      if (text[i] === '\n') return { cells, end: i + 1 };
      if (i >= text.length || (text[i] === '\r' && i + 1 >= text.length)) return 'unfinished';
      if (!text.startsWith(delimiter, i)) return 'broken';
    }
  }

  /** The value after an opening quote, and the position after its closing quote. */
  private quotedValue(from: number): { text: string; end: number } | null {
    const { text } = this;
    const { escape } = this.dialect;
    const quote = this.dialect.quote ?? '';
    let value = '';
    for (let i = from; ;) {
      const quoteAt = text.indexOf(quote, i);
      const escapeAt = escape === null ? -1 : text.indexOf(escape, i);
      if (escape !== null && escapeAt !== -1 && (quoteAt === -1 || escapeAt < quoteAt)) {
        const literal = escapeAt + escape.length;
        if (literal >= text.length) return null;
        value += text.slice(i, escapeAt) + text.slice(literal, literal + 1);
        i = literal + 1;
        continue;
      }
      if (quoteAt === -1 || quoteAt + quote.length >= text.length) return null;
      value += text.slice(i, quoteAt);
      i = quoteAt + quote.length;
      const isDoubled = text.startsWith(quote, i);
      if (escape !== null || (!isDoubled && this.endsCell(i))) return { text: value, end: i };
      if (!isDoubled && this.isCut(i)) return null;
      // One that is not doubled is a character of the cell, as far as that is on one line: `"the "old" tree"`.
      if (!isDoubled && value.includes('\n')) return { text: value, end: i };
      value += quote;
      if (isDoubled) i += quote.length;
    }
  }

  /** Whether what follows a quote ends the cell. */
  private endsCell(at: number): boolean {
    const { text } = this;
    return text.startsWith(this.dialect.delimiter, at) || /^\r?\n/.test(text.slice(at, at + 2));
  }

  /** Whether what is behind the present text decides whether a cell ends. */
  private isCut(at: number): boolean {
    const rest = this.text.slice(at, at + this.dialect.delimiter.length);
    return (
      at + rest.length === this.text.length &&
      (rest === '\r' || this.dialect.delimiter.startsWith(rest))
    );
  }

  private accept(cells: string[], records: CsvRecord[]): void {
    this.width ??= cells.length;
    if (cells.length === this.width) records.push({ line: this.line, cells });
    else if (cells.length < this.width && cells.length > 1)
      records.push({ line: this.line, cells, isShort: true });
    else
      records.push(
        this.broken(`has ${cells.length} values where the first record has ${this.width}`),
      );
  }

  private broken(reason: string): CsvRecord {
    return { line: this.line, cells: null, reason };
  }
}

const trimStart = (cell: string): string => cell.trimStart();

function countLines(text: string, from: number, to: number): number {
  let lines = 0;
  for (let i = text.indexOf('\n', from); i !== -1 && i < to; i = text.indexOf('\n', i + 1))
    lines += 1;
  return lines;
}
